"""Ingest and worker on memory twins: nothing lost, nothing skipped, what is not an event is buried with its reason."""

from __future__ import annotations

import gc
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from api.features.lineage.answers.events import batch_result_of
from catalog.errors import InvalidInput, Unavailable
from lineage.fold.writer import GraphWriter
from lineage.graph_delta import GraphDelta
from lineage.ingest.service import Ingest
from lineage.ports import Record, WriteRefused
from lineage.settings import LineageSettings
from lineage.worker.consume import LineageWorker
from lineage.worker.rebuild import rebuild
from tests.lineage_samples import content, flows, node, real_events, real_rows, run
from tests.lineage_worker import memory_worker
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.waiting import until


def test_an_event_goes_all_the_way() -> None:
    log, dead, graph, _, worker = memory_worker()
    Ingest(log).post(run(0, ["a"], ["b"]))
    assert worker.lag() == 1
    assert worker.step() == 1
    assert (flows(graph), worker.lag(), dead.records) == ({("a", "b")}, 0, [])


def test_a_batch_answers_for_each() -> None:
    log = MemoryEventLog()
    answer = batch_result_of(Ingest(log).post_batch([run(0), {}, run(1), 5]))
    result = answer.model_dump(mode="json")
    assert result["status"] == "partial_success"
    assert result["summary"] == {"received": 4, "successful": 2, "failed": 2, "retriable": 0, "non_retriable": 2}
    assert [(item["index"], item["retriable"]) for item in result["failed_events"]] == [(1, False), (3, False)]
    assert len(log.records) == 2
    assert Ingest(log).post_batch([]).status == "success"
    assert Ingest(log).post_batch([{}]).status == "failure"
    with pytest.raises(InvalidInput):
        Ingest(log).post_batch({"events": []})


def test_what_is_too_large_or_too_deep_is_refused() -> None:
    ingest = Ingest(MemoryEventLog(), LineageSettings(max_event_bytes=2000))
    with pytest.raises(InvalidInput, match="at most 2000"):
        ingest.post(run(0, job_facets={"x": {"y": "z" * 3000}}))
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(InvalidInput, match="too deeply"):
        ingest.post(run(0, job_facets={"x": deep}))
    with pytest.raises(InvalidInput, match="Unicode"):
        ingest.post(run(0, job_facets={"x": {"y": "\ud800"}}))


def test_ingest_says_when_the_log_does_not_answer() -> None:
    log = MemoryEventLog()
    log.fail_with = Unavailable("Kafka at x did not answer.", details={"server": "kafka"})
    with pytest.raises(Unavailable):
        Ingest(log).post(run(0))
    with pytest.raises(Unavailable):
        Ingest(log).post_batch([run(0)])


@pytest.mark.parametrize("junk", [b"", b"{", b"[]", b'{"job": {"namespace": "n"}}', b"\xff", b"null"])
def test_a_message_that_is_no_event_is_buried_and_the_rest_goes_on(junk: bytes) -> None:
    log, dead, graph, _, worker = memory_worker()
    log.append("before", json.dumps(run(0, ["a"], ["b"])).encode())
    log.append("junk", junk)
    log.append("after", json.dumps(run(1, ["b"], ["c"], job="j2", run_id="r2")).encode())
    assert worker.step() == 3
    assert flows(graph) == {("a", "b"), ("b", "c")}
    (buried,) = dead.records
    headers = dict(buried.headers)
    assert buried.key == b"junk" and headers["weir.offset"] == b"1" and headers["weir.error"]
    assert (worker.lag(), worker.state.folded, worker.state.dead) == (0, 2, 1)


def test_tombstones_are_skipped_and_counted() -> None:
    log, dead, graph, source, worker = memory_worker()
    log.append("before", json.dumps(run(0, ["a"], ["b"])).encode())
    log.append("gone", None)
    worker.step()
    assert (dead.records, worker.state.dead, worker.state.tombstones, worker.state.folded) == ([], 0, 1, 1)
    assert source.lag() == 0 and flows(graph) == {("a", "b")}
    done = rebuild(log, graph)
    assert (done.folded, done.skipped, done.tombstones) == (1, 0, 1)


def test_buried_messages_hold_no_secret() -> None:
    log, dead, _, _, worker = memory_worker()
    log.append("k", b'{"run": {"facets": {"x": {"password": "hunter2xyz"}}}}')
    log.append("k", b"not json password=hunter2xyz")
    worker.step()
    assert len(dead.records) == 2
    assert not any(b"hunter2xyz" in (record.value or b"") for record in dead.records)


def test_events_written_to_the_topic_by_others_are_redacted_too() -> None:
    log, _, graph, _, worker = memory_worker()
    event = run(0, ["a"], ["b"], job_facets={"documentation": {"description": "use password=hunter2xyz"}})
    log.append("k", json.dumps(event).encode())
    worker.step()
    assert "hunter2xyz" not in str(content(graph)) and "[redacted]" in str(content(graph))


def test_the_worker_waits_for_the_graph_and_loses_nothing() -> None:
    log, _, graph, source, worker = memory_worker()
    graph.fail_with = Unavailable("Neo4j does not answer.", details={"server": "neo4j"})
    stop = threading.Event()
    thread = threading.Thread(target=worker.run, args=(stop,))
    thread.start()
    ingest = Ingest(log)
    for at in range(100):
        ingest.post(run(at, [f"a{at}"], [f"b{at}"], job=f"j{at}", run_id=f"r{at}"))
    _until(lambda: worker.state.waiting_for == "neo4j")
    assert source.committed == 0
    graph.fail_with = None
    _until(lambda: worker.lag() == 0)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    assert (len(flows(graph)), worker.state.folded, worker.state.waiting_for) == (100, 100, None)


def test_a_worker_that_waits_can_be_stopped() -> None:
    _, _, graph, source, worker = memory_worker()
    graph.fail_with = Unavailable("Neo4j does not answer.", details={"server": "neo4j"})
    stop = threading.Event()
    thread = threading.Thread(target=worker.run, args=(stop,))
    thread.start()
    _until(lambda: worker.state.waiting_for is not None)
    stop.set()
    thread.join(10)
    assert not thread.is_alive()
    assert source.committed == 0


def test_offsets_are_committed_after_the_graph() -> None:
    log, _, graph, source, worker = memory_worker()
    Ingest(log).post(run(0, ["a"], ["b"]))
    order: list[str] = []
    write, commit = graph.write, source.commit

    def written(delta: GraphDelta) -> None:
        order.append("graph")
        write(delta)

    def committed(records: Sequence[Record]) -> None:
        order.append("commit")
        commit(records)

    graph.write, source.commit = written, committed
    worker.step()
    assert order == ["graph", "commit"]


def test_the_next_batch_is_read_while_one_is_written_and_is_not_committed_before_it_is_written_too() -> None:
    log, dead, graph, source, worker = memory_worker(LineageSettings(batch_events=1))
    for at in range(3):
        Ingest(log).post(run(at, [f"a{at}"], ["x"], job=f"j{at}", run_id=f"r{at}"))
    write, poll, ahead = graph.write, source.poll, threading.Event()

    def poll_and_tell(*limits: Any) -> Any:
        records = poll(*limits)
        if source.position == 2:
            ahead.set()
        return records

    def write_when_the_next_is_read(delta: GraphDelta) -> None:
        assert ahead.wait(20), "nothing was read while this was written"
        write(delta)

    source.poll, graph.write = poll_and_tell, write_when_the_next_is_read
    assert worker.step() == 1
    assert (flows(graph), source.position, worker.lag()) == ({("a0", "x")}, 2, 2)
    again = LineageWorker(MemoryEventSource(log), graph, dead)  # as if killed with one batch in its hands
    while again.step():
        pass
    assert flows(graph) == {("a0", "x"), ("a1", "x"), ("a2", "x")}
    while worker.step():
        pass
    assert (worker.lag(), worker.state.folded, len(flows(graph))) == (0, 3, 3)


def test_one_event_the_graph_refuses_does_not_hold_up_the_others() -> None:
    log, dead, graph, _, worker = memory_worker()
    write = graph.write

    def picky(delta: GraphDelta) -> None:
        if node("poison") in delta.datasets:
            raise WriteRefused("too large")
        write(delta)

    graph.write = picky
    for at in range(9):
        Ingest(log).post(run(at, [f"a{at}" if at != 4 else "poison"], ["x"], job=f"j{at}", run_id=f"r{at}"))
    worker.step()
    assert len(flows(graph)) == 8
    assert [dict(record.headers)["weir.error"] for record in dead.records] == [
        b"the graph cannot hold it (WriteRefused)"
    ]
    assert worker.lag() == 0


def test_a_crash_between_graph_and_commit_doubles_nothing(shared_data: Path) -> None:
    log, dead, graph, source, worker = memory_worker(LineageSettings(batch_events=20))
    Ingest(log).post_batch([row["event"] for row in real_rows(shared_data) if row["valid"]])
    source.commit = lambda records: None  # as if killed each time
    while worker.step():
        pass
    again = LineageWorker(MemoryEventSource(log), graph, dead)
    while again.step():
        pass
    alone = MemoryGraph()
    GraphWriter(alone).write(real_events(shared_data))
    assert content(graph) == content(alone)


def test_cycles_are_collected_while_the_worker_waits() -> None:
    log, _, graph, _, worker = memory_worker()
    Ingest(log).post(run(0, ["a"], ["b"]))
    graph.fail_with = Unavailable("Neo4j does not answer.", details={"server": "neo4j"})
    collecting: list[bool] = []

    class Stop(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            collecting.append(gc.isenabled())
            graph.fail_with = None
            return False

    worker.step(Stop())
    assert collecting == [True] and flows(graph) == {("a", "b")}


def _until(condition: Any, seconds: float = 10.0) -> None:
    until(condition, seconds=seconds, every=0.01)


def test_batches_grow_with_what_is_behind_and_are_small_again_after() -> None:
    log, graph = MemoryEventLog(), MemoryGraph()
    ingest = Ingest(log)
    worker = LineageWorker(MemoryEventSource(log), graph, MemoryEventLog(), LineageSettings(batch_events=100))

    def batches(events: int) -> list[int]:
        for at in range(events):
            ingest.post(run(at, ["a"], [f"b{at}"]))
        return list(iter(lambda: worker.step(timeout=0), 0))

    assert batches(300) == [40, 80, 100, 80]
    assert batches(30) == [30]
    assert batches(50) == [40, 10]


def test_names_that_cannot_be_mended_hold_up_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    log, graph = MemoryEventLog(), MemoryGraph()
    worker = LineageWorker(MemoryEventSource(log), graph, MemoryEventLog())

    def refuse() -> int:
        raise WriteRefused("no")

    monkeypatch.setattr(worker._writer, "realign", refuse)
    assert worker.tidy() == 0
    Ingest(log).post(run(0, ["a"], ["b"]))
    assert worker.step(timeout=0) == 1 and worker.tidy() == 0
