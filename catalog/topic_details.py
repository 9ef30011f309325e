"""One topic as its brokers describe it: partitions, configuration, readers, rules. Plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class Partition:
    """leader    id of a broker; None where there is none just now
    replicas, in_sync  ids of brokers
    begin, end  offsets, the end exclusive; None where they may not be asked for
    size        bytes of the leader's copy on disk; None where they may not be asked for
    """

    partition: int
    leader: int | None
    replicas: tuple[int, ...]
    in_sync: tuple[int, ...]
    begin: int | None = None
    end: int | None = None
    size: int | None = None

    @property
    def records(self) -> int | None:
        """Offsets between begin and end: an upper bound of the records there."""
        return None if self.begin is None or self.end is None else self.end - self.begin


@dataclass(frozen=True, slots=True)
class ConfigEntry:
    """value   None of a secret one
    source  topic: set for this topic; broker: set for the brokers; default: Kafka's own
    """

    name: str
    value: str | None
    source: str
    read_only: bool = False
    sensitive: bool = False


class AclsKnown(StrEnum):
    """Whether the rules could be read."""

    YES = "yes"
    NO_AUTHORIZER = "no_authorizer"
    NOT_ALLOWED = "not_allowed"


@dataclass(frozen=True, slots=True)
class Acl:
    """resource  the topic, a prefix of it, or `*`; pattern: literal | prefixed"""

    principal: str
    operation: str
    permission: str
    host: str
    resource: str
    pattern: str


@dataclass(frozen=True, slots=True)
class Acls:
    """The rules of a topic, as far as they are known."""

    known: AclsKnown
    entries: tuple[Acl, ...] = ()


@dataclass(frozen=True, slots=True)
class ReadPartition:
    """committed  next offset the group reads; None where it committed none
    end        None where it may not be asked for
    member     client id of the member that reads it now
    """

    partition: int
    committed: int | None
    end: int | None
    member: str | None = None

    @property
    def lag(self) -> int | None:
        return None if self.committed is None or self.end is None else max(0, self.end - self.committed)


@dataclass(frozen=True, slots=True)
class Member:
    """A member that reads the topic, and which partitions."""

    client: str
    host: str
    partitions: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TopicGroup:
    """A consumer group that committed offsets of the topic, or has members that read it."""

    name: str
    state: str
    members: tuple[Member, ...] = ()
    partitions: tuple[ReadPartition, ...] = ()

    @property
    def lag(self) -> int | None:
        """None where that of no partition is known."""
        lags = [p.lag for p in self.partitions if p.lag is not None]
        return sum(lags) if lags else None


@dataclass(frozen=True, slots=True)
class TopicGroups:
    """groups   by name
    unread   how many groups of the cluster could not be looked at, as they may not be or are too many
    """

    groups: tuple[TopicGroup, ...]
    unread: int = 0


class TopicDetails(Protocol):
    """One topic, asked when somebody looks. `settings` and `bootstrap` are those of its cluster's record.

    Every method raises Unavailable naming the address within some seconds, NotFound for a topic that is not there.
    """

    def partitions(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> list[Partition]:
        """By number."""
        ...

    def configs(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> list[ConfigEntry] | None:
        """By name; None where it may not be read."""
        ...

    def acls(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str) -> Acls:
        """Rules that concern the topic, prefixes and `*` included."""
        ...

    def groups(self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str, most: int) -> TopicGroups:
        """Groups that read the topic; at most so many groups of the cluster are looked at."""
        ...

    def offsets_at(
        self, settings: Mapping[str, Any], bootstrap: Sequence[str], topic: str, moments: Sequence[datetime]
    ) -> list[int]:
        """For each moment, how many offsets of all partitions together are before the first record stamped then or
        later, counted from offset 0."""
        ...
