"""Whether what was counted of a topic may be remembered, and under which identity."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import structlog
from cachetools import LRUCache

from policies.adapters.kafka.offsets import client_settings
from policies.plan.model import TablePlan

_log = structlog.get_logger(__name__)
_CLUSTERS_KEPT = 20
_ASKED_SECONDS = 2.0
_NO_ID = "AAAAAAAAAAAAAAAAAAAAAA"
"""Kafka's id of a topic that has none."""


class TopicIdentity:
    """Implements `policies.adapters.kafka.positions.Identity`. Safe for threads."""

    def __init__(self, settings: Callable[[str], Mapping[str, str]] | None = None) -> None:
        """`settings`: bootstrap servers -> librdkafka settings beyond Spark's options (see `KafkaOffsets`)."""
        self._settings = settings or (lambda bootstrap: {})
        self._admins: LRUCache[tuple[tuple[str, str], ...], Any] = LRUCache(_CLUSTERS_KEPT)
        self._lock = threading.Lock()

    def __call__(self, table: TablePlan) -> tuple[str, str, str] | None:
        """The cluster, the name and the id of a topic whose records stay as they are; None where they may not, or where the
        brokers do not answer."""
        from confluent_kafka import TopicCollection
        from confluent_kafka.admin import ConfigResource, ResourceType

        resource = ConfigResource(ResourceType.TOPIC, table.topic)
        try:
            client = self._admin(table.kafka)
            topics = client.describe_topics(TopicCollection([table.topic]), request_timeout=_ASKED_SECONDS)
            configs = client.describe_configs([resource], request_timeout=_ASKED_SECONDS)
            topic_id = str(topics[table.topic].result(_ASKED_SECONDS).topic_id)
            policy = configs[resource].result(_ASKED_SECONDS)["cleanup.policy"].value
        except Exception as error:
            _log.info("count not remembered", topic=table.topic, error=type(error).__name__)
            return None
        if policy != "delete" or topic_id in (_NO_ID, "None", ""):
            return None
        return table.kafka.get("kafka.bootstrap.servers", ""), table.topic, topic_id

    def _admin(self, kafka: Mapping[str, str]) -> Any:
        from confluent_kafka.admin import AdminClient

        settings = client_settings(kafka, self._settings(kafka.get("kafka.bootstrap.servers", "")))
        key = tuple(sorted(settings.items()))
        with self._lock:
            if key not in self._admins:
                self._admins[key] = AdminClient({**settings, "log_level": 0})
            return self._admins[key]
