"""Consumer groups without instrumentation: what brokers see of who reads what, as OpenLineage events of their own.

A group is a job of its cluster's namespace. It reads a topic while it has committed offsets there or a
member is assigned to it; `seen` moves only while it has members, so a group that stopped is not kept alive.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from lineage.observed.run_events import Facet, ObservedEvent, job_facet, run_event

PRODUCER = "https://weir.example/observed/consumer-groups"
JOB_TYPE = "CONSUMER_GROUP"
_UNSETTLED = ("PREPARING_REBALANCING", "COMPLETING_REBALANCING", "UNKNOWN")
AT_ONCE = 100
"""Groups asked about in one go."""


@dataclass(frozen=True, slots=True)
class GroupName:
    """A group as a cluster lists it. `state`: STABLE, EMPTY, PREPARING_REBALANCING, COMPLETING_REBALANCING, DEAD, UNKNOWN."""

    name: str
    state: str


@dataclass(frozen=True, slots=True)
class GroupTopic:
    """A topic a group reads: partitions with a committed offset or a member, and records behind; None where not known."""

    topic: str
    partitions: int
    lag: int | None = None


@dataclass(frozen=True, slots=True)
class ConsumerGroup:
    """A group with its members' client ids (each once) and its topics, by name."""

    name: str
    state: str
    members: int = 0
    clients: tuple[str, ...] = ()
    topics: tuple[GroupTopic, ...] = ()

    @property
    def active(self) -> bool:
        return self.members > 0


class GroupReader(Protocol):
    """One cluster's groups. Every method raises Unavailable naming the cluster's address."""

    def names(self) -> list[GroupName]:
        """Every group, by name: one question."""

    def describe(self, groups: Sequence[GroupName], lag: bool = False) -> list[ConsumerGroup]:
        """Members, topics and, where asked for, lag of these. A group that may not be read, or is gone, is left out."""


@dataclass(slots=True)
class GroupWatch:
    """Turns the groups of a cluster into events, and repeats one only when something changed.

    hidden    names of Weir's own groups; limit: groups looked at in one cluster, the first by name
    again_s   an unchanged group with members is reported again after so many seconds
    """

    hidden: Collection[str] = ()
    limit: int = 5000
    again_s: float = 3600.0
    clock: Callable[[], float] = time.monotonic
    _told: dict[tuple[str, str], tuple[str, float]] = field(default_factory=dict)

    def events(
        self, namespace: str, reader: GroupReader, left_out: Collection[str] = ()
    ) -> Iterator[list[ObservedEvent]]:
        """Events about the groups of a cluster, in batches. `left_out`: groups that are shown as something else."""
        names = [group for group in reader.names() if not self.is_hidden(group.name) and group.name not in left_out]
        for start in range(0, min(len(names), self.limit), AT_ONCE):
            some = names[start : min(start + AT_ONCE, self.limit)]
            yield [event for group in reader.describe(some) if (event := self._event(namespace, group)) is not None]
        known = {(namespace, group.name) for group in names}
        for key in [key for key in self._told if key[0] == namespace and key not in known]:
            del self._told[key]

    def is_hidden(self, name: str) -> bool:
        return name in self.hidden or name.startswith("_weir")

    def _event(self, namespace: str, group: ConsumerGroup) -> ObservedEvent | None:
        if group.state in _UNSETTLED:  # its members have no topics just now, and will in a moment
            return None
        if all(topic.topic.startswith("_weir") for topic in group.topics):
            return None
        digest = hashlib.sha256(repr((group.active, [t.topic for t in group.topics])).encode()).hexdigest()
        last_digest, at = self._told.get((namespace, group.name), ("", 0.0))
        if last_digest == digest and (not group.active or self.clock() - at < self.again_s):
            return None
        self._told[namespace, group.name] = (digest, self.clock())
        return event_of(namespace, group)

    def forget(self, namespace: str) -> None:
        """Report everything of a cluster again: the last reports could not be stored."""
        for key in [key for key in self._told if key[0] == namespace]:
            del self._told[key]


def event_of(namespace: str, group: ConsumerGroup, at: datetime | None = None) -> ObservedEvent:
    """A group as a RunEvent: one endless run, each of whose reports is complete."""
    about = f"Consumer group with {group.members} member{'' if group.members == 1 else 's'}, seen by the brokers."
    return run_event(
        PRODUCER,
        (namespace, group.name),
        {"jobType": job_type("KAFKA", JOB_TYPE), "documentation": job_facet(PRODUCER, {"description": about})},
        running=group.active,
        inputs=[(namespace, topic.topic) for topic in group.topics],
        at=at,
    )


def job_type(integration: str, kind: str) -> Facet:
    """An endless job of which each report is the whole truth."""
    return job_facet(
        PRODUCER,
        {
            "processingType": "STREAMING",
            "integration": integration,
            "jobType": kind,
            "emissionPattern": {"eventTrigger": "PERIODIC", "eventContentMode": "COMPLETE_SNAPSHOT"},
        },
    )


def page(
    groups: Iterable[GroupName], topic_of: Collection[str] | None, limit: int, offset: int
) -> tuple[list[GroupName], int]:
    """Groups of one page and how many there are in all; `topic_of`: only these names, when given."""
    matches = [group for group in groups if topic_of is None or group.name in topic_of]
    return matches[offset : offset + limit], len(matches)
