"""Topics of views on a real Kafka: what they are, and what is changed of them."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.errors import Conflict, DatasetNotFound
from views.adapters.topics import KafkaTopics
from views.ports import TopicSettings

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
