"""Edges between columns in Neo4j: graphs of earlier versions, writers side by side, and the first question."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.errors import Unavailable
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.fold.writer import GraphWriter
from lineage.ingest.parse import parse
from lineage.model import NOW, Direction, Kind
from lineage.questions.queries import Lineage
from lineage.settings import Neo4jSettings
from lineage.warming.pages import warm
from tests.lineage_samples import IDENTITY, JOIN, MASKING, columns, dataset, node, run, write
from tests.twins.lineage import MemoryGraph

pytestmark = pytest.mark.integration


@pytest.fixture
def neo4j(stack: Any) -> Iterator[tuple[Neo4jGraph, Any]]:
    settings = Neo4jSettings(uri=stack.neo4j, user=stack.neo4j_auth[0], password=stack.neo4j_auth[1])
    driver = connect(settings)
    graph = Neo4jGraph(driver, settings, f"test-{uuid.uuid4().hex[:12]}")
    graph.prepare()
    yield graph, driver
    graph.clear()
    driver.execute_query("MATCH (g:LineageGraph {name: $name}) DELETE g", name=graph.name)
    driver.execute_query("MATCH (t:LineageTurn {graph: $name}) DELETE t", name=graph.name)
    driver.close()


def job(at: int, second: int = 0) -> dict[str, Any]:
    facet = columns(
        {f"f{n}": [("a", f"s{n}", MASKING if n % 2 else IDENTITY), (f"b{at}", "k")] for n in range(5)},
        [("a", "id", JOIN)],
    )
    inputs, outputs = ["a", f"b{at}"], [dataset(f"x{at}", columnLineage=facet)]
    return run(at + second, inputs, outputs, job=f"j{at}", run_id=f"r{at}.{second}")


_AS_BEFORE = """
MATCH (a:Dataset {graph: $graph})-[e:COLUMNS]->(b:Dataset) WITH a, e, b
UNWIND $edges AS r WITH a, e, b, r WHERE r.bundle = e.id
MERGE (s:Column {key: r.source}) ON CREATE SET s.field = r.sf, s.dataset = a.key, s.namespace = a.namespace, s.name = a.name
FOREACH (_ IN CASE WHEN r.tf = '' THEN [] ELSE [1] END |
  MERGE (t:Column {key: r.target}) ON CREATE SET t.field = r.tf, t.dataset = b.key, t.namespace = b.namespace, t.name = b.name
  CREATE (s)-[:DERIVES {id: r.id, vf: r.vf, vt: r.vt, seen: r.seen, job: e.owner, raw: r.raw}]->(t))
FOREACH (_ IN CASE WHEN r.tf = '' THEN [1] ELSE [] END |
  CREATE (s)-[:INFLUENCES {id: r.id, vf: r.vf, vt: r.vt, seen: r.seen, job: e.owner}]->(b))
"""


def test_a_graph_of_an_earlier_version_is_bundled_when_it_is_opened(neo4j: tuple[Neo4jGraph, Any]) -> None:
    from lineage.adapters.neo4j.bundles import unpack
    from lineage.adapters.neo4j.columns import _Met

    graph, driver = neo4j
    write(graph, *(job(at) for at in range(3)))
    label = graph._label()
    edges = []
    for row in driver.execute_query(
        "MATCH (a:Dataset {graph: $graph})-[e:COLUMNS]->(b) RETURN e.id AS id, e.owner AS owner, e.rows AS rows,"
        " [a.namespace, a.name, b.namespace, b.name] AS ends",
        graph=label,
    ).records:
        rows = unpack(bytes(row["rows"]))
        sns, sn, tns, tn = row["ends"]
        met = _Met(row["owner"], sns, sn, tns, tn, row["rows"])
        for kind in (Kind.DERIVES, Kind.INFLUENCES):
            for edge in met.edges(kind, None, True, lambda _: True):
                _, sf, tf = rows[edge.id]
                edges.append(
                    {
                        "bundle": row["id"],
                        "id": f"{label}|{edge.id}",
                        "source": f"{label}|{edge.source}",
                        "target": f"{label}|{edge.target}",
                        "sf": sf,
                        "tf": tf,
                        "vf": edge.vf,
                        "vt": edge.vt,
                        "seen": edge.seen,
                        "raw": None if edge.raw else False,
                    }
                )
    before = _all(graph)
    driver.execute_query(_AS_BEFORE, graph=label, edges=edges)
    driver.execute_query("MATCH (:Dataset {graph: $graph})-[e:COLUMNS]->() DELETE e", graph=label)
    assert _all(graph) != before
    graph.prepare()
    assert _all(graph) == before and graph.counts().edges["derives"] == 30 and graph.counts().columns == 24
    left = driver.execute_query(
        "MATCH (c:Column) WHERE c.dataset STARTS WITH $p RETURN count(c) AS n", p=f"{label}|"
    ).records
    assert left[0]["n"] == 0
    graph.prepare()
    assert _all(graph) == before
    write(graph, job(1, 100_000))  # a later run sets the edges that are there
    alone = MemoryGraph()
    write(alone, *(job(at) for at in range(3)), job(1, 100_000))
    assert graph.counts() == alone.counts() and _all(graph) == _all(alone)


def _all(graph: Any) -> list[Any]:
    starts = [node("a", f"value.{name}") for name in ("s0", "s1", "s2", "s3", "s4", "id")]
    starts += [node(f"b{at}", "value.k") for at in range(3)]
    edges = [
        e for kind in (Kind.DERIVES, Kind.INFLUENCES) for e in graph.edges_at(starts, kind, Direction.DOWNSTREAM, NOW)
    ]
    return sorted(edges, key=lambda edge: edge.id)


def test_a_writer_does_not_wait_for_another_at_work_on_other_datasets(neo4j: tuple[Neo4jGraph, Any]) -> None:
    graph, driver = neo4j
    other = Neo4jGraph(driver, graph._settings, graph.name)
    graph._turn, other._turn = f"{graph.name}/0", f"{graph.name}/1"
    with driver.session() as session, session.begin_transaction() as tx:
        tx.run("MATCH (t:LineageTurn {name: $turn}) SET t.writes = t.writes + 1", turn=graph._turn).consume()
        done = threading.Event()

        def write_other() -> None:
            write(other, job(0))
            done.set()

        thread = threading.Thread(target=write_other)
        thread.start()
        assert done.wait(20)
        switch = threading.Thread(target=lambda: other.activate(other.fresh()))
        switch.start()  # while a switch waits for all of them
        switch.join(1)
        assert switch.is_alive()
        tx.commit()
    switch.join(30)
    thread.join(5)
    assert not switch.is_alive()


def until_taken(writer: GraphWriter, event: Any) -> None:
    """As the worker does: a write that another one blocked is tried again."""
    while True:
        try:
            writer.write([event])
            return
        except Unavailable:
            time.sleep(0.05)


def test_two_workers_at_once_make_the_graph_that_one_makes(neo4j: tuple[Neo4jGraph, Any]) -> None:
    graph, driver = neo4j
    events = [parse(job(at % 6, at)) for at in range(36)]

    def work(part: int) -> None:
        writer = GraphWriter(Neo4jGraph(driver, graph._settings, graph.name))
        for at in range(part, len(events), 2):
            until_taken(writer, events[at])

    threads = [threading.Thread(target=work, args=(part,)) for part in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    alone = MemoryGraph()
    GraphWriter(alone).write(events)
    assert graph.counts() == alone.counts() and _all(graph) == _all(alone)


@pytest.mark.tail
def test_a_graph_that_is_away_is_not_waited_for_and_one_that_answers_is_warm(neo4j: tuple[Neo4jGraph, Any]) -> None:
    graph, _ = neo4j
    write(graph, job(0))
    warm(Lineage(graph), graph, 60)
    assert Lineage(graph).impact(node("a"), 20).affected
    away = Neo4jGraph(connect(Neo4jSettings(uri="bolt://127.0.0.1:1")), Neo4jSettings(uri="bolt://127.0.0.1:1"))
    began = time.monotonic()
    warm(Lineage(away), away, 2)
    assert time.monotonic() - began < 10
