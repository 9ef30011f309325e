"""Transactions of the writer: smaller where the store cannot take them, and none for what is known."""

from __future__ import annotations

import pytest

from catalog.errors import Unavailable
from lineage.fold.writer import GraphWriter
from lineage.graph_delta import GraphDelta
from lineage.ingest.parse import parse
from lineage.ports import TooMuch
from lineage.settings import LineageSettings
from tests.lineage_samples import IDENTITY, columns, dataset, run, write
from tests.twins.lineage import MemoryGraph


def test_a_store_short_of_memory_gets_smaller_transactions() -> None:
    graph = MemoryGraph()
    write_one, weights = graph.write, []

    def small(delta: GraphDelta) -> None:
        weights.append(delta.weight)
        if delta.weight > 900:
            raise TooMuch("memory")
        write_one(delta)

    graph.write = small  # type: ignore[method-assign]
    facet = columns({f"c{at}": [("a", f"c{at}", IDENTITY)] for at in range(3000)})
    write(graph, run(0, ["a"], [dataset("x", columnLineage=facet)]), run(1, ["b"], ["y"], job="j2", run_id="r2"))
    assert max(weights) > 900
    counts = graph.counts()
    assert (counts.edges["derives"], counts.columns, counts.edges["feeds"]) == (3000, 6000, 2)


def test_transactions_grow_again_once_the_store_has_recovered() -> None:
    graph = MemoryGraph()
    write_one, busy = graph.write, [True]

    def slow(delta: GraphDelta) -> None:
        if busy[0] and delta.weight > 900:
            raise TooMuch("time")
        write_one(delta)

    graph.write = slow  # type: ignore[method-assign]
    writer = GraphWriter(graph)
    facet = columns({f"c{at}": [("a", f"c{at}", IDENTITY)] for at in range(3000)})
    writer.write([parse(run(0, ["a"], [dataset("x", columnLineage=facet)]))])
    halved = writer._rows
    assert halved < LineageSettings().transaction_rows
    busy[0] = False
    for at in range(400):
        writer.write([parse(run(at, ["b"], ["y"], job="j2", run_id=f"r{at}"))])
    assert writer._rows == LineageSettings().transaction_rows


def test_a_write_that_neo4j_ends_for_its_time_is_tried_in_smaller_parts() -> None:
    from neo4j.exceptions import Neo4jError

    from lineage.adapters.neo4j.graph import Neo4jGraph
    from lineage.adapters.neo4j.server import connect
    from lineage.settings import Neo4jSettings

    settings = Neo4jSettings()
    graph = Neo4jGraph(connect(settings), settings)
    code = "Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration"
    error = Neo4jError._hydrate_neo4j(code=code, message="The transaction has been terminated.")
    with pytest.raises(TooMuch), graph._server.errors(writes=True):
        raise error
    with pytest.raises(Unavailable), graph._server.errors():
        raise error
    graph._driver.close()


def test_repeats_of_running_write_nothing() -> None:
    graph = MemoryGraph()
    writer = GraphWriter(graph)
    writes = []
    original = graph.write
    graph.write = lambda delta: (writes.append(delta), original(delta))[1]  # type: ignore[method-assign,func-returns-value]
    for second in range(0, 59):
        event = run(second, ["a"], ["x"], kind="RUNNING" if second else "START", processing="STREAMING")
        writer.write([parse(event)])
    assert len(writes) <= 2
