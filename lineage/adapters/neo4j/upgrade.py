"""Graphs of earlier versions kept each edge between columns as a relationship of its own: into bundles with them."""

from __future__ import annotations

from typing import Any

import neo4j

from lineage.adapters.neo4j import cypher
from lineage.adapters.neo4j.write import DeltaWriter
from lineage.graph_delta import GraphDelta
from lineage.model import Edge, How, Kind

ANY = "MATCH (c:Column) WHERE c.dataset STARTS WITH $prefix RETURN c.dataset AS dataset LIMIT 1"
_EDGES = """
MATCH (a:Column {dataset: $dataset})-[e:DERIVES|INFLUENCES]->(b)
RETURN type(e) AS kind, [a.namespace, a.name, a.field, b.namespace, b.name, coalesce(b.field, '')] AS ends,
  a.key AS source, b.key AS target, properties(e) AS edge
"""
_DELETE_EDGES = "MATCH (:Column {dataset: $dataset})-[e:DERIVES|INFLUENCES]->() DELETE e"
_DELETE_COLUMNS = "MATCH (c:Column {dataset: $dataset}) WHERE NOT (c)--() DELETE c"
_SOURCES = """
MATCH (c:Column) WHERE c.dataset STARTS WITH $prefix AND (c)-[:DERIVES|INFLUENCES]->()
RETURN DISTINCT c.dataset AS dataset LIMIT 100
"""
_REST = (
    "MATCH (c:Column) WHERE c.dataset STARTS WITH $prefix WITH c LIMIT 1000 DETACH DELETE c RETURN count(*) AS count"
)


def upgrade(session: neo4j.Session, name: str, label: str) -> int:
    """Bundle the edges between columns of one graph, dataset by dataset; gives how many edges. Harmless to repeat, and
    to be cut off."""
    prefix, moved = f"{label}|", 0
    while rows := session.run(_SOURCES, prefix=prefix).values():
        for (dataset,) in rows:
            moved += session.execute_write(_bundle, name, label, dataset)
    while session.run(_REST, prefix=prefix).single(strict=True)["count"]:
        pass
    return moved


def _bundle(tx: neo4j.ManagedTransaction, name: str, label: str, dataset: str) -> int:
    tx.run(cypher.LOCK, name=name, turn=f"{name}/0").consume()
    edges = [_edge(row, len(label) + 1) for row in tx.run(_EDGES, dataset=dataset)]
    DeltaWriter(GraphDelta(upserts=edges), label, None, again=True).write(tx)
    tx.run(_DELETE_EDGES, dataset=dataset).consume()
    tx.run(_DELETE_COLUMNS, dataset=dataset).consume()
    return len(edges)


def _edge(row: Any, cut: int) -> Edge:
    edge = row["edge"]
    job = edge.get("job")
    return Edge(
        id=edge["id"][cut:],
        kind=Kind(row["kind"].lower()),
        source=row["source"][cut:],
        target=row["target"][cut:],
        owner=edge.get("owner") or job,
        job=job,
        vf=edge["vf"],
        vt=edge["vt"],
        seen=edge["seen"],
        raw=edge.get("raw") is not False,
        columns=False,
        how=How(edge.get("how") or How.COLUMNS),
        origin=edge.get("origin") or "observed",
        ends=tuple(row["ends"]),
        ct=edge.get("ct"),
        unfinished=edge.get("unfinished") is True,
    )
