"""Ingest, worker and rebuild on memory twins: nothing lost, nothing skipped, what is not an event is buried with its reason."""

from __future__ import annotations

import gc
import json
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from api.features.lineage.answers.events import batch_result_of
from catalog.errors import InvalidInput, Unavailable
from lineage.fold.event_reading import Gathered
from lineage.fold.writer import GraphWriter
from lineage.graph_delta import GraphDelta
from lineage.ingest.events import RunEvent
from lineage.ingest.service import Ingest
from lineage.ports import Record, WriteRefused
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from lineage.worker.consume import LineageWorker, read_event
from lineage.worker.duplicate_messages import Repeats
from lineage.worker.rebuild import rebuild
from tests.lineage_answers import as_json
from tests.lineage_samples import T0, content, dataset, flows, graph_of, node, real_events, real_rows, run
from tests.lineage_samples import at as moment
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.waiting import until


def parts(settings: LineageSettings | None = None) -> Any:
    log, dead, graph = MemoryEventLog(), MemoryEventLog(), MemoryGraph()
    source = MemoryEventSource(log)
    return log, dead, graph, source, LineageWorker(source, graph, dead, settings)


def test_an_event_goes_all_the_way() -> None:
    log, dead, graph, _, worker = parts()
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
    log, dead, graph, _, worker = parts()
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
    log, dead, graph, source, worker = parts()
    log.append("before", json.dumps(run(0, ["a"], ["b"])).encode())
    log.append("gone", None)
    worker.step()
    assert (dead.records, worker.state.dead, worker.state.tombstones, worker.state.folded) == ([], 0, 1, 1)
    assert source.lag() == 0 and flows(graph) == {("a", "b")}
    done = rebuild(log, graph)
    assert (done.folded, done.skipped, done.tombstones) == (1, 0, 1)


def test_buried_messages_hold_no_secret() -> None:
    log, dead, _, _, worker = parts()
    log.append("k", b'{"run": {"facets": {"x": {"password": "hunter2xyz"}}}}')
    log.append("k", b"not json password=hunter2xyz")
    worker.step()
    assert len(dead.records) == 2
    assert not any(b"hunter2xyz" in (record.value or b"") for record in dead.records)


def test_events_written_to_the_topic_by_others_are_redacted_too() -> None:
    log, _, graph, _, worker = parts()
    event = run(0, ["a"], ["b"], job_facets={"documentation": {"description": "use password=hunter2xyz"}})
    log.append("k", json.dumps(event).encode())
    worker.step()
    assert "hunter2xyz" not in str(content(graph)) and "[redacted]" in str(content(graph))


def test_the_worker_waits_for_the_graph_and_loses_nothing() -> None:
    log, _, graph, source, worker = parts()
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
    _, _, graph, source, worker = parts()
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
    log, _, graph, source, worker = parts()
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
    log, dead, graph, source, worker = parts(LineageSettings(batch_events=1))
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
    log, dead, graph, _, worker = parts()
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
    log, dead, graph, source, worker = parts(LineageSettings(batch_events=20))
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


def test_rebuild_gives_the_same_graph_and_catches_what_arrives_meanwhile(shared_data: Path) -> None:
    log, _, graph, _, worker = parts()
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
    log, _, graph, _, _ = parts()
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


def test_cycles_are_collected_while_the_worker_waits() -> None:
    log, _, graph, _, worker = parts()
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


def test_a_rebuild_that_fails_leaves_the_old_graph() -> None:
    log, _, graph, _, worker = parts()
    Ingest(log).post(run(0, ["a"], ["b"]))
    worker.step()

    def broken(after: Any = None) -> Any:
        raise Unavailable("Kafka does not answer.")

    log.read = broken
    with pytest.raises(Unavailable):
        rebuild(log, graph)
    assert flows(graph) == {("a", "b")}


def _until(condition: Any, seconds: float = 10.0) -> None:
    until(condition, seconds=seconds, every=0.01)


@pytest.mark.parametrize("ahead", [True, False])
def test_a_storm_of_running_is_told_by_its_bytes_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, ahead: bool
) -> None:
    """Reports like one that is in the graph, within its minute, are not even read; the graph is as if they had been.

    Of each of the three minutes one batch is read (20, 9 and 9 messages of it), and the batch of 20 that is fetched
    while that one is folded may be.
    """
    from lineage.worker import consume

    storm = [run(5 + at * 0.5, ["a"], ["b"], kind="RUNNING", processing="STREAMING") for at in range(300)]
    read: list[Any] = []

    def noted(record: Any, *more: Any) -> Any:
        read.append(record)
        return read_event(record, *more)

    monkeypatch.setattr(consume, "read_event", noted)
    log, graph = MemoryEventLog(), MemoryGraph()
    ingest = Ingest(log)
    source = MemoryEventSource(log)
    worker = LineageWorker(source, graph, MemoryEventLog(), LineageSettings(batch_events=20))
    if not ahead:
        monkeypatch.setattr(worker, "_read_ahead", lambda: None)
    for event in [run(0, ["a"], ["b"], kind="START", processing="STREAMING"), *storm]:
        ingest.post(event)
    while worker.step(timeout=0):
        pass
    assert 38 <= len(read) <= 38 + (3 * 20 if ahead else 0)
    assert worker.state.folded == 301
    assert content(graph) == content(graph_of(run(0, ["a"], ["b"], kind="START", processing="STREAMING"), *storm))
    for event in (
        run(400, ["a"], ["b"], kind="RUNNING", processing="STREAMING"),
        run(160, ["a", "c"], ["b"], kind="RUNNING"),
    ):
        ingest.post(event)
    before = len(read)
    while worker.step(timeout=0):
        pass
    assert len(read) == before + 2  # a later minute, and other words, are read


def test_a_message_is_known_at_every_moment_while_another_thread_notes_its_repeats(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def message(seconds: float) -> Record:
        return Record(0, 0, b"", json.dumps(run(seconds, ["a"], ["b"], kind="RUNNING")).encode())

    repeats, seen = Repeats(), []
    repeats.folded([(message(0), read_event(message(0)))])

    class Watched(OrderedDict[Any, Any]):
        def pop(self, *arguments: Any) -> Any:
            value = super().pop(*arguments)
            seen.append(repeats.known(message(5)))
            return value

        def __setitem__(self, *arguments: Any) -> None:
            seen.append(repeats.known(message(5)))
            super().__setitem__(*arguments)

    monkeypatch.setattr(repeats, "_folded", Watched(repeats._folded))
    seen.clear()
    repeats.folded([(message(10), read_event(message(10)))])
    assert seen and all(seen)


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


def test_what_is_taken_back_and_said_again_within_a_minute_is_no_repeat() -> None:
    log, _, graph, _, worker = parts()
    for at, source in enumerate("aba"):
        event = run(at * 5, [source], ["x"], kind="RUNNING", processing="STREAMING", snapshot=True)
        Ingest(log).post(event)
        worker.step()
    assert flows(graph) == {("a", "x")}


@pytest.mark.parametrize("kind", ["START", "COMPLETE", "FAIL"])
def test_moments_that_count_are_always_read(kind: str) -> None:
    log, graph = MemoryEventLog(), MemoryGraph()
    worker = LineageWorker(MemoryEventSource(log), graph, MemoryEventLog())
    events = [run(at, ["a"], ["b"], kind=kind) for at in (30, 10, 20, 40)]
    for event in events:
        Ingest(log).post(event)
        worker.step(timeout=0)
    assert content(graph) == content(graph_of(*events))


def test_names_that_cannot_be_mended_hold_up_no_event(monkeypatch: pytest.MonkeyPatch) -> None:
    log, graph = MemoryEventLog(), MemoryGraph()
    worker = LineageWorker(MemoryEventSource(log), graph, MemoryEventLog())

    def refuse() -> int:
        raise WriteRefused("no")

    monkeypatch.setattr(worker._writer, "realign", refuse)
    assert worker.tidy() == 0
    Ingest(log).post(run(0, ["a"], ["b"]))
    assert worker.step(timeout=0) == 1 and worker.tidy() == 0


# --- clocks ----------------------------------------------------------------------------------------------------------


def sent(log: MemoryEventLog, seconds: float, claimed: str | None = None, **more: Any) -> None:
    """An event that arrives so many seconds into 2026, dated then or as claimed."""
    log.clock = lambda: T0 + int(seconds * 1000)
    event = run(seconds, ["a"], ["b"], **more)
    Ingest(log).post(event | {"eventTime": claimed} if claimed else event)


@pytest.mark.parametrize("kind", ["START", "RUNNING", "COMPLETE", "FAIL", None])
def test_an_event_from_the_future_counts_from_its_arrival_and_is_flagged(kind: str | None) -> None:
    log, _, graph, _, worker = parts()
    owner = {"ownership": {"owners": [{"name": "team:old"}]}}
    sent(log, 0, "9999-12-31T23:59:59Z", kind=kind, job_facets=owner)
    sent(log, 100, run_id="r2", job_facets={"ownership": {"owners": [{"name": "team:new"}]}})
    while worker.step():
        pass
    job = as_json(Lineage(graph).job("job:jobs:etl"))
    assert job["state"] == "COMPLETE" and job["lastRun"] == "r2" and job["lastSeen"] == moment(100)
    assert [owner["name"] for owner in job["owners"]] == ["team:new"]
    assert job["clockAhead"] == {"claimed": "9999-12-31T23:59:59.000Z", "arrived": moment(0)}
    newest, oldest = job["runs"]
    assert newest["clockAhead"] is None and oldest["clockAhead"] == job["clockAhead"]
    assert all(edge.vf <= T0 + 100_000 and edge.seen <= T0 + 100_000 for edge in graph._store.edges.values())


def test_a_clock_a_little_ahead_is_believed() -> None:
    log, _, graph, _, worker = parts()
    sent(log, 0, moment(299))
    worker.step()
    job = as_json(Lineage(graph).job("job:jobs:etl"))
    assert job["lastSeen"] == moment(299) and "clockAhead" not in job


@pytest.mark.parametrize("declared", ["dataset", "job"])
def test_declarations_from_the_future_do_not_win_for_ever(declared: str) -> None:
    log, _, graph, _, worker = parts()
    for seconds, claimed, name in ((0, "9999-01-01", "old"), (100, moment(100), "new")):
        log.clock = lambda seconds=seconds: T0 + seconds * 1000
        facets: dict[str, Any] = {"ownership": {"owners": [{"name": name}]}}
        event = run(0)
        del event["run"], event["eventType"]
        if declared == "dataset":
            del event["job"]
            event["dataset"] = dataset("a", **facets)
        else:
            event["job"]["facets"] = facets
        Ingest(log).post(event | {"eventTime": claimed})
    while worker.step():
        pass
    key = node("a") if declared == "dataset" else "job:jobs:etl"
    info = graph.nodes([key])[key].info
    assert [owner["name"] for owner in info["owners"]] == ["new"] and info["clockAhead"]["arrived"] == moment(0)


def test_a_rebuild_on_another_day_dates_events_as_the_worker_did() -> None:
    log, _, graph, _, worker = parts()
    for seconds in range(0, 200, 20):
        sent(log, seconds, "9999-12-31T23:59:59Z" if seconds % 40 else None, kind="RUNNING", run_id=f"r{seconds % 60}")
    while worker.step():
        pass
    before = content(graph)
    log.clock = lambda: T0 + 10**9
    rebuild(log, graph)
    assert content(graph) == before


def test_repeats_dated_in_the_future_are_not_taken_for_what_was_folded() -> None:
    log, _, graph, _, worker = parts()
    for seconds in (0, 7200):
        sent(log, seconds, "9999-12-31T23:59:59Z", kind="RUNNING")
        worker.step()
    assert as_json(Lineage(graph).job("job:jobs:etl"))["lastSeen"] == moment(7200)
