"""A column of values profiled at once: the hot loop of a scan.

In:  a path's values, or raw scalars.
Out: counts in a `scanners.sketch.nodes.Node`.

Start reading at `profiler.py`; `key_plans.py` makes the nodes of fields.
"""
