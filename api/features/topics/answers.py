"""Answers about one topic as its brokers and its registry describe it."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about


class TopicPartition(Answer):
    """A partition."""

    partition: int
    leader: int | None = about("Id of a broker; null where there is none just now.")
    replicas: list[int]
    in_sync: list[int]
    begin: int | None = about("First offset; null where it is withheld or may not be asked for.")
    end: int | None = about("Behind the last offset.")
    records: int | None = about("Offsets between them.")
    size: int | None = about("Bytes of the leader's copy on disk; null where it is withheld or not known.")


class TopicPartitions(Answer):
    """Partitions of a topic."""

    partitions: list[TopicPartition]
    records: int | None
    size: int | None = about("Bytes of one copy of all partitions; null where it is withheld or not known of each.")
    withheld: bool = about("A row filter hides records from the caller, so nothing is counted.")


class TopicConfigEntry(Answer):
    """A setting of a topic."""

    name: str
    value: str | None = about("null of a secret one.")
    source: Literal["topic", "broker", "default"] = about("Where it is set.")
    read_only: bool
    sensitive: bool


class TopicConfig(Answer):
    """Configuration of a topic, by name."""

    configs: list[TopicConfigEntry]
    message: str | None = about("Why there is none.")


class TopicGroupMember(Answer):
    """A member that reads the topic."""

    client: str
    host: str
    partitions: list[int]


class TopicGroupPartition(Answer):
    """How far a group has read a partition."""

    partition: int
    member: str | None = about("Client id of the member that reads it now.")
    committed: int | None = about("Next offset it reads; null where it committed none or that is withheld.")
    end: int | None
    lag: int | None


class TopicGroup(Answer):
    """A consumer group that reads the topic."""

    name: str
    state: str
    lag: int | None = about("Of all partitions together; null where it is not known or withheld.")
    members: list[TopicGroupMember]
    partitions: list[TopicGroupPartition]


class TopicGroups(Answer):
    """Consumer groups of a topic, by name."""

    groups: list[TopicGroup]
    unread: int = about("Groups of the cluster that could not be looked at.")
    withheld: bool = about("A row filter hides records from the caller, so offsets and lag are left out.")


class LagPoint(Answer):
    """How far a group was behind in a span of time."""

    at: Time = about("Where the span begins.")
    lag: int | None = about("The largest lag in it; null where nothing was seen.")


class GroupLagSeries(Answer):
    """Lag of a consumer group over time."""

    name: str
    points: list[LagPoint]


class TopicLag(Answer):
    """Lag of a topic's consumer groups over time, those that were furthest behind first."""

    groups: list[GroupLagSeries]
    others: int = about("Groups that are left out, which were less far behind.")
    seconds: float = about("Of a span.")
    withheld: bool = about("A row filter hides records from the caller, so nothing is counted.")


class TopicAcl(Answer):
    """A rule of the brokers."""

    principal: str
    operation: str
    permission: str = about("allow or deny.")
    host: str
    resource: str = about("The topic, a prefix of it, or *.")
    pattern: str = about("literal or prefixed.")


class TopicAcls(Answer):
    """Rules of the brokers that concern a topic."""

    known: Literal["yes", "no_authorizer", "not_allowed"]
    entries: list[TopicAcl]
    message: str | None = about("What it means that there are none.")


class RateBucket(Answer):
    """Records of a span of time."""

    at: Time = about("Where it begins.")
    records: int


class TopicRate(Answer):
    """How many records are stamped with which times."""

    buckets: list[RateBucket]
    records: int | None
    per_second: float | None = about("On average.")
    seconds: float = about("Of a bucket.")
    withheld: bool = about("A row filter hides records from the caller, so nothing is counted.")


class SubjectVersion(Answer):
    """A version of a subject."""

    version: int
    id: int
    type: str = about("AVRO, PROTOBUF or JSON.")


class Subject(Answer):
    """A subject of the schema registry, newest version first."""

    subject: str
    versions: list[SubjectVersion]


class Subjects(Answer):
    """Subjects of a topic."""

    registry: bool = about("Whether the cluster has a schema registry.")
    subjects: list[Subject]
    problems: list[str]


class SubjectLine(Answer):
    """A line of a schema."""

    change: Literal["same", "added", "removed"]
    text: str


class SubjectDiff(Answer):
    """A version of a subject, line by line, against an earlier one where that was asked for."""

    subject: str
    version: int
    before: int | None
    lines: list[SubjectLine]
