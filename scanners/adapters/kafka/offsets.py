"""Topics and offsets by confluent_kafka's admin client: no consumer group, nothing committed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from catalog.errors import Unavailable
from scanners.adapters.kafka.settings import librdkafka
from scanners.model import ClusterConnection, Partition, Topic
from scanners.settings import ScannerSettings

_RETRY_S = 0.2


class KafkaOffsets:
    """`OffsetLookup` on a real cluster."""

    def __init__(self, settings: ScannerSettings | None = None) -> None:
        self._settings = settings or ScannerSettings()

    def topics(self, cluster: ClusterConnection) -> list[str]:
        with self._admin(cluster) as admin:
            return sorted(admin.list_topics(timeout=self._settings.kafka_seconds).topics)

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        # A topic that was deleted, or has another leader, since it was listed: the next list knows.
        again = Retrying(
            retry=retry_if_exception(_moved),
            stop=stop_after_delay(self._settings.kafka_seconds),
            wait=wait_fixed(_RETRY_S),
            reraise=True,
        )
        with self._admin(cluster) as admin:
            return again(self._listed, admin, set(topics))

    def _listed(self, admin: Any, wanted: set[str]) -> list[Topic]:
        from confluent_kafka import TopicPartition
        from confluent_kafka.admin import OffsetSpec

        metadata = admin.list_topics(timeout=self._settings.kafka_seconds).topics
        parts = [
            TopicPartition(name, number)
            for name in sorted(wanted & set(metadata))
            if metadata[name].error is None
            for number in metadata[name].partitions
        ]
        if not parts:
            return []
        ends: list[dict[tuple[str, int], int]] = []
        # read_committed would end at an open transaction; Spark reads up to there by itself.
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest()):
            futures = admin.list_offsets(dict.fromkeys(parts, spec), request_timeout=self._settings.kafka_seconds)
            ends.append({(p.topic, p.partition): answer.result().offset for p, answer in futures.items()})
        begins, latest = ends
        by_topic: dict[str, list[Partition]] = {}
        for (name, number), begin in sorted(begins.items()):
            by_topic.setdefault(name, []).append(Partition(number, begin, latest[name, number]))
        return [Topic(name, tuple(partitions)) for name, partitions in by_topic.items()]

    @contextmanager
    def _admin(self, cluster: ClusterConnection) -> Iterator[Any]:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        try:
            yield AdminClient(librdkafka(cluster.kafka, cluster.bootstrap, self._settings.kafka_seconds))
        except KafkaException as error:
            raise Unavailable(
                f"Kafka at {cluster.bootstrap} (cluster {cluster.name}) does not answer: {_reason(error)}."
                " Check the address and the security settings.",
                details={"server": "kafka", "bootstrap": cluster.bootstrap},
            ) from error


def _moved(error: Any) -> bool:
    from confluent_kafka import KafkaError, KafkaException

    return isinstance(error, KafkaException) and error.args[0].code() in (
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.UNKNOWN_TOPIC_ID,
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_LEADER_EPOCH,
        KafkaError.FENCED_LEADER_EPOCH,
        KafkaError.OFFSET_NOT_AVAILABLE,
    )


def _reason(error: Any) -> str:
    """librdkafka's name of what is wrong, which holds neither data nor secrets."""
    inner: Any = error.args[0] if error.args else None
    return str(inner.name()).strip("_").lower().replace("_", " ") if hasattr(inner, "name") else "no connection"
