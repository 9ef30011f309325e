"""Where an instance keeps its things, all its settings, and its logs.

Start reading at `settings.py`.
"""
