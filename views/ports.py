"""What this room needs from others. The composition root passes the real ones in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from policies.audit.actions import AuditAction
from views.model import Positions, Progress, StreamPlan, Unfit, Wish


class StreamingQuery(Protocol):
    """One streaming query that an engine runs."""

    def progress(self) -> Progress:
        """What it reported last, and the batches since the call before.

        Raises ViewFailed (a sentence) when it ended by itself, Unavailable when the engine is
        away or has forgotten it."""
        ...

    def stop(self) -> None:
        """End it and wait for that, a few seconds at most. Raises nothing when it has ended already; Unavailable."""
        ...


class StreamEngine(Protocol):
    def columns(self, plan: StreamPlan) -> list[tuple[str, str]]:
        """Names and Spark types of the result, by analysis alone. Raises QueryFailed, Unavailable."""
        ...

    def start(self, plan: StreamPlan, session: str) -> StreamingQuery:
        """Start from the plan's checkpoint, or from `plan.start` where there is none. A query that still runs on that
        checkpoint is ended first. `session`: a new UUID, by which `end` knows the query. Raises ViewFailed, QueryFailed,
        Unavailable."""
        ...

    def unfit(self, plan: StreamPlan, ranges: Mapping[str, Mapping[int, tuple[int, int]]], most: int) -> list[Unfit]:
        """The records of followed topics within these offsets (topic -> partition -> first, end) whose values do not fit,
        `most` at most of each topic, by offset. Records that are gone by now are passed over. Raises Unavailable."""
        ...

    def end(self, session: str) -> None:
        """End what was started under this session, by whatever process; nothing where that has ended. Raises
        Unavailable."""
        ...

    def forget(self, checkpoint: str) -> None:
        """Delete a checkpoint with all state in it, and the folder around it where nothing else is there; nothing where there is
        none. Raises Unavailable."""
        ...

    def tidy(self, checkpoints: str) -> None:
        """Delete empty folders below the one with all checkpoints. Nothing is started meanwhile."""
        ...


@dataclass(frozen=True, slots=True)
class TopicSettings:
    """How a view's topic is created. `ttl_ms`: None keeps records for ever."""

    partitions: int
    replication: int
    compacted: bool
    ttl_ms: int | None


@dataclass(frozen=True, slots=True)
class TopicOptions:
    """A topic as it is. `config`: its options by Kafka's names."""

    partitions: int
    replication: int
    config: Mapping[str, str]


class Topics(Protocol):
    """A view's topic on its cluster. `kafka`: librdkafka's settings of the cluster. All raise Unavailable."""

    def ensure(self, kafka: Mapping[str, str], topic: str, settings: TopicSettings) -> bool:
        """Create it where it is missing; whether it was created."""
        ...

    def options(self, kafka: Mapping[str, str], topic: str) -> TopicOptions | None:
        """None for a topic that is not there, or whose options the cluster does not show."""
        ...

    def alter(self, kafka: Mapping[str, str], topic: str, config: Mapping[str, str], partitions: int | None) -> None:
        """Set these options, and have so many partitions. Raises Conflict where the cluster refuses that."""
        ...

    def partitions(self, kafka: Mapping[str, str], topic: str) -> int:
        """How many it has; 0 for a topic that is not there."""
        ...

    def ends(self, kafka: Mapping[str, str], topic: str) -> Positions:
        """Partition -> the offset behind its last record. Raises DatasetNotFound for a topic that is not there."""
        ...

    def starts(self, kafka: Mapping[str, str], topic: str) -> Positions: ...

    def cut(self, kafka: Mapping[str, str], topic: str, before: Positions) -> None:
        """Delete all records before these offsets."""
        ...

    def delete(self, kafka: Mapping[str, str], topic: str) -> None: ...

    def compacted(self, kafka: Mapping[str, str], topic: str) -> bool | None:
        """Whether it keeps the newest record of each key; None where the cluster does not let Weir see that. Raises
        DatasetNotFound for a topic that is not there."""
        ...

    def at(self, kafka: Mapping[str, str], topic: str, moment: datetime) -> Positions:
        """Partition -> the first offset of a record at this time or later; the end where there is none. Raises
        DatasetNotFound."""
        ...

    def send(self, kafka: Mapping[str, str], topic: str, records: Sequence[tuple[str, bytes]]) -> None:
        """Write records (key, value), and wait until the cluster has them all."""
        ...

    def read(self, kafka: Mapping[str, str], topic: str, positions: Positions) -> TopicReader: ...


@dataclass(frozen=True, slots=True)
class ViewRecord:
    """A record of a view's topic. `value` None: the row of this key is gone. `generation` and `row_key` (the key's
    columns as a JSON object) as its headers have them; `place`, of a row without a key: BATCH,RUN."""

    partition: int
    offset: int
    value: bytes | None
    generation: str
    row_key: bytes | None = None
    place: str = ""


class TopicReader(Protocol):
    """Reads a topic from given positions on, without a consumer group."""

    def poll(self, most: int, seconds: float) -> list[ViewRecord]:
        """What came, at most `most` records; none after `seconds` without news. Raises Unavailable."""
        ...

    def positions(self) -> Positions:
        """Where the next poll of each partition begins; a partition that was not polled yet may be missing."""
        ...

    def close(self) -> None: ...


class ViewStates(Protocol):
    """What is known of each view beside its document. All raise Unavailable.

    state  written by the runner alone (`views.runner.state`); wish: by who operates the view: {paused, restart, rebuild}
    """

    def beat(self, at: datetime) -> None:
        """Note that the runner is at work."""
        ...

    def beaten(self) -> datetime | None:
        """When it noted that last; None: never."""
        ...

    def get(self, view: str) -> dict[str, object]:
        """As `ViewState.read` takes it; empty for one that nothing is known of."""
        ...

    def all(self) -> dict[str, dict[str, object]]: ...

    def names(self) -> set[str]:
        """The views that something is known of."""
        ...

    def put(self, view: str, state: Mapping[str, object]) -> None: ...

    def wish(self, view: str) -> Wish: ...

    def put_wish(self, view: str, wish: Wish) -> None: ...

    def forget(self, view: str) -> None: ...


class Clusters(Protocol):
    """How the clusters of views are reached. Secrets are read when they are needed."""

    def client(self, cluster: str) -> Mapping[str, str]:
        """librdkafka's settings, addresses included. Raises NotFound for a cluster that is not declared."""
        ...

    def spark(self, cluster: str) -> Mapping[str, str]:
        """The same as Spark's Kafka options."""
        ...


class Registry(Protocol):
    """The schema registries of clusters. All raise Unavailable, and Conflict for a cluster that has none."""

    def has(self, cluster: str) -> bool:
        """Whether the cluster has one; raises nothing but NotFound."""
        ...

    def newest(self, cluster: str, subject: str) -> tuple[str, str] | None:
        """(AVRO | JSON | PROTOBUF, text) of the subject's newest version."""
        ...

    def accepts(self, cluster: str, subject: str, schema: str) -> tuple[bool, list[str]]:
        """Whether the subject's compatibility lets an Avro schema follow its newest, and why not."""
        ...

    def register(self, cluster: str, subject: str, schema: str) -> int:
        """The number of an Avro schema, which the subject has from now on. Raises Conflict where it is refused."""
        ...


class Journal(Protocol):
    def __call__(self, action: AuditAction, view: str, reasons: Sequence[str]) -> None:
        """Add to the audit what the runner did with a view (`view.start`, `view.replace`, `view.drop`, `view.stop`)."""
        ...
