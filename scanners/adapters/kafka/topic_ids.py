"""Kafka's ids of topics, by the admin client."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

_NONE = ("AAAAAAAAAAAAAAAAAAAAAA", "None", "")
"""As brokers without ids give them: of all zeros."""


def topic_ids(admin: Any, topics: Collection[str], seconds: float) -> dict[str, str]:
    """The ids by topic; "" for a topic that is gone or may not be described, and where the brokers give none.

    Raises KafkaException where no broker answers.
    """
    from confluent_kafka import KafkaException, TopicCollection

    ids = dict.fromkeys(topics, "")
    if not ids:
        return ids
    described = admin.describe_topics(TopicCollection(list(ids)), request_timeout=seconds)
    for topic, answer in described.items():
        try:
            id = str(answer.result(seconds).topic_id)
        except KafkaException as error:
            if not of_its_own(error):
                raise
        else:
            ids[topic] = "" if id in _NONE else id
    return ids


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
