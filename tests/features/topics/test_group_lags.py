"""Lag over time: what the worker samples, what a reader gets, and what is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.features.topics.group_lags import SHOWN, GroupLags
from api.visibility.sight import Sight
from catalog.datasets.clusters import Clusters
from catalog.errors import InvalidInput, Unavailable
from catalog.lags import GroupLag, spread
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import ClusterRecord, DatasetRecord
from lineage.observed.groups import ConsumerGroup, GroupName, GroupTopic
from tests.api_world import ApiWorld, world
from tests.twins.catalog.store import MemoryCatalogStore

NOW = datetime(2026, 3, 1, 12, 0, 30, tzinfo=UTC)
ALL = Sight(everything=True, rows=True)
ORDERS = DatasetRecord(DatasetId("kafka://prod:9092", "orders"), cluster="prod", created_at=NOW)


class MemoryGroups:
    """Groups of one cluster: name -> topic -> lag."""

    def __init__(self, groups: dict[str, dict[str, int | None]]) -> None:
        self.groups = groups
        self.asked: list[int] = []

    def names(self) -> list[GroupName]:
        return [GroupName(name, "STABLE") for name in sorted(self.groups)]

    def describe(self, groups: Sequence[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        assert lag
        self.asked.append(len(groups))
        return [
            ConsumerGroup(g.name, g.state, 1, (), tuple(GroupTopic(t, 1, n) for t, n in self.groups[g.name].items()))
            for g in groups
        ]


class Made:
    """The service over a store in memory, with a clock to turn."""

    def __init__(self, groups: dict[str, dict[str, int | None]], limit: int = 1000, broken: str = "") -> None:
        self.store, self.now = MemoryCatalogStore(), NOW
        for name in ("eu", "prod"):
            self.store.put_cluster(ClusterRecord(name, f"kafka://{name}:9092", (f"{name}:9092",)))
        self.reader = MemoryGroups(groups)
        self.broken = broken
        self.lags = GroupLags(
            self.store,
            Clusters(self.store, lambda: self.now),
            self._reader,
            lambda name: name.startswith("_weir"),
            limit,
            lambda: self.now,
        )

    def _reader(self, cluster: str) -> MemoryGroups:
        if cluster == self.broken:
            raise Unavailable("Kafka at eu:9092 does not answer.")
        return self.reader if cluster == "prod" else MemoryGroups({})

    def points(self, hours: int = 1) -> dict[str, list[int]]:
        answer = self.lags.series(ORDERS, ALL, hours)
        return {g.name: [p.lag for p in g.points if p.lag is not None] for g in answer.groups}


def test_each_step_keeps_a_sample_of_each_group_whose_lag_is_known() -> None:
    sampled = Made({"billing": {"orders": 5, "other": 1}, "unread": {"orders": None}, "_weir-fold": {"orders": 9}})
    sampled.lags.step()
    sampled.now += timedelta(minutes=2)
    sampled.reader.groups["billing"]["orders"] = 8
    sampled.lags.step()
    assert sampled.points() == {"billing": [5, 8]}
    points = sampled.lags.series(ORDERS, ALL, 1).groups[0].points
    assert len(points) == 60
    assert [p.lag for p in points[-3:]] == [5, None, 8]


def test_a_cluster_that_does_not_answer_keeps_no_other_from_being_sampled() -> None:
    sampled = Made({"billing": {"orders": 5}}, broken="eu")
    sampled.lags.step()
    assert sampled.points() == {"billing": [5]}


def test_what_is_older_than_a_day_is_forgotten() -> None:
    sampled = Made({"billing": {"orders": 5}})
    sampled.lags.step()
    sampled.now += timedelta(hours=25)
    sampled.reader.groups["billing"]["orders"] = 1
    sampled.lags.step()
    assert sampled.store.lags("prod", "orders", NOW - timedelta(days=2)) == {
        "billing": [(sampled.now.replace(second=0), 1)]
    }


def test_groups_are_asked_about_in_hundreds_and_no_more_than_the_limit() -> None:
    sampled = Made({f"g{n:04}": {"orders": n} for n in range(350)}, limit=250)
    sampled.lags.step()
    assert sampled.reader.asked == [100, 100, 50]
    answer = sampled.lags.series(ORDERS, ALL, 1)
    assert [g.name for g in answer.groups] == [f"g{n:04}" for n in range(249, 249 - SHOWN, -1)]
    assert answer.others == 250 - SHOWN


def test_who_may_not_see_every_row_gets_no_figures() -> None:
    sampled = Made({"billing": {"orders": 5}})
    sampled.lags.step()
    answer = sampled.lags.series(ORDERS, Sight(), 1)
    assert answer.withheld
    assert answer.groups == []


def test_a_dataset_of_lineage_only_has_no_groups() -> None:
    sampled = Made({})
    with pytest.raises(InvalidInput, match="lineage only"):
        sampled.lags.series(DatasetRecord(DatasetId("postgres://db", "t"), created_at=NOW), ALL, 1)


@given(
    st.lists(st.tuples(st.integers(-10, 130), st.integers(0, 2**60)), max_size=60),
    st.integers(1, 96),
)
def test_a_span_has_the_largest_lag_in_it(samples: list[tuple[int, int]], count: int) -> None:
    until = NOW + timedelta(minutes=120)
    buckets = spread([(NOW + timedelta(minutes=m), lag) for m, lag in samples], NOW, until, count)
    inside = [lag for m, lag in samples if 0 <= m < 120]
    assert len(buckets) == count
    assert max((b.lag for b in buckets if b.lag is not None), default=None) == max(inside, default=None)
    assert buckets[0].at == NOW


@pytest.fixture
def api(tmp_path: Path) -> Iterator[ApiWorld]:
    with world(tmp_path) as sampled:
        yield sampled


def test_the_door_answers_with_the_series(api: ApiWorld) -> None:
    api.scan(bootstrapServers="localhost:9092", topics=["*"])
    cluster = api.admin.get("/api/v1/clusters").json()["clusters"][0]["name"]
    api.services[CatalogStore].add_lags(
        [GroupLag(cluster, "orders", "billing", 7)], datetime.now(UTC).replace(microsecond=0)
    )
    answer = api.admin.get(f"/api/v1/datasets/{cluster}/orders/lag", params={"hours": 1})
    assert answer.status_code == 200, answer.text
    (group,) = answer.json()["groups"]
    assert group["name"] == "billing"
    assert [p["lag"] for p in group["points"] if p["lag"] is not None] == [7]
    assert api.admin.get(f"/api/v1/datasets/{cluster}/orders/lag", params={"hours": 25}).status_code == 400
    assert api.admin.get(f"/api/v1/datasets/{cluster}/none/lag").status_code == 404
    assert api.anonymous().get(f"/api/v1/datasets/{cluster}/orders/lag").status_code == 401
