"""What a governed query needs from others. The composition root passes the real ones in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from catalog.datatypes import StructType
from catalog.errors import LimitExceeded
from catalog.paths import FieldPath
from policies.audit.actions import AuditAction
from policies.model import DatasetFacts, Decision, Subject
from policies.plan.model import Batches, PartRead, QueryPlan, Result, Rows, Window
from policies.sql.windows import AsOf


@dataclass(frozen=True, slots=True)
class QueryTable:
    """A dataset as a query needs it.

    reference  `CLUSTER/TOPIC`; facts: what the catalog knows of its fields (id, tags, owners)
    topic      the Kafka topic; kafka: Spark's Kafka options without topic and offsets, for example
               {"kafka.bootstrap.servers": "...", "kafka.security.protocol": "SASL_SSL", ...}
    key, value how each part is read; headers: a struct of the header names that are known (types are STRING)
    payload    where the data is in a value that is an envelope: its fields are columns, too, under their own names
    keyless    whether a scan saw records, and no key but NULL; a key that comes later is not shown before the next scan
    declared   whether somebody declared the columns of the value
    rows       of a stream view: which records of the topic are its rows; None: each record is a row
    """

    reference: str
    topic: str
    facts: DatasetFacts
    kafka: Mapping[str, str] = field(repr=False)
    key: PartRead
    value: PartRead
    headers: StructType = field(default_factory=StructType)
    payload: FieldPath | None = None
    declared: bool = False
    keyless: bool = False
    rows: Rows | None = None


class TableSource(Protocol):
    def find(self, name: str) -> QueryTable:
        """The dataset a query names: `orders` when unique, `prod.orders`, names with dots as they are.

        Raises DatasetNotFound naming the nearest name, InvalidInput when the name fits several datasets.
        """
        ...

    def facts(self, reference: str) -> DatasetFacts:
        """What the catalog knows of a dataset by now (`CLUSTER/TOPIC`). Raises DatasetNotFound when it is gone."""
        ...


class Decider(Protocol):
    def __call__(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        """What this subject may read, now. Raises nothing for lack of rules: that is a denial with gaps."""
        ...


class Engine(Protocol):
    def run(self, plan: QueryPlan) -> Result:
        """The rows of a query over governed tables.

        Raises QueryFailed for what the query's own words cause (unknown column, wrong type, a value that cannot be
        cast), LimitExceeded on time-out, QueryCancelled when stopped by `plan.stop`, Unavailable when the engine does
        not answer. No message holds a value.
        """
        ...

    def open(self, plan: QueryPlan) -> AbstractContextManager[Batches]:
        """The same, record batch by record batch; leaving the block ends what still runs. Raises as `run`."""
        ...

    def check(self, plan: QueryPlan) -> list[tuple[str, str]]:
        """Names and types of the result, by analysis alone: no record is read. Raises as `run`."""
        ...


@dataclass(frozen=True, slots=True)
class EngineHeap:
    """share  how much of the engine's heap was in use behind its last collection, 0..1
    collections, seconds  collections of the whole heap since it began, and the time they took
    """

    share: float
    collections: int
    seconds: float


class ThreadTime(NamedTuple):
    """Seconds since a thread began.

    used    of a processor
    waited  that it was ready to run and had no processor; 0 where that is not known
    """

    used: float
    waited: float = 0.0


@dataclass(frozen=True)
class EngineThreads:
    """The time of each of the engine's threads that works on something.

    tasks       by the number of the task that the thread works on; a number is never used twice
    statements  by the id of the operation that the thread plans or waits for; see `Stop.operations`
    """

    tasks: Mapping[int, ThreadTime]
    statements: Mapping[str, ThreadTime]


class EngineProcess(Protocol):
    """The engine as a process, as far as it can be seen from here. Nothing here waits for the engine for long."""

    def local(self) -> bool:
        """Whether it is ours to replace; one on a cluster is only looked at."""
        ...

    def alive(self) -> bool:
        """Whether the process lives (a local one), or listens (another)."""
        ...

    def answer(self) -> None:
        """Run the smallest query in a session of its own. May hang as long as the engine does; raises WeirError."""
        ...

    def heap(self) -> EngineHeap | None:
        """None where it cannot be seen."""
        ...

    def threads(self) -> EngineThreads | None:
        """What it works on just now; None where that cannot be seen."""
        ...

    def starved(self) -> bool:
        """Whether others keep the processors from it just now, so that its silence proves little."""
        ...

    def replace(self) -> bool:
        """End the process, if it lives, and begin to start another; False when it is not ours, or being stopped by its
        owner. Raises WeirError."""
        ...

    def forget(self) -> None:
        """Drop the sessions with the engine that was."""
        ...


class Drift(Protocol):
    def __call__(self, reference: str) -> str | None:
        """Values of the dataset (`CLUSTER/TOPIC`) were seen not to fit: the id of the scan that is queued or runs for
        it, None when none is. Raises nothing."""
        ...


class Offsets(Protocol):
    def window(self, kafka: Mapping[str, str], topic: str, as_of: AsOf, limit: int) -> Window:
        """Which offsets to read: at most `limit` records. Raises Unavailable, DatasetNotFound (no such topic)."""
        ...


@dataclass(frozen=True, slots=True)
class QueryRecord:
    """One query for the audit: written before the first row goes out; literals in `sql` are replaced by ?.

    fields   `CLUSTER/TOPIC` -> field paths the query names
    outcome  allow | deny | refused; of an end: done | partial | cancelled | failed
    id       the same in the entry of the beginning and in that of the end, which counts what went out: rows, bytes
    """

    subject: Subject
    action: AuditAction
    purpose: str | None
    sql: str
    datasets: tuple[str, ...]
    fields: Mapping[str, tuple[str, ...]]
    masked: Mapping[str, tuple[str, ...]]
    grants: tuple[str, ...]
    outcome: str
    reasons: tuple[str, ...]
    rows: int | None = None
    bytes: int | None = None
    seconds: float | None = None
    id: str | None = None
    format: str | None = None


class RowBudget(Protocol):
    """How many rows agents are given."""

    def require_left(self, subject: Subject) -> None:
        """Raises LimitExceeded for an agent that has no row left today."""
        ...

    def take(self, subject: Subject, rows: int) -> None:
        """Count rows before they go out. Raises LimitExceeded where they are more than are left today."""
        ...


class NoAgents:
    """`RowBudget` where nobody counts rows: an agent gets none."""

    def require_left(self, subject: Subject) -> None:
        if subject.agent is not None:
            raise LimitExceeded(
                "Nothing counts the rows of agents here, so they get none.", details={"limit": "rows_a_day"}
            )

    def take(self, subject: Subject, rows: int) -> None:
        self.require_left(subject)


class QueryAudit(Protocol):
    def record(self, entry: QueryRecord) -> None:
        """Durable when it returns; what it raises stops the query."""
        ...


class Decoder(Protocol):
    """Bytes to JSON text inside Spark's workers, for formats that Spark cannot read itself."""

    def function(self, part: str, read: PartRead) -> Callable[[bytes | None], str | None]:
        """A picklable function that brings the code it needs: None for bytes that cannot be decoded. It must not raise."""
        ...
