"""Batches of JSON and Avro profiled by compiled code (numba): bodies to a tape of values, the tape to columns.

In:  bodies of a part, once a process has read enough for compiling to pay (docs/decisions/0030).
Out: the same nodes that `scanners.columns` makes.

Start reading at `compiled_parts.py`, then `walk.py`.
"""
