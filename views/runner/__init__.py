"""Keeps each view's streaming query in step with what is declared and decided.

Enters: declared views, decisions, progress of the engine. Leaves: streaming queries, rows of the serving table, states.
Start reading at `view.py`.
"""
