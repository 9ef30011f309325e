"""In-memory twins of the log, the source and the graph: the same promises, for fast tests."""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from catalog.model import DatasetId
from lineage.graph_delta import Context, GraphDelta, Info, StoredBook
from lineage.model import Basis, Counts, Direction, Edge, Kind, Node
from lineage.names import Link
from lineage.ports import Closure, Record, StaleBook
from lineage.questions.suggestions import nearest
from lineage.questions.traversal import by_near, cut, far


class MemoryEventLog:
    """A log of one partition."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.fail_with: Exception | None = None
        """Set by a test: every append raises it."""
        self.clock: Callable[[], int] = lambda: int(time.time() * 1000)
        self._lock = threading.Lock()

    def append(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> None:
        if self.fail_with is not None:
            raise self.fail_with
        with self._lock:
            arrived = self.clock()
            self.records.append(Record(0, len(self.records), key.encode(), value, tuple(headers), arrived))

    ready = True

    def send(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> Future[None]:
        future: Future[None] = Future()
        try:
            self.append(key, value, headers)
            future.set_result(None)
        except Exception as error:
            future.set_exception(error)
        return future

    def append_many(
        self, items: Sequence[tuple[str, bytes]], headers: Sequence[tuple[str, bytes]] = ()
    ) -> list[Exception | None]:
        outcomes: list[Exception | None] = []
        for key, value in items:
            try:
                self.append(key, value, headers)
                outcomes.append(None)
            except Exception as error:
                outcomes.append(error)
        return outcomes

    def read(self, after: Mapping[int, int] | None = None) -> Iterator[list[Record]]:
        end = len(self.records)
        for start in range((after or {}).get(0, 0), end, 500):
            yield self.records[start : min(start + 500, end)]

    def close(self) -> None: ...


class MemoryEventSource:
    """The one member of the group on a `MemoryEventLog`."""

    def __init__(self, log: MemoryEventLog) -> None:
        self._log = log
        self.position = 0
        self.committed = 0

    def poll(self, max_events: int, max_bytes: int, timeout: float) -> list[Record]:
        if self.position >= len(self._log.records):
            time.sleep(min(timeout, 0.01))
        found = self._log.records[self.position : self.position + max_events]
        self.position += len(found)
        return found

    def commit(self, records: Sequence[Record]) -> None:
        if records:
            self.committed = max(self.committed, max(record.offset for record in records) + 1)

    def lag(self) -> int:
        return len(self._log.records) - self.committed

    def close(self) -> None: ...


@dataclass(slots=True)
class _Store:
    datasets: dict[str, DatasetId] = field(default_factory=dict)
    columns: dict[str, tuple[DatasetId, str]] = field(default_factory=dict)
    jobs: dict[str, tuple[str, str]] = field(default_factory=dict)
    job_info: dict[str, dict[str, object]] = field(default_factory=dict)
    infos: dict[DatasetId, Info] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    links: set[Link] = field(default_factory=set)
    drops: dict[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    clears: dict[DatasetId, tuple[int, ...]] = field(default_factory=dict)
    books: dict[str, StoredBook] = field(default_factory=dict)


class MemoryGraph:
    """A `LineageGraph` in a dictionary."""

    def __init__(self) -> None:
        self._store = _Store()
        self._lock = threading.RLock()
        self.fail_with: Exception | None = None
        """Set by a test: every call raises it."""

    def _held(self) -> _Store:
        if self.fail_with is not None:
            raise self.fail_with
        return self._store

    def prepare(self) -> None:
        self._held()

    def warm(self) -> None:
        self._held()

    def books(self, owners: Collection[str]) -> dict[str, StoredBook]:
        held = self._held().books
        return {owner: held[owner] for owner in owners if owner in held}

    def context(self, names: Collection[DatasetId]) -> Context:
        held = self._held()
        known, links = set(names), set[Link]()
        while True:
            links |= {link for link in held.links if link.primary in known or link.other in known}
            grown = known | {end for link in links for end in (link.primary, link.other)}
            if grown == known:
                break
            known = grown
        return Context(
            tuple(links),
            {name: held.drops[name] for name in known if name in held.drops},
            {name: dict(held.infos[name]) for name in known if name in held.infos},
            {name: held.clears[name] for name in known if name in held.clears},
        )

    def owners_of(self, datasets: Collection[str]) -> set[str]:
        return {edge.owner for edge in self._held().edges.values() if {edge.source, edge.target} & set(datasets)}

    def write(self, delta: GraphDelta) -> None:
        with self._lock:
            held = self._held()
            for book in delta.books:
                before = held.books.get(book.owner)
                if (before.version if before else 0) != book.version:
                    raise StaleBook(book.owner)
            held.datasets |= delta.datasets
            held.columns |= delta.columns
            held.jobs |= delta.jobs
            held.job_info |= delta.job_info
            held.infos |= delta.dataset_info
            gone = [held.edges.pop(edge_id) for _, edge_id, _ in delta.removed if edge_id in held.edges]
            held.edges |= {edge.id: edge._replace(ends=()) for edge in delta.upserts}
            held.edges |= {edge.id: edge._replace(ends=()) for edge in delta.updates if edge.id in held.edges}
            used = {end for edge in held.edges.values() for end in (edge.source, edge.target)} if gone else set()
            for node_id in {end for edge in gone for end in (edge.source, edge.target)} - used:
                held.columns.pop(node_id, None)
            held.links |= delta.links
            held.drops |= delta.drops
            held.clears |= delta.clears
            self._retire(held, delta.retired)
            held.books |= {b.owner: StoredBook(b.owner, b.version + 1, b.document) for b in delta.books}

    def _retire(self, held: _Store, retired: Collection[str]) -> None:
        used = {end for edge in held.edges.values() for end in (edge.source, edge.target)}
        for node_id in set(retired) - used:
            held.datasets.pop(node_id, None)
        gone = {key for key, (dataset, _) in held.columns.items() if dataset.node_id in retired and key not in used}
        for key in gone:
            del held.columns[key]

    def node(self, node_id: str) -> Node | None:
        return self.nodes([node_id]).get(node_id)

    def nodes(self, node_ids: Collection[str]) -> dict[str, Node]:
        held = self._held()
        found: dict[str, Node] = {}
        for node_id in node_ids:
            if node_id in held.datasets:
                dataset = held.datasets[node_id]
                info = {key: value for key, (_, value) in held.infos.get(dataset, {}).items() if value}
                found[node_id] = Node(node_id, "dataset", dataset.namespace, dataset.name, None, info)
            elif node_id in held.columns:
                dataset, column = held.columns[node_id]
                found[node_id] = Node(node_id, "field", dataset.namespace, dataset.name, column)
            elif node_id in held.jobs:
                namespace, name = held.jobs[node_id]
                found[node_id] = Node(node_id, "job", namespace, name, None, held.job_info.get(node_id, {}))
        return found

    def fields_of(self, dataset_id: str, limit: int) -> list[Node]:
        found = sorted(key for key, (dataset, _) in self._held().columns.items() if dataset.node_id == dataset_id)
        return list(self.nodes(found[:limit]).values())

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
        outgoing = by_near(self._valid(kind, as_of, basis), direction)
        seen, frontier, edges = set(starts), list(starts), list[Edge]()
        while frontier:
            step = [edge for node in frontier for edge in outgoing.get(node, ())]
            edges += step
            frontier = list({far(edge, direction) for edge in step} - seen)
            seen |= set(frontier)
        return Closure(*cut(starts, edges, direction, depth, budget))

    def edges_at(
        self, node_ids: Collection[str], kind: Kind, direction: Direction, as_of: int, basis: Basis = Basis.LAST_RUN
    ) -> list[Edge]:
        outgoing = by_near(self._valid(kind, as_of, basis), direction)
        return [edge for node in sorted(set(node_ids)) for edge in outgoing.get(node, ())]

    def edges_since(self, node_ids: Collection[str], kind: Kind, direction: Direction, since: int) -> list[Edge]:
        outgoing = by_near([e for e in self._held().edges.values() if e.kind is kind and since < e.vt], direction)
        return [edge for node in sorted(set(node_ids)) for edge in outgoing.get(node, ())]

    def named_in(self, type: str, namespace: str | None, limit: int, offset: int = 0, holding: str = "") -> list[Node]:
        held = self._held()
        names = dict(held.jobs)
        if type == "dataset":
            names = {key: (dataset.namespace, dataset.name) for key, dataset in held.datasets.items()}
        found = sorted(
            key for key, (ns, name) in names.items() if namespace in (None, ns) and holding.lower() in name.lower()
        )
        return list(self.nodes(found[offset : offset + limit]).values())

    def job_of_run(self, run_id: str) -> Node | None:
        held = self._held()
        found = sorted(key for key in held.jobs if held.job_info.get(key, {}).get("lastRun") == run_id)
        return self.nodes(found[:1])[found[0]] if found else None

    def namespaces(self) -> dict[str, tuple[int, int]]:
        held = self._held()
        datasets = Counter(dataset.namespace for dataset in held.datasets.values())
        jobs = Counter(namespace for namespace, _ in held.jobs.values())
        return {name: (datasets[name], jobs[name]) for name in datasets | jobs}

    def _valid(self, kind: Kind, as_of: int, basis: Basis) -> list[Edge]:
        return [edge for edge in self._held().edges.values() if edge.kind is kind and edge.valid_at(as_of, basis)]

    def search_ids(self, text: str, limit: int) -> list[str]:
        held = self._held()
        return nearest(text, [*held.datasets, *held.columns, *held.jobs], limit)

    def counts(self) -> Counts:
        held = self._held()
        edges: dict[str, int] = defaultdict(int)
        for edge in held.edges.values():
            edges[str(edge.kind)] += 1
        return Counts(len(held.datasets), len(held.columns), len(held.jobs), dict(edges))

    def clear(self) -> None:
        self._held()
        self._store = _Store()

    def apart(self) -> MemoryGraph:
        self._held()
        return MemoryGraph()

    def fresh(self) -> MemoryGraph:
        return MemoryGraph()

    def activate(self, built: MemoryGraph) -> None:
        with self._lock:
            self._held()
            self._store = built._store
