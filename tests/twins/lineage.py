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
            self.records.append(
                Record(
                    partition=0,
                    offset=len(self.records),
                    key=key.encode(),
                    value=value,
                    headers=tuple(headers),
                    arrived=arrived,
                )
            )

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
        records = self._log.records[self.position : self.position + max_events]
        self.position += len(records)
        return records

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
        books = self._held().books
        return {owner: books[owner] for owner in owners if owner in books}

    def context(self, names: Collection[DatasetId]) -> Context:
        store = self._held()
        known, links = set(names), set[Link]()
        while True:
            links |= {link for link in store.links if link.primary in known or link.other in known}
            grown = known | {end for link in links for end in (link.primary, link.other)}
            if grown == known:
                break
            known = grown
        return Context(
            tuple(links),
            {name: store.drops[name] for name in known if name in store.drops},
            {name: dict(store.infos[name]) for name in known if name in store.infos},
            {name: store.clears[name] for name in known if name in store.clears},
        )

    def owners_of(self, datasets: Collection[str]) -> set[str]:
        return {edge.owner for edge in self._held().edges.values() if {edge.source, edge.target} & set(datasets)}

    def write(self, delta: GraphDelta) -> None:
        with self._lock:
            store = self._held()
            for book in delta.books:
                before = store.books.get(book.owner)
                if (before.version if before else 0) != book.version:
                    raise StaleBook(book.owner)
            store.datasets |= delta.datasets
            store.columns |= delta.columns
            store.jobs |= delta.jobs
            store.job_info |= delta.job_info
            store.infos |= delta.dataset_info
            removed = [store.edges.pop(edge_id) for _, edge_id, _ in delta.removed if edge_id in store.edges]
            store.edges |= {edge.id: edge._replace(ends=()) for edge in delta.upserts}
            store.edges |= {edge.id: edge._replace(ends=()) for edge in delta.updates if edge.id in store.edges}
            used = {end for edge in store.edges.values() for end in (edge.source, edge.target)} if removed else set()
            for node_id in {end for edge in removed for end in (edge.source, edge.target)} - used:
                store.columns.pop(node_id, None)
            store.links |= delta.links
            store.drops |= delta.drops
            store.clears |= delta.clears
            self._retire(store, delta.retired)
            store.books |= {b.owner: StoredBook(b.owner, b.version + 1, b.document) for b in delta.books}

    def _retire(self, store: _Store, retired: Collection[str]) -> None:
        used = {end for edge in store.edges.values() for end in (edge.source, edge.target)}
        for node_id in set(retired) - used:
            store.datasets.pop(node_id, None)
        unused = {key for key, (dataset, _) in store.columns.items() if dataset.node_id in retired and key not in used}
        for key in unused:
            del store.columns[key]

    def node(self, node_id: str) -> Node | None:
        return self.nodes([node_id]).get(node_id)

    def nodes(self, node_ids: Collection[str]) -> dict[str, Node]:
        store = self._held()
        nodes: dict[str, Node] = {}
        for node_id in node_ids:
            if node_id in store.datasets:
                dataset = store.datasets[node_id]
                info = {key: value for key, (_, value) in store.infos.get(dataset, {}).items() if value}
                nodes[node_id] = Node(
                    id=node_id, type="dataset", namespace=dataset.namespace, name=dataset.name, field=None, info=info
                )
            elif node_id in store.columns:
                dataset, column = store.columns[node_id]
                nodes[node_id] = Node(node_id, "field", dataset.namespace, dataset.name, column)
            elif node_id in store.jobs:
                namespace, name = store.jobs[node_id]
                nodes[node_id] = Node(
                    id=node_id,
                    type="job",
                    namespace=namespace,
                    name=name,
                    field=None,
                    info=store.job_info.get(node_id, {}),
                )
        return nodes

    def fields_of(self, dataset_id: str, limit: int) -> list[Node]:
        keys = sorted(key for key, (dataset, _) in self._held().columns.items() if dataset.node_id == dataset_id)
        return list(self.nodes(keys[:limit]).values())

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
        store = self._held()
        names = dict(store.jobs)
        if type == "dataset":
            names = {key: (dataset.namespace, dataset.name) for key, dataset in store.datasets.items()}
        keys = sorted(
            key for key, (ns, name) in names.items() if namespace in (None, ns) and holding.lower() in name.lower()
        )
        return list(self.nodes(keys[offset : offset + limit]).values())

    def job_of_run(self, run_id: str) -> Node | None:
        store = self._held()
        keys = sorted(key for key in store.jobs if store.job_info.get(key, {}).get("lastRun") == run_id)
        return self.nodes(keys[:1])[keys[0]] if keys else None

    def namespaces(self) -> dict[str, tuple[int, int]]:
        store = self._held()
        datasets = Counter(dataset.namespace for dataset in store.datasets.values())
        jobs = Counter(namespace for namespace, _ in store.jobs.values())
        return {name: (datasets[name], jobs[name]) for name in datasets | jobs}

    def _valid(self, kind: Kind, as_of: int, basis: Basis) -> list[Edge]:
        return [edge for edge in self._held().edges.values() if edge.kind is kind and edge.valid_at(as_of, basis)]

    def search_ids(self, text: str, limit: int) -> list[str]:
        store = self._held()
        return nearest(text, [*store.datasets, *store.columns, *store.jobs], limit)

    def counts(self) -> Counts:
        store = self._held()
        edges: dict[str, int] = defaultdict(int)
        for edge in store.edges.values():
            edges[str(edge.kind)] += 1
        return Counts(len(store.datasets), len(store.columns), len(store.jobs), dict(edges))

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
