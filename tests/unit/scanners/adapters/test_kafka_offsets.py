"""Offsets for scans, from an admin client of Kafka that answers as librdkafka does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka import KafkaError, KafkaException

from catalog.errors import Unavailable
from scanners.adapters.kafka import offsets as kafka_offsets
from scanners.model import ClusterConnection, Partition
from scanners.settings import ScannerSettings

CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092")
NO_LEADER = -1


class Admin:
    """Topics with a leader for each partition. One partition without a leader fails every partition of its request."""

    def __init__(self, topics: Mapping[str, list[int]]) -> None:
        self.topics = {name: dict(enumerate(leaders)) for name, leaders in topics.items()}
        self.described: Mapping[str, Mapping[int, int]] | None = None
        """What the description of topics has, where it is older than the topics."""
        self.failing: dict[tuple[str, int], int] = {}
        self.undescribed: set[str] = set()
        self.requests = 0

    def describe_topics(self, topics: Any, request_timeout: float) -> dict[str, Future[Any]]:
        futures: dict[str, Future[Any]] = {}
        for name in topics.topic_names:
            futures[name] = Future()
            if name in self.undescribed:
                futures[name].set_exception(KafkaException(KafkaError(KafkaError.TOPIC_AUTHORIZATION_FAILED)))
                continue
            leaders = (self.described or self.topics)[name]
            parts = [
                SimpleNamespace(id=p, leader=None if leader == NO_LEADER else SimpleNamespace(id=leader))
                for p, leader in leaders.items()
            ]
            futures[name].set_result(SimpleNamespace(topic_id=f"id of {name}", partitions=parts))
        return futures

    def list_offsets(self, places: Mapping[Any, Any], request_timeout: float) -> dict[Any, Future[Any]]:
        self.requests += 1
        lost = any(self.topics[p.topic][p.partition] == NO_LEADER for p in places)
        futures = {}
        for place in places:
            code = KafkaError.LEADER_NOT_AVAILABLE if lost else self.failing.get((place.topic, place.partition))
            future: Future[Any] = Future()
            if code is None:
                future.set_result(SimpleNamespace(offset=7))
            else:
                future.set_exception(KafkaException(KafkaError(code)))
            futures[place] = future
        return futures


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(kafka_offsets, "_LEADER_S", 0.0)
    yield


def looked_up(monkeypatch: pytest.MonkeyPatch, admin: Admin, *names: str) -> dict[str, Any]:
    monkeypatch.setattr("confluent_kafka.admin.AdminClient", lambda settings: admin)
    topics = kafka_offsets.KafkaOffsets(ScannerSettings(kafka_seconds=1)).offsets(CLUSTER, names)
    return {topic.name: topic for topic in topics}


BOTH = (Partition(0, 7, 7), Partition(1, 7, 7))


@pytest.mark.usefixtures("quick")
def test_a_partition_without_a_leader_takes_nothing_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    topics = looked_up(
        monkeypatch, Admin({"good": [1, 1], "half": [1, NO_LEADER], "lost": [-1, -1]}), "good", "half", "lost"
    )
    assert topics["good"].partitions == BOTH and not topics["good"].unreadable
    assert topics["half"].partitions == (Partition(0, 7, 7),)
    assert [number for number, _ in topics["half"].unreadable] == [1]
    assert topics["lost"].partitions == () and [number for number, _ in topics["lost"].unreadable] == [0, 1]
    assert "leader" in topics["lost"].unreadable[0][1]


def test_a_topic_that_may_not_be_described_takes_nothing_from_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    admin = Admin({"good": [1, 1], "closed": [1, 1]})
    admin.undescribed = {"closed"}
    topics = looked_up(monkeypatch, admin, "good", "closed")
    assert list(topics) == ["good"] and topics["good"].id == "id of good" and topics["good"].partitions == BOTH


@pytest.mark.usefixtures("quick")
def test_a_leader_that_is_lost_behind_the_description_fails_its_topic_only(monkeypatch: pytest.MonkeyPatch) -> None:
    admin = Admin({"good": [1, 1], "lost": [NO_LEADER]})
    admin.described = {"good": {0: 1, 1: 1}, "lost": {0: 1}}
    topics = looked_up(monkeypatch, admin, "good", "lost")
    assert topics["good"].partitions == BOTH and [number for number, _ in topics["lost"].unreadable] == [0]


def test_a_leader_that_is_elected_meanwhile_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    admin = Admin({"good": [1, NO_LEADER]})
    describe = admin.describe_topics

    def elected(topics: Any, request_timeout: float) -> Any:
        answer = describe(topics, request_timeout)
        admin.topics["good"][1] = 1
        return answer

    monkeypatch.setattr(admin, "describe_topics", elected)
    assert looked_up(monkeypatch, admin, "good")["good"].partitions == BOTH


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.REQUEST_TIMED_OUT])
def test_what_one_broker_or_one_topic_refuses_is_its_own(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    admin = Admin({"good": [1, 1], "other": [1, 2]})
    admin.failing = {("other", 0): code, ("other", 1): code}
    topics = looked_up(monkeypatch, admin, "good", "other")
    assert topics["good"].partitions == BOTH and [number for number, _ in topics["other"].unreadable] == [0, 1]


@pytest.mark.usefixtures("quick")
def test_a_cluster_that_does_not_answer_is_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    admin = Admin({"good": [1, 1], "other": [1]})
    admin.failing = dict.fromkeys((("good", 0), ("good", 1), ("other", 0)), KafkaError._TRANSPORT)
    with pytest.raises(Unavailable):
        looked_up(monkeypatch, admin, "good", "other")
