"""Topics and offsets by confluent_kafka's admin client: no consumer group, nothing committed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tenacity import Retrying, retry_if_result, stop_after_delay, wait_fixed

from catalog.errors import Unavailable
from scanners.adapters.kafka.descriptions import described, id_of, of_its_own
from scanners.adapters.kafka.settings import librdkafka
from scanners.model import ClusterConnection, Partition, Topic
from scanners.settings import ScannerSettings

_RETRY_S = 0.2
_LEADER_S = 3.0
"""How long a new leader of a partition is waited for."""
_NO_LEADER = "leader not available"

_Place = tuple[str, int]
"""A topic and the number of a partition."""


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
            retry=retry_if_result(lambda topics: any(each.unreadable for each in topics)),
            stop=stop_after_delay(min(_LEADER_S, self._settings.kafka_seconds)),
            wait=wait_fixed(_RETRY_S),
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else [],
        )
        with self._admin(cluster) as admin:
            listed: list[Topic] = again(self._listed, admin, set(topics))
            return listed

    def _listed(self, admin: Any, wanted: set[str]) -> list[Topic]:
        from confluent_kafka.admin import OffsetSpec

        # Of these topics only: a list of all takes as long as the cluster is large.
        topics = described(admin, wanted, self._settings.kafka_seconds)
        leaders = {(name, part.id): part.leader for name, topic in sorted(topics.items()) for part in topic.partitions}
        unreadable = {place: _NO_LEADER for place, leader in leaders.items() if leader is None}
        ends: list[dict[_Place, int]] = []
        # read_committed would end at an open transaction; Spark reads up to there by itself.
        for spec in (OffsetSpec.earliest(), OffsetSpec.latest()):
            places = [place for place in leaders if place not in unreadable]
            offsets, failures = self._ends(admin, places, spec)
            ends.append(offsets)
            unreadable |= {place: _reason(error) for place, error in failures.items()}
        begins, latest = ends
        by_topic: dict[str, list[_Place]] = {}
        for place in sorted(leaders):
            by_topic.setdefault(place[0], []).append(place)
        return [
            Topic(
                name,
                tuple(Partition(place[1], begins[place], latest[place]) for place in places if place not in unreadable),
                tuple((place[1], unreadable[place]) for place in places if place in unreadable),
                id_of(topics[name]),
            )
            for name, places in by_topic.items()
        ]

    def _ends(self, admin: Any, places: Sequence[_Place], spec: Any) -> tuple[dict[_Place, int], dict[_Place, Any]]:
        """Offsets by place, and the errors of places that have none. Raises KafkaException where no broker answers."""
        from confluent_kafka import KafkaException, TopicPartition

        wanted = {TopicPartition(*place): spec for place in places}
        offsets: dict[_Place, int] = {}
        failures: dict[_Place, Any] = {}
        if wanted:
            answers = admin.list_offsets(wanted, request_timeout=self._settings.kafka_seconds)
            for place, answer in answers.items():
                try:
                    offsets[place.topic, place.partition] = answer.result().offset
                except KafkaException as error:
                    failures[place.topic, place.partition] = error
        if not failures or offsets:
            return offsets, failures
        if not all(of_its_own(error) for error in failures.values()):
            raise next(error for error in failures.values() if not of_its_own(error))
        names = list(dict.fromkeys(name for name, _ in places))
        if len(names) == 1:
            return offsets, failures
        # One partition that lost its leader a moment ago fails the whole request.
        failures = {}
        for name in names:
            some, failed = self._ends(admin, [place for place in places if place[0] == name], spec)
            offsets, failures = offsets | some, failures | failed
        return offsets, failures

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


def _reason(error: Any) -> str:
    """librdkafka's name of what is wrong, which holds neither data nor secrets."""
    inner: Any = error.args[0] if error.args else None
    return str(inner.name()).strip("_").lower().replace("_", " ") if hasattr(inner, "name") else "no connection"
