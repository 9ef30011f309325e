"""What any `TopicDetails` must do: in memory, and on a real Kafka."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest

from catalog.errors import NotFound, Unavailable
from catalog.topic_details import AclsKnown, Member, ReadPartition, TopicDetails, TopicGroup
from tests.twins.catalog.topic_details import MemoryTopic, MemoryTopicDetails

START = datetime(2026, 1, 1, tzinfo=UTC)
RECORDS = {0: [START, START + timedelta(hours=1), START + timedelta(hours=2)], 1: [START + timedelta(minutes=90)]}
GROUP = "readers"
COMMITTED = {0: 1, 1: 1}


@dataclass
class World:
    details: TopicDetails
    topic: str
    group: str
    bootstrap: list[str]
    host: str


@pytest.fixture(scope="module", params=["memory", pytest.param("kafka", marks=pytest.mark.integration)])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    yield from memory() if request.param == "memory" else kafka(request.getfixturevalue("stack").kafka)


def memory() -> Iterator[World]:
    group = TopicGroup(
        GROUP,
        "STABLE",
        (Member("reader-1", "127.0.0.1", (0, 1)),),
        tuple(ReadPartition(p, at, None, "reader-1") for p, at in COMMITTED.items()),
    )
    topic = MemoryTopic(RECORDS, {"retention.ms": "-1"}, [group])
    yield World(MemoryTopicDetails({"orders": topic}), "orders", GROUP, ["m:9092"], "127.0.0.1")


def kafka(server: str) -> Iterator[World]:
    from confluent_kafka import Consumer, Producer, TopicPartition
    from confluent_kafka.admin import AdminClient, NewTopic

    from catalog.adapters.kafka.topic_details import KafkaTopicDetails

    mark = uuid.uuid4().hex[:8]
    topic, group = f"details-{mark}", f"{GROUP}-{mark}"
    admin = AdminClient({"bootstrap.servers": server})
    admin.create_topics([NewTopic(topic, 2, 1, config={"retention.ms": "-1"})])[topic].result(30)
    producer = Producer({"bootstrap.servers": server})
    for partition, times in RECORDS.items():
        for at in times:
            producer.produce(topic, b"v", partition=partition, timestamp=int(at.timestamp() * 1000))
    assert producer.flush(30) == 0
    consumer = Consumer({"bootstrap.servers": server, "group.id": group, "client.id": "reader-1"})
    assigned: list[int] = []
    consumer.subscribe([topic], on_assign=lambda _, places: assigned.extend(p.partition for p in places))
    for _ in range(300):
        consumer.poll(0.1)
        if assigned:
            break
    assert sorted(assigned) == [0, 1], "the reader of the test was not given its partitions"
    consumer.commit(offsets=[TopicPartition(topic, p, at) for p, at in COMMITTED.items()], asynchronous=False)
    yield World(KafkaTopicDetails(), topic, group, [server], "127.0.0.1")
    consumer.close()
    admin.delete_topics([topic])[topic].result(30)


def test_partitions_with_their_leader_and_offsets(world: World) -> None:
    results = world.details.partitions({}, world.bootstrap, world.topic)
    assert [(p.partition, p.begin, p.end, p.records) for p in results] == [(0, 0, 3, 3), (1, 0, 1, 1)]
    for each in results:
        assert each.leader is not None and each.replicas == each.in_sync == (each.leader,)
    sizes = [each.size for each in results]
    assert sizes[0] is not None and sizes[1] is not None and sizes[0] > sizes[1] > 0, sizes


def test_configuration_tells_what_is_set_from_what_is_default(world: World) -> None:
    results = {c.name: c for c in world.details.configs({}, world.bootstrap, world.topic) or ()}
    assert (results["retention.ms"].value, results["retention.ms"].source) == ("-1", "topic")
    assert (results["cleanup.policy"].value, results["cleanup.policy"].source) == ("delete", "default")
    assert list(results) == sorted(results)


def test_groups_with_members_and_the_lag_of_each_partition(world: World) -> None:
    results = world.details.groups({}, world.bootstrap, world.topic, 1000)
    (group,) = (g for g in results.groups if g.name == world.group)
    assert (group.state, group.lag) == ("STABLE", 2)
    assert [(p.partition, p.committed, p.end, p.lag, p.member) for p in group.partitions] == [
        (0, 1, 3, 2, "reader-1"),
        (1, 1, 1, 0, "reader-1"),
    ]
    assert [(m.client, m.partitions) for m in group.members] == [("reader-1", (0, 1))]
    assert group.members[0].host == world.host


def test_groups_that_are_not_looked_at_are_counted(world: World) -> None:
    results = world.details.groups({}, world.bootstrap, world.topic, 0)
    assert results.groups == () and results.unread >= 1


def test_without_an_authorizer_there_are_no_rules_and_that_is_known(world: World) -> None:
    results = world.details.acls({}, world.bootstrap, world.topic)
    assert (results.known, results.entries) == (AclsKnown.NO_AUTHORIZER, ())


def test_records_by_time(world: World) -> None:
    moments = [
        START - timedelta(days=1),
        START + timedelta(hours=1),
        START + timedelta(hours=2),
        START + timedelta(days=9),
    ]
    assert world.details.offsets_at({}, world.bootstrap, world.topic, moments) == [0, 1, 3, 4]


def test_a_topic_that_is_not_there(world: World) -> None:
    for ask in (world.details.partitions, world.details.configs):
        with pytest.raises(NotFound, match="nothing-here"):
            ask({}, world.bootstrap, "nothing-here")


@pytest.mark.integration
def test_brokers_that_do_not_answer_are_named() -> None:
    from catalog.adapters.kafka.topic_details import KafkaTopicDetails

    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        KafkaTopicDetails(timeout_s=2).partitions({}, ["127.0.0.1:1"], "orders")


def test_the_lag_of_a_group_is_not_known_where_no_end_is() -> None:
    group = TopicGroup("g", "EMPTY", (), (ReadPartition(0, 4, None), ReadPartition(1, None, 9)))
    assert group.lag is None
    assert replace(group, partitions=(*group.partitions, ReadPartition(2, 4, 9))).lag == 5
