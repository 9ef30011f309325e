"""Questions to the graph: upstream, downstream, impact, paths, what arrived by when.

In:  node ids, levels, depths, times.
Out: the answers of `answers.py`: nodes and edges of `lineage.model`, cut at a limit that the answer names.

Start reading at `queries.py`, then `impact.py`.
"""
