"""What the scanners need from the outside, as narrow as they need it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from catalog.errors import Unavailable
from scanners.model import ClusterConnection, OffsetRange, RawRecord, Recognizer, RegisteredSchema, Topic, TopicFormat

Cancelled = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class ProfileJob:
    """Everything a worker needs to profile some topics; travels to Spark as JSON.

    schemas     registered schemas by id
    expected    what is declared or registered of a topic's parts, see `scanners.checks.topic_checks.expected_of`
    formats     formats already known or declared, by topic: they win over what the bytes look like
    deadline    seconds since 1970 after which records are skipped and counted, or None
    salt        random text that keys the hashes behind the distinct estimates; a new one for every scan
    resume      the scan's id, by which it continues where a process that died left it; empty: from the beginning
    """

    cluster: ClusterConnection
    ranges: tuple[OffsetRange, ...]
    schemas: Mapping[int, RegisteredSchema] = field(default_factory=dict)
    formats: Mapping[str, TopicFormat] = field(default_factory=dict)
    expected: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    recognizers: tuple[Recognizer, ...] = ()
    max_bytes: int = 64 * 1024 * 1024
    deadline: float | None = None
    salt: str = ""
    detect: bool = True
    phone_regions: tuple[str, ...] = ()
    free_text_limit: int = 150
    regex_seconds: float = 2.0
    tasks: int = 4
    resume: str = ""


class JobFailed(Unavailable):
    """The servers answer, and still a job did not end well: one of its topics may be the cause."""


class Sampler(Protocol):
    """Reads offset ranges and profiles them where they are read; only sealed sketches come back."""

    def profile(self, job: ProfileJob, cancelled: Cancelled) -> Iterator[tuple[str, bytes]]:
        """(topic, serialised sketch) for each topic of the job that had a record.

        Raises Unavailable when Spark or Kafka cannot be reached, JobFailed when the job fails; Cancelled from `cancelled` ends the
        iteration early.
        """
        ...


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """How far the scan of a topic came: the offsets that are in the sketch, and the sketch, unfinished and encrypted."""

    done: tuple[OffsetRange, ...]
    sketch: bytes


class Checkpoints(Protocol):
    """Keeps how far scans came, over a restart of this process. `key` encrypts the sketches, 32 bytes."""

    key: bytes

    def load(self, scan: str, topic: str) -> Checkpoint | None: ...

    def save(self, scan: str, topic: str, checkpoint: Checkpoint) -> None:
        """Replaces the last one of this scan and topic, whole or not at all."""
        ...

    def drop(self, scan: str, topics: Sequence[str]) -> None: ...


class DeadLetters(Protocol):
    """Copies records that cannot be decoded, as they are, to a topic of their cluster."""

    def send(self, job: ProfileJob, target: str, cancelled: Cancelled) -> None:
        """Read the job's ranges again with its formats; those of a record that cannot be read go to the topic `target`
        (made when it is not there) with its place and the reason in headers, see `scanners.decode.dead_letters`.

        At least once: a scan that is repeated sends them again. Raises Unavailable.
        """
        ...


class OffsetLookup(Protocol):
    """Topics and offsets of a cluster, read without a consumer group."""

    def topics(self, cluster: ClusterConnection) -> list[str]:
        """Names of all topics. Raises Unavailable."""
        ...

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        """Begin and end offsets; a topic that is gone meanwhile is left out. Partitions that cannot be read are named
        with their topic, and take nothing from the others. Raises Unavailable where the cluster does not answer."""
        ...


@dataclass(frozen=True, slots=True)
class ReadRecords:
    """Records as they were read, and for each partition the first offset that was not reached."""

    records: tuple[RawRecord, ...]
    next: Mapping[int, int]


class RecordReader(Protocol):
    """Reads all records of some offsets into this process, without a consumer group."""

    def topic_id(self, cluster: ClusterConnection, topic: str) -> str:
        """Kafka's id of a topic; "" where the brokers give none. Raises Unavailable."""
        ...

    def read(
        self, cluster: ClusterConnection, ranges: Sequence[OffsetRange], max_bytes: int, seconds: float
    ) -> ReadRecords:
        """Until the ranges are read, or so many bytes or seconds are used. Raises Unavailable."""
        ...


@dataclass(frozen=True, slots=True)
class RegistryAnswer:
    """Schemas found, and what could not be had: [{"reason", ...}]."""

    schemas: Mapping[int, RegisteredSchema]
    problems: tuple[Mapping[str, Any], ...] = ()


class SchemaRegistry(Protocol):
    """A schema registry. What scans ask (`for_topics`, `by_ids`, `by_guids`) never raises for one that is down, but reports it."""

    def for_topics(self, cluster: ClusterConnection, topics: Sequence[str], seen: Sequence[int] = ()) -> RegistryAnswer:
        """All versions of the subjects that belong to the topics by name; and the schemas with the ids that were `seen` in
        them, with all versions of the subjects named by a record (`com.acme.Order`) that contains these."""
        ...

    def newest(self, cluster: ClusterConnection, subject: str) -> RegisteredSchema | None:
        """The newest schema of a subject; None when there is none. Raises Unavailable."""
        ...

    def accepts(self, cluster: ClusterConnection, subject: str, kind: str, text: str) -> tuple[bool, list[str]]:
        """Whether a schema (kind: AVRO or JSON) may follow the subject's newest by the subject's own rule, and why not.

        Raises Unavailable.
        """
        ...

    def register(self, cluster: ClusterConnection, subject: str, kind: str, text: str) -> int:
        """The id of a schema, which is the subject's newest from now on. Raises Conflict where the registry refuses it,
        Unavailable."""
        ...

    def by_ids(self, cluster: ClusterConnection, ids: Sequence[int]) -> RegistryAnswer:
        """The schemas with these ids, with what they refer to."""
        ...

    def by_guids(self, cluster: ClusterConnection, guids: Sequence[str]) -> RegistryAnswer:
        """The schemas with these GUIDs, which they carry, with what they refer to; of a registry that knows no GUIDs
        none, and the problem `guids_not_supported`."""
        ...
