"""Messages that repeat what is in the graph: which are left unread, and which never."""

from __future__ import annotations

import json
from collections import OrderedDict
from typing import Any

import pytest

from lineage.ingest.service import Ingest
from lineage.ports import Record
from lineage.settings import LineageSettings
from lineage.worker.consume import LineageWorker, read_event
from lineage.worker.duplicate_messages import Repeats
from tests.lineage_samples import content, flows, graph_of, run
from tests.lineage_worker import memory_worker
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph


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


def test_what_is_taken_back_and_said_again_within_a_minute_is_no_repeat() -> None:
    log, _, graph, _, worker = memory_worker()
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
