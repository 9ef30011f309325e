"""The lineage graph in Neo4j 5.

In:  a `lineage.graph_delta` to write; nodes to ask about.
Out: edges and nodes of `lineage.model`.

Every statement is in `cypher.py`; `server.py` runs them. Edges between columns are stored in bundles
(docs/decisions/0062). Start reading at `graph.py`, then `write.py`.
"""
