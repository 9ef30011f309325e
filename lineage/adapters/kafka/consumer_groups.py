"""Consumer groups as confluent_kafka's AdminClient sees them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaError, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient, OffsetSpec

from catalog.errors import Unavailable
from lineage.observed.groups import ConsumerGroup, GroupName, GroupTopic

_PARTITIONS_AT_ONCE = 500
_UNKNOWN = object()
_NONE = (
    KafkaError.GROUP_ID_NOT_FOUND,
    KafkaError.INVALID_GROUP_ID,
    KafkaError.GROUP_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.UNKNOWN_TOPIC_OR_PART,
    KafkaError.OFFSET_NOT_AVAILABLE,
)


class KafkaGroups:
    """See `lineage.observed.groups.GroupReader`. `config` are librdkafka's settings of the cluster, secrets included."""

    def __init__(self, config: Mapping[str, Any], timeout_s: float = 8.0) -> None:
        self._address = str(config.get("bootstrap.servers", ""))
        self._timeout = timeout_s
        try:
            self._admin = AdminClient(
                {**config, "log_level": 0, "error_cb": lambda error: None, "socket.timeout.ms": int(timeout_s * 1000)}
            )
        except KafkaException:
            raise self._unavailable() from None

    def names(self) -> list[GroupName]:
        listing = self._answer(self._admin.list_consumer_groups(request_timeout=self._timeout))
        if listing.errors:  # the list is incomplete: brokers that did not answer have groups too
            raise self._unavailable()
        return sorted((GroupName(g.group_id, g.state.name) for g in listing.valid), key=lambda group: group.name)

    def describe(self, groups: Sequence[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        if not groups:
            return []
        members = self._admin.describe_consumer_groups([g.name for g in groups], request_timeout=self._timeout)
        # Brokers take one group in a request; the requests run in parallel.
        offsets = {
            g.name: self._admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(g.name)], request_timeout=self._timeout
            )[g.name]
            for g in groups
        }
        committed: dict[str, dict[tuple[str, int], int]] = {}
        described: dict[str, object] = {}
        for group in groups:
            about, positions = self._settled(members[group.name]), self._settled(offsets[group.name])
            if about is _UNKNOWN or positions is _UNKNOWN:  # half an answer would show that it reads less than it does
                continue
            described[group.name] = about
            committed[group.name] = {
                (place.topic, place.partition): place.offset
                for place in (positions.topic_partitions if positions else ())
                if place.offset >= 0
            }
        if not described:  # one group's broker may be gone, all of them together are the cluster
            raise self._unavailable()
        ends = self._ends({place for places in committed.values() for place in places}) if lag else {}
        return [
            _group(group, described[group.name], committed[group.name], ends)
            for group in groups
            if described.get(group.name) is not None or committed.get(group.name)
        ]

    def _ends(self, places: set[tuple[str, int]]) -> dict[tuple[str, int], int]:
        offsets: dict[tuple[str, int], int] = {}
        ordered = sorted(places)
        for start in range(0, len(ordered), _PARTITIONS_AT_ONCE):
            some = [TopicPartition(*place) for place in ordered[start : start + _PARTITIONS_AT_ONCE]]
            answers = self._admin.list_offsets(dict.fromkeys(some, OffsetSpec.latest()), request_timeout=self._timeout)
            for place, future in answers.items():
                answer = self._settled(future)
                if answer is _UNKNOWN:  # without it a group would seem less behind than it is
                    raise self._unavailable()
                if answer is not None:
                    offsets[place.topic, place.partition] = answer.offset
        return offsets

    def _answer(self, future: Future[Any]) -> Any:
        try:
            return future.result(timeout=self._timeout + 1)
        except (KafkaException, TimeoutError):
            raise self._unavailable() from None

    def _settled(self, future: Future[Any]) -> Any:
        """The answer; None where the broker reports that this user has none; _UNKNOWN where it did not answer."""
        try:
            return future.result(timeout=self._timeout + 1)
        except TimeoutError:
            return _UNKNOWN
        except KafkaException as error:
            return None if error.args and error.args[0].code() in _NONE else _UNKNOWN

    def _unavailable(self) -> Unavailable:
        return Unavailable(
            f"Kafka at {self._address} does not list its consumer groups; check the address and that the user may"
            " DESCRIBE groups.",
            details={"server": self._address},
        )


def _group(
    group: GroupName, described: Any, committed: Mapping[tuple[str, int], int], ends: Mapping[tuple[str, int], int]
) -> ConsumerGroup:
    members = list(described.members) if described is not None else []
    partitions: dict[str, set[int]] = defaultdict(set)
    behind: dict[str, int] = defaultdict(int)
    for topic, partition in committed:
        partitions[topic].add(partition)
        if (topic, partition) in ends:
            behind[topic] += max(0, ends[topic, partition] - committed[topic, partition])
    for member in members:
        for place in member.assignment.topic_partitions if member.assignment else ():
            partitions[place.topic].add(place.partition)
    return ConsumerGroup(
        group.name,
        described.state.name if described is not None else group.state,
        len(members),
        tuple(sorted({member.client_id for member in members})),
        tuple(GroupTopic(topic, len(numbers), behind.get(topic)) for topic, numbers in sorted(partitions.items())),
    )
