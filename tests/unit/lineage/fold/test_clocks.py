"""Clocks of producers that are ahead: what is dated in the future counts from its arrival."""

from __future__ import annotations

from typing import Any

import pytest

from lineage.ingest.service import Ingest
from lineage.questions.queries import Lineage
from lineage.worker.rebuild import rebuild
from tests.lineage_answers import as_json
from tests.lineage_samples import T0, content, dataset, node, run
from tests.lineage_samples import at as moment
from tests.lineage_worker import memory_worker
from tests.twins.lineage import MemoryEventLog


def sent(log: MemoryEventLog, seconds: float, claimed: str | None = None, **more: Any) -> None:
    """An event that arrives so many seconds into 2026, dated then or as claimed."""
    log.clock = lambda: T0 + int(seconds * 1000)
    event = run(seconds, ["a"], ["b"], **more)
    Ingest(log).post(event | {"eventTime": claimed} if claimed else event)


@pytest.mark.parametrize("kind", ["START", "RUNNING", "COMPLETE", "FAIL", None])
def test_an_event_from_the_future_counts_from_its_arrival_and_is_flagged(kind: str | None) -> None:
    log, _, graph, _, worker = memory_worker()
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
    log, _, graph, _, worker = memory_worker()
    sent(log, 0, moment(299))
    worker.step()
    job = as_json(Lineage(graph).job("job:jobs:etl"))
    assert job["lastSeen"] == moment(299) and "clockAhead" not in job


@pytest.mark.parametrize("declared", ["dataset", "job"])
def test_declarations_from_the_future_do_not_win_for_ever(declared: str) -> None:
    log, _, graph, _, worker = memory_worker()
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
    log, _, graph, _, worker = memory_worker()
    for seconds in range(0, 200, 20):
        sent(log, seconds, "9999-12-31T23:59:59Z" if seconds % 40 else None, kind="RUNNING", run_id=f"r{seconds % 60}")
    while worker.step():
        pass
    before = content(graph)
    log.clock = lambda: T0 + 10**9
    rebuild(log, graph)
    assert content(graph) == before


def test_repeats_dated_in_the_future_are_not_taken_for_what_was_folded() -> None:
    log, _, graph, _, worker = memory_worker()
    for seconds in (0, 7200):
        sent(log, seconds, "9999-12-31T23:59:59Z", kind="RUNNING")
        worker.step()
    assert as_json(Lineage(graph).job("job:jobs:etl"))["lastSeen"] == moment(7200)
