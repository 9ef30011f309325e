"""Kafka's descriptions of topics, by the admin client: id, partitions, leaders."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from confluent_kafka.admin import TopicDescription

_NONE = ("AAAAAAAAAAAAAAAAAAAAAA", "None", "")
"""As brokers without ids give them: of all zeros."""


def described(admin: Any, topics: Collection[str], seconds: float) -> dict[str, TopicDescription]:
    """confluent_kafka's descriptions by topic, without topics that are gone or may not be described.

    Raises KafkaException where no broker answers.
    """
    from confluent_kafka import KafkaException, TopicCollection

    descriptions: dict[str, TopicDescription] = {}
    if not topics:
        return descriptions
    answers = admin.describe_topics(TopicCollection(sorted(topics)), request_timeout=seconds)
    for topic, answer in answers.items():
        try:
            descriptions[topic] = answer.result(seconds)
        except KafkaException as error:
            if not of_its_own(error):
                raise
    return descriptions


def id_of(description: Any) -> str:
    """The id of a topic; "" where the brokers give none."""
    id = str(description.topic_id)
    return "" if id in _NONE else id


def of_its_own(error: Any) -> bool:
    """Whether an error is about a topic or a partition, and not about the cluster."""
    from confluent_kafka import KafkaError

    return error.args[0].code() in (
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,
    )
