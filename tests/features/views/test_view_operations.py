"""Operating views: what is shown of them to whom, their figures for Prometheus, and deleting them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from api.features.views.reading import Readable
from api.features.views.rows import ViewRows
from api.joins.views.seen import SeenStates
from policies.model import Subject
from tests.served_view import ServedView, served_view
from tests.twins.views import MemoryViewStates
from views.model import State

NOW = datetime(2026, 11, 23, 10, tzinfo=UTC)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedView]:
    with served_view(tmp_path) as view:
        yield view


FIGURES = {
    "lag": {"records": 12, "seconds": 3.5, "at": "2026-11-23T10:00:01Z"},
    "rates": {"batchSeconds": 0.4, "recordsInPerSecond": 20.0},
    "counts": {
        "recordsIn": 1000,
        "rowsWritten": 30,
        "rowsDeleted": 2,
        "batches": 7,
        "unfitValues": 4,
        "stateBytes": 4096,
    },
    "history": [
        {
            "at": "2026-11-23T10:00:00Z",
            "records": 12,
            "seconds": 3.5,
            "recordsInPerSecond": 20.0,
            "rowsOutPerSecond": 3.0,
            "batchSeconds": 0.4,
        }
    ],
    "restarts": 3,
}


def test_prometheus_gets_the_figures_of_every_view(served: ServedView) -> None:
    served.serve(served.generation(2), **FIGURES)
    text = served.world.anonymous().get("/metrics").text
    for line in (
        'weir_view_state{state="running",view="spend"} 1.0',
        'weir_view_state{state="failed",view="spend"} 0.0',
        'weir_view_lag_records{view="spend"} 12.0',
        'weir_view_lag_seconds{view="spend"} 3.5',
        'weir_view_records_in_total{view="spend"} 1000.0',
        'weir_view_rows_written_total{view="spend"} 30.0',
        'weir_view_batch_seconds{view="spend"} 0.4',
        'weir_view_state_bytes{view="spend"} 4096.0',
        'weir_view_restarts_total{view="spend"} 3.0',
        'weir_view_unfit_values_total{view="spend"} 4.0',
        'weir_view_generation{view="spend"} 2.0',
    ):
        assert line in text.splitlines(), line
    assert "weir_view_late_records_total{" not in text, "a figure that is not known is not zero"
    served.world.admin.delete("/api/v1/declared/View/spend")
    assert 'view="spend"' not in served.world.anonymous().get("/metrics").text


def test_figures_are_for_readers_and_managers(served: ServedView) -> None:
    served.serve(served.generation(), **FIGURES)
    shown = served.world.user("ana").get("/api/v1/views/spend").json()
    assert shown["lag"]["records"] == 12 and len(shown["history"]) == 1 and shown["rates"]["batchSeconds"] == 0.4
    hidden = served.world.user("otto").get("/api/v1/views/spend").json()
    assert hidden["lag"]["records"] is None and hidden["history"] == [] and hidden["counts"] == {}


def test_what_goes_with_a_view_and_who_reads_it(served: ServedView) -> None:
    world = served.world
    assert world.admin.get("/api/v1/views/spend/removal").json()["text"].endswith("Nobody is known to read it.")
    served.serve(served.generation(), **FIGURES)
    served.write({"a@x.org": 1, "b@x.org": 2})
    ana = world.user("ana")
    assert ana.get("/api/v1/views/spend/rows").status_code == 200
    world.apply(
        "apiVersion: weir/v1\nkind: View\nmetadata: {name: over}\nspec: {sql: SELECT email FROM prod.spend, runAs: {user: ana}}"
    )
    assert ana.get("/api/v1/views/spend/removal").status_code == 403
    with served.follow("ana") as reader:
        reader.until(lambda events: len(events) > 0)
        answer = world.admin.get("/api/v1/views/spend/removal").json()
    assert (answer["rows"], answer["stateBytes"], answer["generations"]) == (2, 4096, [1])
    assert answer["topic"] == {"cluster": "prod", "topic": "_weir.views.1", "kept": False}
    assert [each["user"] for each in answer["readers"]] == ["ana"] and answer["views"] == ["over"]
    assert answer["text"].startswith(
        "With spend go 2 rows, its state and its private topic prod/_weir.views.1. It is read by 1 user in "
    )


def test_a_rebuild_from_a_time_is_a_wish_of_the_runner(served: ServedView) -> None:
    served.serve(served.generation())
    admin = served.world.admin
    assert admin.post("/api/v1/views/spend/rebuild?from=yesterday").status_code == 400
    assert served.world.user("ana").post("/api/v1/views/spend/rebuild").status_code == 403
    assert admin.post("/api/v1/views/spend/rebuild?from=2026-11-20T10:00:00Z").status_code == 200
    assert served.states.wish("spend") == {"rebuild": 1, "from": "2026-11-20T10:00:00Z", "paused": False}
    assert admin.post("/api/v1/views/spend/rebuild").status_code == 200
    assert served.states.wish("spend")["from"] is None


def test_only_who_manages_may_operate(served: ServedView) -> None:
    assert served.world.admin.get("/api/v1/views/spend").json()["may"] == {"operate": True}
    assert served.world.user("ana").get("/api/v1/views").json()["views"][0]["may"] == {"operate": False}


def test_a_state_is_not_known_while_the_runner_is_silent(served: ServedView) -> None:
    """By every door; a view that somebody paused is paused all the same."""
    served.serve(served.generation(), **FIGURES)
    served.write({"a": 1})
    last = datetime(2026, 11, 23, 10, tzinfo=UTC)
    served.states.beat(last)
    ana = served.world.user("ana")
    shown = ana.get("/api/v1/views/spend").json()
    assert (shown["state"], shown["since"]) == ("unknown", "2026-11-23T10:00:00Z")
    assert "does not answer since 2026-11-23T10:00:00Z" in shown["error"]["message"]
    assert shown["lag"]["records"] is None and shown["rates"] == {}
    assert [each["state"] for each in ana.get("/api/v1/views").json()["views"]] == ["unknown"]
    read = ana.get("/api/v1/views/spend/rows").json()
    assert read["rows"] and read["freshness"]["records"] is None and read["freshness"]["seconds"] is None
    metrics = served.world.anonymous().get("/metrics").text.splitlines()
    assert 'weir_view_state{state="unknown",view="spend"} 1.0' in metrics
    assert not [line for line in metrics if line.startswith("weir_view_lag_records{")]
    assert served.world.admin.post("/api/v1/query", json={"sql": "SHOW VIEWS"}).json()["rows"][0][1] == "unknown"
    served.serve(served.state.active, state=State.PAUSED)
    assert ana.get("/api/v1/views/spend").json()["state"] == "paused"


def test_a_view_that_a_runner_comes_to(served: ServedView) -> None:
    admin = served.world.admin

    def states() -> set[str]:
        listed = {each["name"]: each["state"] for each in admin.get("/api/v1/views").json()["views"]}
        sql = admin.post("/api/v1/query", json={"sql": "SHOW VIEWS"}).json()["rows"]
        return {listed["spend"], admin.get("/api/v1/views/spend").json()["state"], *(row[1] for row in sql)}

    assert states() == {"starting"}  # a runner is at work


@pytest.mark.parametrize("beaten", [None, NOW - timedelta(hours=1)])
def test_a_view_that_is_declared_while_no_runner_answers(beaten: datetime | None) -> None:
    """`starting` as long as a runner may be on its way, then `unknown`."""
    states = MemoryViewStates()
    if beaten is not None:
        states.beat(beaten)
    silent = timedelta(seconds=20)
    assert SeenStates(states, silent, lambda: {"spend": NOW}, lambda: NOW + silent / 2).get("spend").state == "starting"
    seen = SeenStates(states, silent, lambda: {"spend": NOW}, lambda: NOW + silent)
    for shown in (seen.get("spend"), seen.all()["spend"]):
        assert shown.state == "unknown" and shown.error is not None
        assert "does not answer" in shown.error["message"] and "its rows are" not in shown.error["message"]
    assert seen.get("dropped").state == "starting"


@pytest.mark.parametrize("change", ["revoked", "masked"])
def test_a_right_that_ends_while_a_reader_waits_for_offsets(served: ServedView, change: str) -> None:
    served.serve(served.generation())
    served.write({"a@example.org": 1})
    active, ana = served.state.active, served.world.user("ana")
    assert active is not None
    answers = []
    reading = served.world.services[ViewRows]._reading
    waits = threading.Event()
    was = reading.lately

    def lately(subject: Subject, name: str, purpose: str | None) -> Readable:
        opened = was(subject, name, purpose)
        waits.set()
        return opened

    reading.lately = lately  # type: ignore[method-assign]
    reader = threading.Thread(
        target=lambda: answers.append(ana.get("/api/v1/views/spend/rows", params={"atLeast": "0:7"}))
    )
    reader.start()
    assert waits.wait(10)
    served.world.apply(REVOKED if change == "revoked" else MASKED)
    served.serving.contain("spend", active.id, {"orders": {0: 7}}, datetime.now(UTC))
    reader.join(20)
    (answer,) = answers
    if change == "revoked":
        assert answer.status_code == 403, answer.text
    else:
        assert answer.status_code == 200 and "a@example.org" not in answer.text, answer.text


REVOKED = "apiVersion: weir/v1\nkind: User\nmetadata: {name: ana}\nspec: {roles: []}"
MASKED = """
apiVersion: weir/v1
kind: Policy
metadata: {name: no-mail}
spec: {type: mask, match: {fields: [{dataset: prod/spend, path: value.email}]}, mask: {type: MASK_NULL}}
"""
