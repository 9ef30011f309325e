"""What any record store promises of quality over time; memory, SQLite and PostgreSQL alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from catalog.errors import DatasetNotFound
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.quality_store import (
    MOST_ANOMALIES,
    MOST_MARKS,
    MOST_POINTS,
    Anomaly,
    QualityMark,
    QualityPoint,
    QualityState,
    Tier,
)
from catalog.records import DatasetRecord
from tests.catalog_stores import STORES, catalog_store

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ORDERS, OTHER = DatasetId("kafka://a:9092", "orders"), DatasetId("kafka://a:9092", "other")


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest) -> Iterator[CatalogStore]:
    with catalog_store(request.param, request) as kept:
        for each in (ORDERS, OTHER):
            kept.put_dataset(DatasetRecord(each))
        yield kept


def point(hour: int, tier: Tier = Tier.HOUR, scans: int = 1) -> QualityPoint:
    return QualityPoint(tier, NOW + timedelta(hours=hour), scans, b"\x00\xff" + bytes([hour % 256]))


def anomaly(id: str, dataset: DatasetId = ORDERS, ended: int | None = None) -> Anomaly:
    at = NOW + timedelta(minutes=int(id))
    ended_at = None if ended is None else NOW + timedelta(minutes=ended)
    why = None if ended is None else "usual"
    return Anomaly(id, dataset, "volume", "down", "few", 1.5, 10, 20, 9.5, at, at, None, ended_at, why)


def mark(id: str, minutes: int, dataset: DatasetId = ORDERS) -> QualityMark:
    return QualityMark(id, dataset, "deploy", NOW, NOW + timedelta(minutes=minutes), "2.0 \x00ü", "olga")


def test_a_state_is_replaced_with_its_points(store: CatalogStore) -> None:
    assert store.quality_state(ORDERS) is None
    first = QualityState(ORDERS, ("volume", "nulls value.\x00ü"), b"\x00\x01", {"reach": None}, NOW)
    store.put_quality_state(first, [point(0), point(1), point(0, Tier.DAY)])
    assert store.quality_state(ORDERS) == first
    assert store.quality_state(OTHER) is None
    later = replace(first, facts={"leftOut": 3}, checked_at=NOW + timedelta(hours=1))
    store.put_quality_state(later, [point(1, scans=2)])
    assert store.quality_state(ORDERS) == later
    moments = {Tier.HOUR: [NOW, NOW + timedelta(hours=1), NOW + timedelta(hours=7)], Tier.DAY: [NOW]}
    listed = store.quality_points_at(ORDERS, moments)
    assert sorted((each.tier, each.at, each.scans) for each in listed) == [
        (Tier.DAY, NOW, 1),
        (Tier.HOUR, NOW, 1),
        (Tier.HOUR, NOW + timedelta(hours=1), 2),
    ]
    assert store.quality_points_at(ORDERS, {Tier.HOUR: []}) == []
    assert store.newest_quality_points(ORDERS, Tier.HOUR, 1) == [point(1, scans=2)]
    assert store.newest_quality_points(ORDERS, Tier.HOUR, 9, NOW + timedelta(minutes=1)) == [point(1, scans=2)]
    assert store.newest_quality_points(OTHER, Tier.HOUR, 9) == []


def test_what_is_kept_of_a_dataset_is_bounded_however_often_it_is_scanned(
    store: CatalogStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert dict(MOST_POINTS) == {Tier.SCAN: 300, Tier.HOUR: 1344, Tier.DAY: 400}
    assert (MOST_ANOMALIES, MOST_MARKS) == (500, 100)
    for module in ("catalog.adapters.sql.quality", "tests.twins.catalog.quality"):
        monkeypatch.setattr(f"{module}.MOST_POINTS", dict.fromkeys(Tier, 4))
        monkeypatch.setattr(f"{module}.MOST_ANOMALIES", 3)
        monkeypatch.setattr(f"{module}.MOST_MARKS", 2)
    store.put_quality_state(QualityState(OTHER), [point(0)])
    for hour in range(9):
        store.put_quality_state(QualityState(ORDERS), [point(hour), point(hour, Tier.SCAN)])
        store.put_anomaly(anomaly(f"{hour}", ended=hour))
        store.put_anomaly(anomaly(f"{100 + hour}"))
        store.put_quality_mark(mark(f"{hour}", hour + 1))
    for tier in (Tier.HOUR, Tier.SCAN):
        kept = store.newest_quality_points(ORDERS, tier, 100)
        assert [each.at.hour for each in kept] == [17, 18, 19, 20]
    assert len(store.newest_quality_points(OTHER, Tier.HOUR, 100)) == 1
    lasting = [f"{n}" for n in range(108, 99, -1)]
    assert [each.id for each in store.anomalies(ORDERS, 100)] == [*lasting, "8", "7", "6"]
    assert [each.id for each in store.lasting_anomalies(ORDERS)] == lasting
    assert [each.id for each in store.anomalies(ORDERS, 2)] == lasting[:2]
    assert [each.id for each in store.quality_marks(ORDERS)] == ["8", "7"]


def test_anomalies_and_marks_come_back_as_they_went_in(store: CatalogStore) -> None:
    one = replace(anomaly("1"), path="value.\x00ü", measure="type:int64")
    store.put_anomaly(one)
    store.put_anomaly(anomaly("2", OTHER))
    over = replace(one, ended_at=NOW, ended_why="marked")
    assert store.lasting_anomalies(ORDERS) == [one]
    store.put_anomaly(over)
    assert (store.anomalies(ORDERS, 9), store.lasting_anomalies(ORDERS)) == ([over], [])
    store.put_quality_mark(mark("m", 5))
    assert (store.quality_marks(ORDERS), store.quality_marks(OTHER)) == ([mark("m", 5)], [])
    assert [store.delete_quality_mark(*each) for each in ((OTHER, "m"), (ORDERS, "n"), (ORDERS, "m"))] == [
        False,
        False,
        True,
    ]
    assert store.quality_marks(ORDERS) == []


def test_quality_follows_its_dataset_and_goes_with_it(store: CatalogStore) -> None:
    store.put_quality_state(QualityState(ORDERS, ("volume",)), [point(0)])
    store.put_anomaly(anomaly("1"))
    store.put_quality_mark(mark("m", 5))
    store.rename_namespace("kafka://a:9092", "kafka://b:9092")
    moved = DatasetId("kafka://b:9092", "orders")
    assert store.quality_state(ORDERS) is None
    assert store.quality_state(moved) == QualityState(moved, ("volume",))
    assert store.newest_quality_points(moved, Tier.HOUR, 9) == [point(0)]
    assert [each.dataset for each in store.anomalies(moved, 9)] == [moved]
    assert [each.dataset for each in store.quality_marks(moved)] == [moved]
    store.delete_dataset(moved)
    assert store.quality_state(moved) is None
    assert store.newest_quality_points(moved, Tier.HOUR, 9) == []
    assert (store.anomalies(moved, 9), store.quality_marks(moved)) == ([], [])
    for put in (
        lambda: store.put_quality_state(QualityState(moved)),
        lambda: store.put_anomaly(anomaly("1", moved)),
        lambda: store.put_quality_mark(mark("m", 5, moved)),
    ):
        with pytest.raises(DatasetNotFound):
            put()


def test_quality_is_rolled_back_with_its_transaction(store: CatalogStore) -> None:
    with pytest.raises(RuntimeError), store.transaction():
        store.put_quality_state(QualityState(ORDERS), [point(0)])
        store.put_anomaly(anomaly("1"))
        raise RuntimeError
    assert store.quality_state(ORDERS) is None
    assert (store.newest_quality_points(ORDERS, Tier.HOUR, 9), store.anomalies(ORDERS, 9)) == ([], [])
