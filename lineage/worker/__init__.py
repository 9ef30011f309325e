"""The worker that folds the log into the graph: at least once, never skipping; and the rebuild beside the old graph.

Start reading at `consume.py`.
"""
