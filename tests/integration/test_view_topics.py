"""Topics of views on a real Kafka: what they are, and what is changed of them."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.errors import Conflict, DatasetNotFound
from views.adapters.topics import KafkaTopics
from views.ports import TopicSettings, ViewRecord

pytestmark = pytest.mark.integration


@pytest.fixture
def there(stack: Any) -> Iterator[tuple[dict[str, str], str]]:
    kafka, name = {"bootstrap.servers": stack.kafka}, f"topics.{uuid.uuid4().hex[:8]}"
    admin = AdminClient(kafka)
    for future in admin.create_topics([NewTopic(name, 1, 1, config={"retention.ms": "3600000"})]).values():
        future.result(30)
    yield kafka, name
    for future in admin.delete_topics([name]).values():
        future.result(30)


def test_a_topic_that_is_there_already_is_changed(there: tuple[dict[str, str], str]) -> None:
    kafka, name = there
    topics = KafkaTopics()
    before = topics.options(kafka, name)
    assert before is not None and (before.partitions, before.replication) == (1, 1)
    assert before.config["retention.ms"] == "3600000" and topics.compacted(kafka, name) is False
    assert not topics.ensure(kafka, name, TopicSettings(3, 1, True, None))
    topics.alter(kafka, name, {"cleanup.policy": "compact,delete", "retention.ms": "-1"}, 3)
    after = topics.options(kafka, name)
    assert after is not None and after.partitions == 3
    assert after.config["retention.ms"] == "-1" and topics.compacted(kafka, name) is True
    with pytest.raises(Conflict, match="refuses to change the topic"):
        topics.alter(kafka, name, {"retention.ms": "soon"}, None)
    with pytest.raises(Conflict, match="refuses to change the topic"):
        topics.alter(kafka, name, {}, 2)


def test_a_topic_that_is_not_there(stack: Any) -> None:
    kafka = {"bootstrap.servers": stack.kafka}
    assert KafkaTopics().options(kafka, "topics.nobody") is None
    with pytest.raises(DatasetNotFound, match=r"no topic topics\.nobody"):
        KafkaTopics().compacted(kafka, "topics.nobody")


def test_a_record_ends_the_wait_for_it(there: tuple[dict[str, str], str]) -> None:
    kafka, name = there
    reader = KafkaTopics().read(kafka, name, {0: 0})
    try:
        begun = time.monotonic()
        assert reader.poll(100, 1.0) == [] and time.monotonic() - begun >= 0.9
        timer = threading.Timer(1.0, _send, (kafka, name, 3))
        timer.start()
        records: list[ViewRecord] = []
        begun = time.monotonic()
        while len(records) < 3 and time.monotonic() - begun < 20:
            records += reader.poll(100, 20.0)
        assert len(records) == 3 and time.monotonic() - begun < 6, "a wait of 20 s is over with the first record"
        _send(kafka, name, 500)
        begun, records = time.monotonic(), []
        while len(records) < 500 and time.monotonic() - begun < 20:
            batch = reader.poll(100, 5.0)
            assert len(batch) <= 100
            records += batch
        assert [record.offset for record in records] == list(range(3, 503))
    finally:
        reader.close()


def _send(kafka: dict[str, str], topic: str, count: int) -> None:
    producer = Producer(kafka)
    for number in range(count):
        producer.produce(topic, f"{number}".encode())
    assert producer.flush(10) == 0
