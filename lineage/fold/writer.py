"""Writing events into a graph: read the books they touch, fold, write the difference, all or nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain

from catalog.errors import Unavailable
from catalog.model import DatasetId
from lineage.fold.event_reading import Gathered, Reader, gather
from lineage.fold.fold import CLEARS_KEPT, DROPS_KEPT, change, noted
from lineage.fold.job_ledger import Book, newest
from lineage.fold.learn import learn, new_books
from lineage.fold.learned_fields import LearnedFields
from lineage.fold.mentions import About, about, add_named, learned
from lineage.graph_delta import Context, GraphDelta, Info
from lineage.ingest.events import Event, Name
from lineage.model import NOW, Basis, Direction, Edge, Kind
from lineage.names import Link, Names, Resolve, as_written
from lineage.ports import LineageGraph, StaleBook, TooMuch
from lineage.settings import LineageSettings

_CACHED_EDGES = 250_000
"""Books are kept in memory up to so many edges together, of about 800 bytes each."""
_TOGETHER_ROWS = 5000
"""Owners share a transaction up to so many rows. The state of a larger one outlives the young generation of Neo4j's
heap, and collecting it costs more than further commits do; and what follows is made while it is written."""
_ATTEMPTS = 20
_FEWEST_ROWS = 200
_CALM = 50
"""Batches that must pass before transactions that were halved are doubled."""

_PROBE = "any"
"""A name to ask what a namespace is called by now."""

_RENAMED_AT_ONCE = 500


def _name(dataset: DatasetId) -> Name:
    return Name(dataset.namespace, dataset.name)


class GraphWriter:
    """Folds batches of events into a graph. One thread at a time; several writers on one graph are safe.

    Books are kept in memory between batches; a book that another writer changed is noticed when it is written
    (its version moved) and the batch is folded again.
    """

    def __init__(self, graph: LineageGraph, resolve: Resolve = as_written, settings: LineageSettings | None = None):
        self._graph, self._resolve = graph, resolve
        self._settings = settings or LineageSettings()
        self._reader = Reader()
        self._learned_fields = LearnedFields(graph, resolve, self._settings.node_budget)
        self._rows = self._settings.transaction_rows
        self._calm = 0
        self._cache: OrderedDict[str, Book] = OrderedDict()

    def write(self, events: Sequence[Event]) -> None:
        """Raises Unavailable (the graph does not answer; nothing is written), WriteRefused (it never will take it)."""
        self.write_gathered(self.gather(events))

    def gather(self, events: Iterable[Event]) -> Gathered:
        """Read events, to be written later. Needs no graph; one thread may do this while another writes."""
        return gather(events, self._reader)

    def write_gathered(self, gathered: Gathered) -> None:
        """As `write`."""
        self._insist(lambda: self._write(gathered))

    def realign(self) -> int:
        """Give datasets and their columns the names by which the catalog knows them by now: a cluster was declared, or a topic
        scanned, after its events.

        What every job reported of them is derived again under the new names. Gives the number of datasets that changed; 0,
        at next to no cost, where none is to. Raises Unavailable.
        """
        moved: dict[DatasetId, DatasetId] = {}
        for namespace in self._graph.namespaces():
            if self._resolve(namespace, _PROBE) == DatasetId(namespace, _PROBE):
                continue
            for node in self._graph.named_in("dataset", namespace, _RENAMED_AT_ONCE):
                old = DatasetId(node.namespace, node.name)
                if self._resolve(old.namespace, old.name) != old:
                    moved[old] = self._resolve(old.namespace, old.name)
        if moved:
            self._insist(lambda: self._move(moved))
            return len(moved)
        behind = self._learned_fields.behind()
        if behind:
            self._insist(lambda: self._derive_again(behind))
        return len(behind)

    def _derive_again(self, datasets: set[str]) -> None:
        books = self._books(self._graph.owners_of(datasets))
        names, context, *_ = self._names(About(), books, books.keys())
        parts = change(books, books.keys(), names, context, self._settings)
        self._send(parts[owner] for owner in sorted(parts))
        self._written(books, books.keys())

    def _insist(self, work: Callable[[], None]) -> None:
        """Do it again where another writer was quicker, and in smaller parts where the store is short of memory or time."""
        for attempt in range(_ATTEMPTS):
            try:
                work()
                self._grow()
                return
            except TooMuch:
                self._cache.clear()
                if self._rows <= _FEWEST_ROWS:
                    raise Unavailable(
                        "Neo4j has neither memory nor time for the smallest transaction of lineage; give it more.",
                        details={"server": "neo4j"},
                    ) from None
                self._rows, self._calm = self._rows // 2, 0
            except StaleBook:
                self._cache.clear()
                if attempt == _ATTEMPTS - 1:
                    raise Unavailable(
                        "The lineage graph is written by too many workers at once; run fewer.",
                        details={"server": "neo4j"},
                    ) from None
            except BaseException:
                self._cache.clear()  # books in memory have learned what the graph has not
                raise

    def _grow(self) -> None:
        """Transactions that were made smaller for a busy store become larger again, one step after many that passed."""
        self._calm += 1
        if self._calm >= _CALM and self._rows < self._settings.transaction_rows:
            self._rows, self._calm = min(2 * self._rows, self._settings.transaction_rows), 0

    def _move(self, moved: Mapping[DatasetId, DatasetId]) -> None:
        owners = self._graph.owners_of({old.node_id for old in moved})
        books = self._books(owners)
        old = self._graph.context(moved)
        links = {
            Link(
                self._resolve(link.primary.namespace, link.primary.name),
                self._resolve(link.other.namespace, link.other.name),
                link.type,
            )
            for link in old.links
        }
        mentions = About(links={(_name(link.primary), _name(link.other), link.type) for link in links})
        mentions.named = {_name(new) for new in moved.values()}
        mentions.drops = {
            (_name(moved[name]), time) for name, times in old.drops.items() if name in moved for time in times
        }
        mentions.infos = {_name(new): dict(old.info[name]) for name, new in moved.items() if name in old.info}
        mentions.clears = {
            (_name(moved[name]), time) for name, times in old.clears.items() if name in moved for time in times
        }
        names, context, *_ = self._names(mentions, books, books.keys())
        parts = change(books, books.keys(), names, context, self._settings)
        first, rest = GraphDelta(links=links, drops=dict(context.drops), clears=dict(context.clears)), GraphDelta()
        add_named(first, mentions, names, {dataset: dict(info) for dataset, info in context.info.items()})
        rest.retired = {name.node_id for name in moved}
        self._send([first, *(parts[owner] for owner in sorted(parts)), rest])
        self._written(books, books.keys())

    def _write(self, gathered: Gathered) -> None:
        books = self._books(gathered.owners)
        books |= new_books(gathered, gathered.owners.keys() - books.keys())
        what = learn(books, gathered, self._settings)
        changed = what.flows
        if not changed:
            self._send([noted(books[owner]) for owner in sorted(what.reports)])
            self._written(books, what.reports)
            return
        mentions = about(gathered, changed)
        names, context, moved, cleared = self._names(mentions, books, changed)
        others: set[str] = set()
        if moved or cleared:  # what other jobs reported of these datasets is derived again with what is known now
            touched = self._graph.owners_of({dataset.node_id for dataset in moved}) if moved else set()
            touched |= self._writers_of(cleared)
            books |= self._books(touched - books.keys())
            others = (touched & books.keys()) - changed
            if others:
                names, context, *_ = self._names(mentions, books, changed | others)
        known = {dataset: dict(info) for dataset, info in context.info.items()}

        def parts(owners: Iterable[str]) -> Iterator[GraphDelta]:
            for owner in sorted(owners):
                part = change(books, [owner], names, context, self._settings)[owner]
                if owner in changed:
                    # Links and drops go with their owner's book: what is noted there is never looked for in events again.
                    one = about(gathered, [owner])
                    add_named(part, one, names, known)
                    part.links, dropped, emptied = learned(one, self._resolve)
                    part.drops = {dataset: context.drops[dataset] for dataset in dropped}
                    part.clears = {dataset: context.clears[dataset] for dataset in emptied}
                yield part

        heard = [noted(books[owner]) for owner in sorted(what.reports - others)]
        # Others first: were it cut off here, the links of the changed would come again and move them once more.
        if moved:
            self._send([*heard, *self._moving(moved, [*parts(others), *parts(changed)], names, known)])
        else:
            self._send(chain(heard, parts(others), parts(changed)))
        self._written(books, changed | others | what.reports)

    def _moving(
        self, moved: set[DatasetId], parts: list[GraphDelta], names: Names, known: Mapping[DatasetId, Info]
    ) -> Iterator[GraphDelta]:
        """The parts, with what becomes of datasets that are known by another name from now on."""
        rest = GraphDelta()
        for dataset in moved:
            self._inherit(rest, dataset, names, known)
            if names.representative(dataset) != dataset:
                rest.retired.add(dataset.node_id)
        for delta in parts:
            for node_id in rest.retired:
                delta.datasets.pop(node_id, None)
            if delta.links:
                delta.absorb(rest)
            yield delta
        yield rest

    def _send(self, parts: Iterable[GraphDelta]) -> None:
        """Write parts in order, as few transactions as the store has memory for; each owner's part in one of them.

        While the store works on one transaction, the parts of the next are made.
        """
        with ThreadPoolExecutor(1, "lineage-write") as pool:
            at_work: Future[None] | None = None
            for portion in self._portions(parts):
                if at_work is not None:
                    at_work.result()
                at_work = pool.submit(self._graph.write, portion)
            if at_work is not None:
                at_work.result()

    def _portions(self, parts: Iterable[GraphDelta]) -> Iterator[GraphDelta]:
        packed, together = GraphDelta(), min(self._rows, _TOGETHER_ROWS)
        for part in parts:
            if packed.weight and packed.weight + part.weight > together:
                yield from packed.portions(self._rows)
                packed = GraphDelta()
            packed.absorb(part)
        if not packed.is_empty:
            yield from packed.portions(self._rows)

    def _inherit(self, delta: GraphDelta, dataset: DatasetId, names: Names, known: Mapping[DatasetId, Info]) -> None:
        """What producers reported of a dataset under its other names counts for it."""
        now = names.representative(dataset)
        info = dict(known.get(now, {}))
        for member in names.component(dataset):
            for key, (time, value) in known.get(member, {}).items():
                if newest(info, key, time, value):
                    info[key] = (time, value)
        if info != known.get(now, {}):
            delta.dataset_info[now] = info

    def _names(
        self, mentions: About, books: Mapping[str, Book], changed: Collection[str]
    ) -> tuple[Names, Context, set[DatasetId], dict[DatasetId, int]]:
        """Names for this batch, with what the graph knows of them; datasets whose meaning this batch changes, and
        those that it empties or overwrites since when: 0 where a later end of their contents is known already."""
        new_links, new_drops, new_clears = learned(mentions, self._resolve)
        datasets = {self._resolve(name.namespace, name.name) for name in mentions.named}
        for owner in changed:
            datasets |= {self._resolve(*name) for name in books[owner].datasets()}
        datasets |= {end for link in new_links for end in (link.primary, link.other)}
        context = self._graph.context(datasets)
        before = Names(self._resolve, context.links)
        names = Names(self._resolve, {*context.links, *new_links})
        moved = set()
        for link in new_links - set(context.links):
            for member in names.component(link.primary):
                if before.representative(member) != names.representative(member):
                    moved |= {before.representative(member), names.representative(member)}
        drops = dict(context.drops)
        for dataset, times in new_drops.items():
            old_times = set(drops.get(dataset, ()))
            if not times <= old_times:
                drops[dataset] = tuple(sorted(old_times | times))[-DROPS_KEPT:]
                moved.add(names.representative(dataset))
        clears, cleared = dict(context.clears), dict[DatasetId, int]()
        for dataset, times in new_clears.items():
            old_times = set(clears.get(dataset, ()))
            if not times <= old_times:
                clears[dataset] = tuple(sorted(old_times | times))[-CLEARS_KEPT:]
                first = min(times - old_times)
                late = any(first < end for end in (*old_times, *drops.get(dataset, ())))
                name = names.representative(dataset)
                cleared[name] = min(0 if late else first, cleared.get(name, first))
        return names, Context(tuple({*context.links, *new_links}), drops, context.info, clears), moved, cleared

    def _writers_of(self, cleared: Mapping[DatasetId, int]) -> set[str]:
        """Owners of what is in these datasets, or was written to them since a time. Since 0 is all that ever was in them:
        what is gone by a later end may have been gone before it."""
        late = [dataset.node_id for dataset, since in cleared.items() if not since]
        recent = {dataset.node_id: since for dataset, since in cleared.items() if since}
        edges: list[Edge] = []
        if late:
            edges += self._graph.edges_since(late, Kind.WRITES, Direction.UPSTREAM, 0)
        if recent:
            edges += self._graph.edges_at(recent, Kind.WRITES, Direction.UPSTREAM, NOW, Basis.CONTENTS)
            edges += self._graph.edges_since(recent, Kind.WRITES, Direction.UPSTREAM, min(recent.values()))
        return {edge.owner for edge in edges}

    def _books(self, owners: Iterable[str]) -> dict[str, Book]:
        wanted = set(owners)
        books = {owner: self._cache[owner] for owner in wanted & self._cache.keys()}
        missing = wanted - books.keys()
        if missing:
            for owner, stored in self._graph.books(missing).items():
                books[owner] = Book.load(stored.document, stored.version)
        return books

    def _written(self, books: dict[str, Book], owners: Iterable[str]) -> None:
        for owner in owners:
            books[owner].version += 1
        for owner, book in books.items():
            if book.version > 0:
                self._cache[owner] = book
                self._cache.move_to_end(owner)
        size = sum(len(book.emitted) + 1 for book in self._cache.values())
        while size > _CACHED_EDGES:
            size -= len(self._cache.popitem(last=False)[1].emitted) + 1
