"""Statements that would cost the engine without bound, refused before they run: patterns of Java, long sequences, plans
that grow by names.

See docs/decisions/0072-what-the-engine-bounds.md for what the engine bounds itself. Start reading at `pattern_guard.py`.
"""
