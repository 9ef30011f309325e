"""What any `AuditReceiver` must do: in memory, and on a real Kafka."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.errors import Unavailable
from policies.adapters.kafka.audit_topic import CONTENT_TYPE, KafkaAuditTopic
from policies.audit.log import AuditLog
from policies.audit.ports import AuditReceiver, MessageTooLarge
from policies.audit.shipping import AuditShipping
from tests.twins.policies.segments import MemoryReceiver, MemoryShippingStore
from tests.twins.policies.stores import MemoryAuditStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)
SILENT = "127.0.0.1:1"


@dataclass
class Place:
    receiver: AuditReceiver
    server: str | None
    topic: str

    def messages(self) -> list[Any]:
        """Values in the order of the topic, which has one partition in use, as all have one key."""
        if self.server is None:
            assert isinstance(self.receiver, MemoryReceiver)
            return [json.loads(value) for _, value in self.receiver.messages]
        return [json.loads(message.value()) for message in read(self.server, self.topic)]


def read(server: str, topic: str) -> list[Any]:
    consumer = Consumer({"bootstrap.servers": server, "group.id": uuid4().hex, "enable.auto.commit": False})
    collected = []
    try:
        for partition in consumer.list_topics(topic, timeout=10).topics[topic].partitions:
            low, high = consumer.get_watermark_offsets(TopicPartition(topic, partition), timeout=10)
            consumer.assign([TopicPartition(topic, partition, low)])
            for _ in range(high - low):
                message = consumer.poll(10)
                assert message is not None and message.error() is None
                collected.append(message)
    finally:
        consumer.close()
    return collected


@pytest.fixture(params=["memory", pytest.param("kafka", marks=pytest.mark.integration)])
def place(request: pytest.FixtureRequest) -> Iterator[Place]:
    if request.param == "memory":
        yield Place(MemoryReceiver(), None, "audit")
        return
    server, topic = request.getfixturevalue("stack").kafka, f"_policies_test_{uuid4().hex[:10]}"
    admin = AdminClient({"bootstrap.servers": server})
    admin.create_topics([NewTopic(topic, num_partitions=3)])[topic].result(15)
    receiver = KafkaAuditTopic(topic, {"bootstrap.servers": server})
    yield Place(receiver, server, topic)
    receiver.close()
    admin.delete_topics([topic])[topic].result(10)


@pytest.mark.tail
def test_the_chain_arrives_in_order_and_a_process_that_starts_goes_on(place: Place) -> None:
    store, positions = MemoryAuditStore(), MemoryShippingStore()
    log = AuditLog(store, lambda: T0)

    def process() -> AuditShipping:
        return AuditShipping(store, positions, "prod/audit", lambda _: place.receiver, lambda: T0)

    for _ in range(700):
        log.record("ana", "query", "prod/orders", details={"text": "ü\x00"})
    first = process()
    while first.step():
        pass
    log.record("otto", "grant.revoke", "prod/orders")
    process().step()
    messages = place.messages()
    assert [each["id"] for each in messages] == [str(n) for n in range(1, 702)]
    assert [each["sequence"] for each in messages] == sorted(each["sequence"] for each in messages)
    assert messages[-1]["type"] == "io.weir.audit.grant.revoke" and messages[-1]["data"]["actor"] == "otto"
    assert messages[5]["data"]["hash"] == store.rows[5].hash


@pytest.mark.integration
def test_messages_have_the_content_type_key_and_time_of_the_entry(stack: Any) -> None:
    topic = f"_policies_test_{uuid4().hex[:10]}"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    admin.create_topics([NewTopic(topic, num_partitions=1)])[topic].result(15)
    receiver = KafkaAuditTopic(topic, {"bootstrap.servers": stack.kafka})
    assert receiver.send([(b"chain", b"{}", T0)]) == 1
    (message,) = read(stack.kafka, topic)
    assert message.headers() == [("content-type", CONTENT_TYPE.encode())]
    assert message.key() == b"chain" and message.timestamp()[1] == int(T0.timestamp() * 1000)
    receiver.close()
    admin.delete_topics([topic])[topic].result(10)


@pytest.mark.integration
def test_a_topic_that_is_not_there_is_not_made(stack: Any) -> None:
    topic = f"_policies_test_{uuid4().hex[:10]}"
    with pytest.raises(Unavailable, match=f"There is no topic {topic}"):
        KafkaAuditTopic(topic, {"bootstrap.servers": stack.kafka}).send([(b"k", b"{}", T0)])
    assert topic not in AdminClient({"bootstrap.servers": stack.kafka}).list_topics(timeout=10).topics


@pytest.mark.tail
def test_a_broker_that_does_not_answer_is_named_and_what_it_did_not_take_waits() -> None:
    store, positions = MemoryAuditStore(), MemoryShippingStore()
    log = AuditLog(store, lambda: T0)
    log.record("ana", "query", "prod/orders")
    now = [T0]
    kafka = KafkaAuditTopic("audit", {"bootstrap.servers": SILENT})
    shipping = AuditShipping(store, positions, "prod/audit", lambda _: kafka, lambda: now[0])
    assert not shipping.step()
    log.record("ana", "query", "prod/orders")  # nothing waits for the broker
    report = shipping.report()
    assert (report.position, report.lag, report.failures) == (0, 2, 1)
    assert report.problem is not None and SILENT in report.problem
    now[0] += timedelta(minutes=5)
    back = AuditShipping(store, positions, "prod/audit", lambda _: MemoryReceiver(), lambda: now[0])
    while back.step():
        pass
    assert back.report().lag == 0


def test_a_message_over_the_client_s_limit_counts_those_before_it_and_is_named_when_it_is_first() -> None:
    """librdkafka's own broker, in this process."""
    broker = Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1})
    (server,) = broker.list_topics("audit", timeout=10).brokers.values()
    kafka = KafkaAuditTopic("audit", {"bootstrap.servers": f"{server.host}:{server.port}"})
    large = (b"k", b"x" * 1_200_000, T0)
    assert kafka.send([(b"k", b"{}", T0), (b"k", b"{}", T0), large, (b"k", b"{}", T0)]) == 2
    with pytest.raises(MessageTooLarge):
        kafka.send([large])
    assert kafka.send([(b"k", b"{}", T0)]) == 1
    kafka.close()
