"""What this room needs of the outside: a log, a source of its events, a graph."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Protocol, Self

from catalog.model import DatasetId
from lineage.graph_delta import Context, GraphDelta, StoredBook
from lineage.model import Basis, Counts, Direction, Edge, Kind, Node


@dataclass(frozen=True, slots=True)
class Record:
    """A message of the lineage topic."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...] = ()
    arrived: int | None = None
    """When the log took it, milliseconds since 1970; None where the log does not know. The same on every reading."""


class EventLog(Protocol):
    """The durable log of events. Safe for many threads at once."""

    def append(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> None:
        """Return when the event is durable. Raises Unavailable naming Kafka, or InvalidInput for one too large."""

    @property
    def ready(self) -> bool:
        """Whether `send` returns at once: the log is known to be there."""

    def send(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> Future[None]:
        """As `append`, without waiting: done when the event is durable, or has the error that `append` raises."""

    def append_many(
        self, items: Sequence[tuple[str, bytes]], headers: Sequence[tuple[str, bytes]] = ()
    ) -> list[Exception | None]:
        """As `append` for each, with the same headers, delivered together; one outcome an item, None where it is durable."""

    def read(self, after: Mapping[int, int] | None = None) -> Iterator[list[Record]]:
        """What is in the log now, in batches: from the beginning, or from `after` (partition -> next offset) on.

        Ends at the end the log had when this was called. Raises Unavailable.
        """

    def close(self) -> None: ...


class EventSource(Protocol):
    """Events for a member of the consumer group."""

    def poll(self, max_events: int, max_bytes: int, timeout: float) -> list[Record]:
        """Up to so many events, waiting up to `timeout` seconds for the first. Raises Unavailable."""

    def commit(self, records: Sequence[Record]) -> None:
        """These and all before them are done. May be forgotten in a rebalance: events then come again."""

    def lag(self) -> int:
        """Events in the topic that the group has not committed. Raises Unavailable."""

    def close(self) -> None: ...


class StaleBook(Exception):
    """A book was changed by another writer since it was read: read again and fold again. Never leaves this room."""


class TooMuch(Exception):
    """The store has no memory, or not the time, for so large a transaction: write it in smaller parts. Never leaves this room."""


class WriteRefused(Exception):
    """The store will never take this delta (a value it cannot hold). Never leaves this room."""


@dataclass(slots=True)
class Closure:
    """Edges reached from a start, and whether the node budget cut them."""

    edges: list[Edge] = field(default_factory=list)
    truncated: bool = False


class LineageGraph(Protocol):
    """The graph with the books it is derived from. Every method may raise Unavailable naming Neo4j."""

    def prepare(self) -> None:
        """Make constraints and indexes. Harmless to repeat."""

    def warm(self) -> None:
        """Let the store plan the questions that are asked, so that the first of them need not wait for it."""

    # writing
    def books(self, owners: Collection[str]) -> dict[str, StoredBook]: ...

    def context(self, names: Collection[DatasetId]) -> Context:
        """What is known of these datasets: every link of theirs and of what they are linked to, drops, infos."""

    def owners_of(self, datasets: Collection[str]) -> set[str]:
        """Owners of the edges at these dataset ids."""

    def write(self, delta: GraphDelta) -> None:
        """All of it or nothing. Raises StaleBook, TooMuch, WriteRefused."""

    # reading
    def node(self, node_id: str) -> Node | None: ...

    def nodes(self, node_ids: Collection[str]) -> dict[str, Node]: ...

    def fields_of(self, dataset_id: str, limit: int) -> list[Node]: ...

    def closure(
        self,
        starts: Collection[str],
        kind: Kind,
        direction: Direction,
        depth: int,
        as_of: int,
        budget: int,
        basis: Basis = Basis.LAST_RUN,
    ) -> Closure:
        """Edges of one kind reached from `starts` (UPSTREAM or DOWNSTREAM) within 1..100 steps, all valid at `as_of`
        for the question of `basis`.

        Every edge once, never a path; at most `budget` nodes, nearest ones kept as far as the store knows.
        """

    def edges_at(
        self, node_ids: Collection[str], kind: Kind, direction: Direction, as_of: int, basis: Basis = Basis.LAST_RUN
    ) -> list[Edge]:
        """Edges of one kind into (UPSTREAM) or out of (DOWNSTREAM) these nodes, valid at `as_of` for that question."""

    def edges_since(self, node_ids: Collection[str], kind: Kind, direction: Direction, since: int) -> list[Edge]:
        """As `edges_at`, of edges that were valid at `since` or at any time after."""

    def named_in(self, type: str, namespace: str | None, limit: int, offset: int = 0, holding: str = "") -> list[Node]:
        """Datasets or jobs (`type`: dataset | job) of a namespace (None: of all), by id.

        `holding` leaves those whose name has this text in it, in upper or lower case.
        """

    def job_of_run(self, run_id: str) -> Node | None:
        """The job whose newest run this is; None where there is none."""

    def namespaces(self) -> dict[str, tuple[int, int]]:
        """Namespace -> how many datasets and how many jobs it has."""

    def search_ids(self, text: str, limit: int) -> list[str]:
        """Node ids that look like `text`, nearest first, for hints."""

    def counts(self) -> Counts: ...

    def clear(self) -> None:
        """Remove this graph, and no other."""

    def apart(self) -> Self:
        """A graph beside this one that is never shown, to try things on. Empty it afterwards."""

    # rebuilding
    def fresh(self) -> Self:
        """An empty graph beside this one, unseen by readers until `activate`."""

    def activate(self, built: Self) -> None:
        """Let `built` take this one's place at once for readers and writers; then remove what it replaces."""
