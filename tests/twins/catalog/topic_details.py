"""Topics described from memory, for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from catalog.errors import NotFound
from catalog.topic_details import Acls, AclsKnown, ConfigEntry, Partition, ReadPartition, TopicGroup, TopicGroups


@dataclass
class MemoryTopic:
    """times   partition -> when each of its records was stamped, in the order of offsets
    config  what is set for the topic
    groups  partitions without an end: it is that of the topic
    """

    times: Mapping[int, Sequence[datetime]]
    config: Mapping[str, str] = field(default_factory=dict)
    groups: Sequence[TopicGroup] = ()
    acls: Acls = field(default_factory=lambda: Acls(AclsKnown.NO_AUTHORIZER))


DEFAULTS = {"cleanup.policy": "delete", "retention.ms": "604800000", "max.message.bytes": "1048588"}


class MemoryTopicDetails:
    """Implements `catalog.topic_details.TopicDetails`: one broker, whose id is 1."""

    def __init__(self, topics: Mapping[str, MemoryTopic]) -> None:
        self.topics = dict(topics)

    def partitions(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> list[Partition]:
        results = self._topic(topic)
        return [
            Partition(
                partition=p, leader=1, replicas=(1,), in_sync=(1,), begin=0, end=len(times), size=100 * len(times)
            )
            for p, times in sorted(results.times.items())
        ]

    def configs(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> list[ConfigEntry] | None:
        own = self._topic(topic).config
        return [
            ConfigEntry(name, value, "topic" if name in own else "default")
            for name, value in sorted({**DEFAULTS, **own}.items())
        ]

    def acls(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> Acls:
        results = self.topics.get(topic)
        return results.acls if results is not None else Acls(AclsKnown.NO_AUTHORIZER)

    def groups(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str, most: int) -> TopicGroups:
        results = self._topic(topic)
        ends = {p: len(times) for p, times in results.times.items()}
        groups = [
            TopicGroup(
                group.name,
                group.state,
                group.members,
                tuple(
                    ReadPartition(p.partition, p.committed, ends.get(p.partition), p.member) for p in group.partitions
                ),
            )
            for group in sorted(results.groups, key=lambda g: g.name)
        ]
        return TopicGroups(tuple(groups[:most]), max(0, len(groups) - most))

    def offsets_at(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str, moments: Sequence[datetime]
    ) -> list[int]:
        results = self._topic(topic)

        def first(times: Sequence[datetime], moment: datetime) -> int:
            return next((n for n, each in enumerate(times) if each >= moment), len(times))

        return [sum(first(times, moment) for times in results.times.values()) for moment in moments]

    def _topic(self, name: str) -> MemoryTopic:
        if name not in self.topics:
            raise NotFound(
                f"The topic {name!r} is not in the cluster any more; scan the cluster again.", details={"topic": name}
            )
        return self.topics[name]
