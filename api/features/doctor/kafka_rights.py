"""What the user of a Kafka client may do, as the brokers themselves report it (KIP-430)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class KafkaRights:
    """Names of operations as Kafka writes them: CREATE, DESCRIBE, ALTER; None where the brokers do not report.

    topics   of each topic that was asked for and is there
    version  the version of its protocol between brokers; None where they do not show it
    """

    cluster: frozenset[str] | None
    topics: Mapping[str, frozenset[str] | None]
    version: str | None


def kafka_rights(config: Mapping[str, Any], topics: Collection[str] = ()) -> KafkaRights:
    """`config`: librdkafka's, addresses included. Raises KafkaException, TimeoutError."""
    from confluent_kafka import KafkaException, TopicCollection
    from confluent_kafka.admin import AdminClient

    admin = AdminClient({**config, "log_level": 0, "error_cb": lambda _: None})
    described = admin.describe_cluster(include_authorized_operations=True, request_timeout=_SECONDS).result(
        _SECONDS + 1
    )
    there = sorted(set(topics) & set(admin.list_topics(timeout=_SECONDS).topics))
    rights: dict[str, frozenset[str] | None] = {}
    if there:
        answers = admin.describe_topics(
            TopicCollection(there), include_authorized_operations=True, request_timeout=_SECONDS
        )
        for name, future in answers.items():
            try:
                rights[name] = _names(future.result(_SECONDS + 1).authorized_operations)
            except KafkaException:
                rights[name] = frozenset()
    return KafkaRights(_names(described.authorized_operations), rights, _version(admin, described.controller.id))


def _names(operations: Any) -> frozenset[str] | None:
    return None if operations is None else frozenset(operation.name for operation in operations)


def _version(admin: Any, broker: int) -> str | None:
    from confluent_kafka import KafkaException
    from confluent_kafka.admin import ConfigResource, ResourceType

    try:
        (answer,) = admin.describe_configs(
            [ConfigResource(ResourceType.BROKER, str(broker))], request_timeout=_SECONDS
        ).values()
        entry = answer.result(_SECONDS + 1).get("inter.broker.protocol.version")
        return str(entry.value) if entry is not None and entry.value else None
    except (KafkaException, TimeoutError, ValueError):
        return None
