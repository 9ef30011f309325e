"""Writing events into a graph: read the books they touch, fold, write the difference, all or nothing."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence

from catalog.errors import Unavailable
from catalog.model import DatasetId
from lineage.book import Book, newest
from lineage.delta import Context, GraphDelta
from lineage.events import Event
from lineage.fold import DROPS_KEPT, add_named, change, learned
from lineage.learn import About, Gathered, about, gather, learn, new_books
from lineage.names import Names, Resolve, as_written
from lineage.ports import LineageGraph, StaleBook
from lineage.reading import Reader
from lineage.settings import LineageSettings

_CACHED_BOOKS = 2000
_ATTEMPTS = 20


class GraphWriter:
    """Folds batches of events into a graph. One thread at a time; several writers on one graph are safe.

    Books are kept in memory between batches; a book that another writer changed is noticed when it is written
    (its version moved) and the batch is folded again.
    """

    def __init__(self, graph: LineageGraph, resolve: Resolve = as_written, settings: LineageSettings | None = None):
        self._graph, self._resolve = graph, resolve
        self._settings = settings or LineageSettings()
        self._reader = Reader()
        self._cache: OrderedDict[str, Book] = OrderedDict()

    def write(self, events: Sequence[Event]) -> None:
        """Raises Unavailable (the graph does not answer; nothing is written), WriteRefused (it never will take it)."""
        gathered = gather(events, self._reader)
        for attempt in range(_ATTEMPTS):
            try:
                self._write(gathered)
                return
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

    def _write(self, gathered: Gathered) -> None:
        books = self._books(gathered.owners)
        books |= new_books(gathered, gathered.owners.keys() - books.keys())
        changed = learn(books, gathered, self._settings)
        if not changed:
            return
        said = about(gathered, changed)
        names, context, moved = self._names(said, books, changed)
        if moved:  # what other jobs said of these datasets is derived again under what is known now
            touched = self._graph.owners_of({dataset.node_id for dataset in moved})
            others = self._books(touched - books.keys())
            books |= others
            changed |= touched & books.keys()
            names, context, _ = self._names(said, books, changed)
        delta = change(books, changed, names, context, self._settings)
        add_named(delta, said, names, context)
        for dataset in moved:
            self._inherit(delta, dataset, names, context)
        delta.retired = {dataset.node_id for dataset in moved if names.representative(dataset) != dataset}
        for node_id in delta.retired:
            delta.datasets.pop(node_id, None)
        links, drops = learned(said, self._resolve)
        delta.links, delta.drops = links, {dataset: context.drops[dataset] for dataset in drops}
        self._graph.write(delta)
        for owner in changed:
            books[owner].version += 1
        self._remember(books)

    def _inherit(self, delta: GraphDelta, dataset: DatasetId, names: Names, context: Context) -> None:
        """What was said of a dataset under its other names is said of it."""
        now = names.representative(dataset)
        info = dict(delta.dataset_info.get(now, context.info.get(now, {})))
        for member in names.component(dataset):
            for key, (time, value) in context.info.get(member, {}).items():
                if newest(info, key, time, value):
                    info[key] = (time, value)
        if info != context.info.get(now, {}):
            delta.dataset_info[now] = info

    def _names(
        self, said: About, books: Mapping[str, Book], changed: Collection[str]
    ) -> tuple[Names, Context, set[DatasetId]]:
        """Names for this batch, with what the graph knows of them; and datasets whose meaning this batch changes."""
        new_links, new_drops = learned(said, self._resolve)
        wanted = {self._resolve(name.namespace, name.name) for name in said.named}
        for owner in changed:
            wanted |= {self._resolve(*name) for name in books[owner].datasets()}
        wanted |= {end for link in new_links for end in (link.primary, link.other)}
        known = self._graph.context(wanted)
        before = Names(self._resolve, known.links)
        names = Names(self._resolve, {*known.links, *new_links})
        moved = set()
        for link in new_links - set(known.links):
            for member in names.component(link.primary):
                if before.representative(member) != names.representative(member):
                    moved |= {before.representative(member), names.representative(member)}
        drops = dict(known.drops)
        for dataset, times in new_drops.items():
            held = set(drops.get(dataset, ()))
            if not times <= held:
                drops[dataset] = tuple(sorted(held | times))[-DROPS_KEPT:]
                moved.add(names.representative(dataset))
        return names, Context(tuple({*known.links, *new_links}), drops, known.info), moved

    def _books(self, owners: Iterable[str]) -> dict[str, Book]:
        wanted = set(owners)
        found = {owner: self._cache[owner] for owner in wanted & self._cache.keys()}
        missing = wanted - found.keys()
        if missing:
            for owner, stored in self._graph.books(missing).items():
                found[owner] = Book.load(stored.document, stored.version)
        return found

    def _remember(self, books: dict[str, Book]) -> None:
        for owner, book in books.items():
            if book.version > 0:
                self._cache[owner] = book
                self._cache.move_to_end(owner)
        while len(self._cache) > _CACHED_BOOKS:
            self._cache.popitem(last=False)
