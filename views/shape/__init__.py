"""What of a gated query can follow topics, and how. Pure.

Enters: a gated tree. Leaves: the tables that are followed, Spark's output mode, the key of a row, or a refusal that names
what to write instead. Start reading at `shape.py`.
"""
