"""What any record store promises of incidents and positions of checks; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from catalog import incident_store
from catalog.check_positions import CheckPosition
from catalog.incident_store import (
    Incident,
    IncidentCause,
    IncidentEntry,
    IncidentFilter,
    IncidentKey,
    IncidentState,
    RecordPlace,
    Resolution,
)
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from tests.catalog_stores import STORES, catalog_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORDERS = DatasetId("kafka://one:9092", "orders")
KEY = IncidentKey(ORDERS, IncidentCause.CONTRACT, "shop\x00'/ü", "value.a:type")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        yield kept


def incident(id: str, key: IncidentKey = KEY, minutes: int = 0, **more: object) -> Incident:
    at = NOW + timedelta(minutes=minutes)
    return replace(Incident(id, key, "a is a number", at, at), **more)  # type: ignore[arg-type]


def test_an_incident_is_kept_whole(store: CatalogStore) -> None:
    whole = incident(
        "1",
        path="value.a",
        reason="it is text",
        state=IncidentState.RESOLVED,
        assignee="ana",
        checks=7,
        records=2**40,
        share=0.25,
        first=RecordPlace(3, 2**40, "2026-03-01T12:00:00Z"),
        last=RecordPlace(3, 2**41),
        fault_ended_at=NOW,
        resolved_at=NOW,
        resolution=Resolution.FALSE_ALARM,
        resolved_by="ben",
    )
    store.put_incident(incident("1"))
    store.put_incident(whole)
    assert store.incident("1") == whole
    assert store.incident("2") is None


def test_the_last_incident_of_a_key_is_the_one_that_opened_last(store: CatalogStore) -> None:
    assert store.last_incident(KEY) is None
    store.put_incident(incident("old", minutes=1, seen_at=NOW + timedelta(days=1)))
    store.put_incident(incident("new", minutes=2))
    store.put_incident(incident("other", replace(KEY, rule="value.b:type"), minutes=3))
    store.put_incident(incident("quality", replace(KEY, cause=IncidentCause.QUALITY), minutes=4))
    last = store.last_incident(KEY)
    assert last is not None
    assert last.id == "new"


def test_incidents_are_listed_by_what_is_asked_for(store: CatalogStore) -> None:
    other = DatasetId("kafka://one:9092", "other")
    store.put_incident(incident("a", minutes=1))
    store.put_incident(incident("b", replace(KEY, dataset=other, source="x"), minutes=2, assignee="ana"))
    store.put_incident(incident("c", minutes=3, state=IncidentState.RESOLVED, resolved_at=NOW + timedelta(hours=9)))

    def listed(where: IncidentFilter, limit: int = 10) -> str:
        return "".join(each.id for each in store.incidents(where, limit))

    assert listed(IncidentFilter()) == "bac"
    assert listed(IncidentFilter(), 2) == "ba"
    assert listed(IncidentFilter(states=(IncidentState.RESOLVED,))) == "c"
    assert listed(IncidentFilter(datasets=[ORDERS])) == "ac"
    assert listed(IncidentFilter(datasets=[])) == ""
    assert listed(IncidentFilter(datasets=[ORDERS, *(DatasetId("n", str(i)) for i in range(500))])) == "ac"
    assert listed(IncidentFilter(assignee="ana")) == "b"
    assert listed(IncidentFilter(sources=["x"])) == "b"
    assert listed(IncidentFilter(causes=[IncidentCause.QUALITY])) == ""
    assert listed(IncidentFilter(since=NOW + timedelta(minutes=2))) == "bc"
    assert store.count_unresolved() == {ORDERS: 1, other: 1}


def test_the_oldest_resolved_ones_are_forgotten_with_their_history(
    store: CatalogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("catalog.adapters.sql.incidents", "tests.twins.catalog.incidents"):
        monkeypatch.setattr(f"{module}.MOST_RESOLVED", 2)
    assert incident_store.MOST_RESOLVED > 2
    store.put_incident(incident("open", minutes=-9))
    for number in range(4):
        store.add_incident_entry(IncidentEntry(f"e{number}", str(number), NOW, "opened"))
        at = NOW + timedelta(minutes=number)
        store.put_incident(incident(str(number), state=IncidentState.RESOLVED, resolved_at=at))
    assert [each.id for each in store.incidents(IncidentFilter(), 10)] == ["open", "3", "2"]
    assert store.incident_entries("0") == []
    assert len(store.incident_entries("3")) == 1


def test_a_history_has_its_order(store: CatalogStore) -> None:
    entries = [IncidentEntry(f"{9 - n}", "1", NOW, "commented", "ana", f"text {n}", None) for n in range(5)]
    for each in entries:
        store.add_incident_entry(each)
    store.add_incident_entry(IncidentEntry("x", "2", NOW, "opened", None, "", "event"))
    assert store.incident_entries("1") == entries
    assert store.incident_entries("2")[0].event == "event"


def test_a_position_is_kept_by_dataset(store: CatalogStore) -> None:
    assert store.check_position(ORDERS) is None
    position = CheckPosition(ORDERS, 3, {0: 2**40, 12: 0}, "id", NOW, "2026-03-01T12:00:00.123Z", 17)
    store.put_check_position(CheckPosition(ORDERS))
    assert store.check_position(ORDERS) == CheckPosition(ORDERS)
    store.put_check_position(position)
    assert store.check_position(ORDERS) == position
