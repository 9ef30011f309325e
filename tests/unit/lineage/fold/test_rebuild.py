"""A graph built again from the log: the same graph, with what arrives meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from catalog.errors import Unavailable
from lineage.fold.event_reading import Gathered
from lineage.fold.writer import GraphWriter
from lineage.ingest.events import RunEvent
from lineage.ingest.service import Ingest
from lineage.worker.rebuild import rebuild
from tests.lineage_samples import content, flows, real_events, real_rows, run
from tests.lineage_worker import memory_worker


def test_rebuild_gives_the_same_graph_and_catches_what_arrives_meanwhile(shared_data: Path) -> None:
    log, _, graph, _, worker = memory_worker()
    Ingest(log).post_batch([row["event"] for row in real_rows(shared_data) if row["valid"]])
    log.append("junk", b"{}")
    while worker.step():
        pass
    expected = content(graph)
    late = run(0, ["a"], ["b"])
    activate = graph.activate

    def activate_late(built: Any) -> None:
        Ingest(log).post(late)  # accepted and folded by the worker into the old graph just before the switch
        worker.step()
        activate(built)

    graph.activate = activate_late
    graph._store.edges.clear()
    done = rebuild(log, graph)
    assert (done.folded, done.skipped) == (len(real_events(shared_data)) + 1, 1)
    assert ("a", "b") in flows(graph)
    assert {row[0] for row in expected["edges"]} < {row[0] for row in content(graph)["edges"]}


def test_a_rebuild_leaves_out_what_the_worker_would_bury(monkeypatch: pytest.MonkeyPatch) -> None:
    log, _, graph, _, _ = memory_worker()
    for at in range(3):
        Ingest(log).post(run(at, [f"a{at}"], ["x"], job=f"j{at}", run_id=f"r{at}"))
    write = GraphWriter.write_gathered

    def picky(writer: GraphWriter, gathered: Gathered) -> None:
        if any(
            isinstance(event, RunEvent) and event.job.id.name == "j1"
            for pairs in gathered.events.values()
            for event, _ in pairs
        ):
            raise ValueError("no reader for this")
        write(writer, gathered)

    monkeypatch.setattr(GraphWriter, "write_gathered", picky)
    done = rebuild(log, graph)
    assert (done.folded, done.skipped) == (2, 1) and flows(graph) == {("a0", "x"), ("a2", "x")}


def test_a_rebuild_that_fails_leaves_the_old_graph() -> None:
    log, _, graph, _, worker = memory_worker()
    Ingest(log).post(run(0, ["a"], ["b"]))
    worker.step()

    def broken(after: Any = None) -> Any:
        raise Unavailable("Kafka does not answer.")

    log.read = broken
    with pytest.raises(Unavailable):
        rebuild(log, graph)
    assert flows(graph) == {("a", "b")}
