"""The queue of scans."""

from __future__ import annotations

from datetime import timedelta

import pytest

from catalog.datasets.discovery import Discovery
from catalog.declared.cluster_specs import ClusterSpec
from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.model import DatasetId
from catalog.scan_store import ScanPosition, ScanState
from catalog.scans.scans import Scans
from catalog.topics import ClusterDescription, TopicFacts
from tests.catalog_samples import NAMESPACE, ORDERS, World, scan


@pytest.fixture
def world() -> World:
    world = World()
    world.datasets.register_cluster("prod", ClusterSpec(bootstrapServers="localhost:9092"))
    return world


@pytest.fixture
def scans(world: World) -> Scans:
    return Scans(world.store, world.clock, world.clusters, heartbeat_s=60)


def test_a_scan_from_asking_to_done(scans: Scans) -> None:
    asked = scans.request("prod", ["shop.*"], {"records": 100}, by="ana")
    assert scans.get(asked.id).state == "queued"
    taken = scans.claim("w1")
    assert taken is not None and taken.id == asked.id
    assert taken.request == {"cluster": "prod", "topics": ["shop.*"], "sample": {"records": 100}}
    assert scans.report(asked.id, "w1", progress=0.5, datasets=[{"name": "a"}])
    assert scans.get(asked.id).progress == 0.5
    done = scans.finish(asked.id, "w1", datasets=[{"name": "a"}, {"name": "b"}], problems=[{"message": "x"}])
    assert (done.state, done.progress, len(done.datasets), done.finished_at is not None) == (
        ScanState.DONE,
        1.0,
        2,
        True,
    )
    assert scans.claim("w1") is None and [s.id for s in scans.list()] == [asked.id]


def test_bad_requests_are_refused(scans: Scans) -> None:
    with pytest.raises(NotFound, match="known: prod"):
        scans.request("nope")
    with pytest.raises(InvalidInput):
        scans.request("prod", [" "])
    with pytest.raises(NotFound, match="no scan 'x'"):
        scans.get("x")


def test_a_waiting_scan_is_cancelled_at_once(scans: Scans) -> None:
    asked = scans.request("prod")
    assert scans.cancel(asked.id).state is ScanState.CANCELLED
    assert scans.claim("w1") is None
    with pytest.raises(Conflict):
        scans.cancel(asked.id)


def test_a_running_scan_is_told_to_stop(scans: Scans) -> None:
    asked = scans.request("prod")
    scans.claim("w1")
    assert scans.cancel(asked.id).state is ScanState.RUNNING
    assert not scans.report(asked.id, "w1", progress=0.3)
    assert scans.finish(asked.id, "w1", datasets=[]).state is ScanState.CANCELLED


def test_a_silent_worker_loses_its_scan(world: World, scans: Scans) -> None:
    asked = scans.request("prod")
    scans.claim("w1")
    assert scans.claim("w2") is None
    world.clock.now += timedelta(minutes=5)
    again = scans.claim("w2")
    assert again is not None and again.id == asked.id
    assert not scans.report(asked.id, "w1", progress=0.9)
    assert scans.finish(asked.id, "w1", datasets=[], failed=True).state is ScanState.RUNNING
    assert scans.finish(asked.id, "w2", datasets=[], failed=True).state is ScanState.FAILED


def test_positions_are_kept_under_any_name_of_the_cluster(world: World, scans: Scans) -> None:
    world.datasets.record_scan(scan(ORDERS, ["value.a"]))
    world.store.put_positions(ORDERS, [ScanPosition(0, 7)])
    for cluster in (ORDERS.namespace, "kafka://127.0.0.1:9092", "prod"):
        assert list(scans.positions(DatasetId(cluster, "orders"))) == [ScanPosition(0, 7)]


class Cluster:
    """Brokers with some topics."""

    def describe(self, *_: object) -> ClusterDescription:
        return ClusterDescription("id-1")

    def topics(self, *_: object) -> list[TopicFacts]:
        names = ("__offsets", "_weir.lineage", "shop.a", "shop.b", "van")
        return [TopicFacts(name, 1, internal=name == "__offsets") for name in names]


def test_topics_are_chosen_by_pattern(world: World) -> None:
    discovery = Discovery(Cluster(), world.datasets)

    def chosen(*patterns: str) -> list[str]:
        return [t.name for t in discovery.select("prod", patterns)]

    assert chosen() == chosen("*") == ["shop.a", "shop.b", "van"]
    assert chosen("shop.*", "shop.a") == ["shop.a", "shop.b"]
    assert chosen("_weir.*") == ["_weir.lineage"]
    assert chosen("none.*") == []
    with pytest.raises(NotFound, match="no topic 'vans'"):
        chosen("vans")
    assert world.clusters.get("prod").cluster_id == "id-1"
    assert discovery.refresh("prod").new == ()
    assert {d.id.namespace for d in world.datasets.page().items} == {NAMESPACE}
