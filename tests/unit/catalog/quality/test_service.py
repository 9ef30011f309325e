"""Scans one after another: history, anomalies with their incidents, marks, sensitivity."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.errors import InvalidInput
from catalog.incident_store import IncidentFilter, IncidentState, Resolution
from catalog.incidents.service import Incidents
from catalog.model import DatasetId, DatasetScan, FieldProfile, ScanWindow, SchemaVersion
from catalog.ports import CatalogStore
from catalog.quality.alarms import IncidentAlarms
from catalog.quality.service import Quality
from catalog.quality_store import Tier
from catalog.records import ClusterRecord, DatasetRecord, DeclaredDocument, rfc3339
from tests.catalog_samples import NAMESPACE
from tests.twins.catalog.store import MemoryCatalogStore

ORDERS = DatasetId(NAMESPACE, "orders")
START = datetime(2026, 3, 2, 0, 20, tzinfo=UTC)


class Nothing:
    def changed(self, datasets: object) -> None: ...


class Topic:
    """A topic that is scanned every hour; what it holds can be changed between scans."""

    def __init__(self, store: CatalogStore | None = None) -> None:
        self.now, self.end = START, 0
        self.store = store or MemoryCatalogStore()
        self.store.put_cluster(ClusterRecord("prod", NAMESPACE, ("localhost:9092",)))
        clock: Callable[[], datetime] = lambda: self.now  # noqa: E731
        self.incidents = Incidents(self.store, clock)
        self.quality = Quality(self.store, clock, IncidentAlarms(self.incidents))
        self.datasets = Datasets(self.store, Nothing(), clock, Clusters(self.store, clock), None, self.quality)
        self.times, self.nulls, self.kind = 1.0, 0.0, "int64"

    def scan(self, hours: int = 1) -> Topic:
        for _ in range(hours):
            self.now += timedelta(hours=1)
            day = 1 + 0.5 * math.sin(self.now.hour / 24 * 2 * math.pi)
            self.end += round(1000 * day * self.times)
            partition = {"partition": 0, "begin": 0, "end": self.end, "last": self.end - 1}
            fields = (
                FieldProfile("value.id", {"string": 1.0}, 500, 1.0, 0.0, 500),
                FieldProfile("value.amount", {self.kind: 1 - self.nulls, "null": self.nulls}, 500, 1.0, self.nulls, 90),
            )
            window = ScanWindow((partition,), 500, None, rfc3339(self.now - timedelta(seconds=30)))
            self.datasets.record_scan(DatasetScan(ORDERS, SchemaVersion({"value": "json"}, fields, window=window)))
        return self

    @property
    def record(self) -> DatasetRecord:
        record = self.store.dataset(ORDERS)
        assert record is not None
        return record

    def declare(self, sensitivity: str) -> None:
        spec = {"quality": {"sensitivity": sensitivity}}
        self.store.put_document(DeclaredDocument("Dataset", "prod/orders", {}, spec))

    def lasting(self) -> list[str]:
        return [each.reason for each in self.store.lasting_anomalies(ORDERS)]

    def open_incidents(self) -> list[Any]:
        return self.incidents.all(IncidentFilter(states=(IncidentState.OPEN,)), 10)


@pytest.fixture(scope="module")
def weeks() -> Topic:
    """A topic with ten days of history."""
    return Topic().scan(240)


@pytest.fixture
def topic(weeks: Topic) -> Iterator[Topic]:
    """The same for each test: what it changes is taken back."""
    kept = weeks.store._state.snapshot()  # type: ignore[attr-defined]
    now, end = weeks.now, weeks.end
    yield weeks
    weeks.store._state = kept  # type: ignore[attr-defined]
    weeks.now, weeks.end, weeks.times, weeks.nulls, weeks.kind = now, end, 1.0, 0.0, "int64"


def test_before_there_is_enough_history_nothing_is_an_anomaly() -> None:
    topic = Topic().scan(30)
    topic.times, topic.nulls = 0.01, 0.9
    topic.scan(5)
    assert topic.store.anomalies(ORDERS, 10) == []
    courses = topic.quality.courses(ORDERS, Tier.HOUR, 100)
    assert courses.usual is not None and not courses.usual.enough.any()
    assert len(courses.seen) == 35


def test_a_topic_as_usual_has_no_anomaly_and_each_hour_a_point(topic: Topic) -> None:
    topic.scan(48)
    assert topic.store.anomalies(ORDERS, 10) == []
    assert len(topic.store.newest_quality_points(ORDERS, Tier.HOUR, 1000)) == 288
    assert len(topic.store.newest_quality_points(ORDERS, Tier.DAY, 1000)) == 13


def test_a_fall_of_the_volume_is_an_anomaly_with_an_incident_until_it_is_usual_again(topic: Topic) -> None:
    topic.times = 0.04
    topic.scan(2)
    (anomaly,) = topic.store.lasting_anomalies(ORDERS)
    hour = topic.now.strftime("%H:00 UTC")
    assert (anomaly.measure, anomaly.direction) == ("volume", "down")
    assert anomaly.reason.startswith("orders: ") and anomaly.reason.endswith(f" at {hour}")
    assert " records an hour, usually " in anomaly.reason
    (incident,) = topic.open_incidents()
    assert (incident.title, incident.reason) == ("The volume of orders is unusual", anomaly.reason)
    topic.scan(3)
    (incident,) = topic.open_incidents()
    assert (incident.checks, incident.seen_at) == (topic.lasting() and incident.checks, topic.now)
    topic.times = 1.0
    topic.scan(2)
    assert topic.lasting() == [] and topic.open_incidents() == []
    (over,) = topic.store.anomalies(ORDERS, 10)
    assert over.ended_why == "usual"
    (resolved,) = topic.incidents.all(IncidentFilter(), 10)
    assert resolved.resolution is Resolution.RECOVERED


def test_nulls_and_another_type_are_anomalies_of_their_field(topic: Topic) -> None:
    topic.nulls, topic.kind = 0.4, "string"
    topic.scan(2)
    assert sorted((each.path, each.measure) for each in topic.store.lasting_anomalies(ORDERS)) == [
        ("value.amount", "nulls"),
        ("value.amount", "type:string"),
    ]
    at = f" at {topic.now:%H}:00 UTC"
    assert f"orders: value.amount is null in 40 % of its occurrences, usually in 0 %{at}" in topic.lasting()


def test_a_marked_deploy_raises_no_alarm_and_is_usual_from_then_on(topic: Topic) -> None:
    mark = topic.quality.mark(topic.record, "deploy", note="orders 2.0", by="olga")
    topic.nulls = 0.4
    topic.scan(1)
    topic.now = mark.ends_at - timedelta(hours=1)  # the scan was within the mark
    assert topic.lasting() == []
    topic.now = mark.ends_at
    topic.scan(90)
    assert topic.store.anomalies(ORDERS, 10) == []
    topic.nulls = 0.9
    topic.scan(2)
    assert topic.lasting() == ["orders: value.amount is null in 90 % of its occurrences, usually in 40 %"]


def test_a_marked_replay_is_no_measure_of_what_is_usual(topic: Topic) -> None:
    topic.quality.mark(topic.record, "replay", ends_at=topic.now + timedelta(hours=5))
    topic.times = 20
    topic.scan(4)
    topic.times = 1
    topic.scan(24)
    assert topic.store.anomalies(ORDERS, 10) == []
    topic.times = 20
    topic.scan(2)
    assert len(topic.lasting()) == 1


def test_an_anomaly_that_began_in_a_marked_time_is_over(topic: Topic) -> None:
    began = topic.now
    topic.times = 0.04
    topic.scan(3)
    assert len(topic.lasting()) == 1
    topic.quality.mark(topic.record, "other", starts_at=began, ends_at=topic.now + timedelta(hours=2))
    assert topic.lasting() == [] and topic.open_incidents() == []
    topic.scan(1)
    assert topic.lasting() == []
    assert topic.store.anomalies(ORDERS, 10)[0].ended_why == "marked"
    (resolved,) = topic.incidents.all(IncidentFilter(), 10)
    assert resolved.resolution is Resolution.WITHDRAWN


def test_sensitivity_is_declared_of_the_dataset(topic: Topic) -> None:
    topic.declare("low")
    topic.times = 0.4
    topic.scan(4)
    assert topic.lasting() == []
    topic.declare("high")
    topic.scan(2)
    assert len(topic.lasting()) == 1
    topic.declare("off")
    topic.scan(1)
    assert topic.lasting() == [] and topic.open_incidents() == []
    assert topic.store.anomalies(ORDERS, 10)[0].ended_why == "off"


def test_a_level_that_lasts_a_week_is_usual_then(topic: Topic) -> None:
    topic.nulls = 0.4
    topic.scan(8 * 24)
    (over,) = topic.store.anomalies(ORDERS, 10)
    assert over.ended_why == "accepted"
    topic.nulls = 0.0
    topic.scan(2)
    (reason,) = topic.lasting()
    assert reason.startswith("orders: value.amount is null in 0 % of its occurrences, usually in 40 %")


def test_a_clock_that_went_back_adds_no_point(topic: Topic) -> None:
    before = topic.store.quality_state(ORDERS)
    topic.now -= timedelta(hours=5)
    topic.scan(1)
    assert topic.store.quality_state(ORDERS) == before


@pytest.mark.parametrize(
    ("kind", "starts", "ends"),
    [("holiday", 0, 1), ("deploy", 2, 1), ("deploy", 0, 24 * 60)],
)
def test_a_mark_of_an_unknown_kind_or_of_an_impossible_time_is_refused(
    topic: Topic, kind: str, starts: int, ends: int
) -> None:
    at = topic.now
    with pytest.raises(InvalidInput):
        topic.quality.mark(topic.record, kind, at + timedelta(hours=starts), at + timedelta(hours=ends))
