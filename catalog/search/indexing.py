"""Keeping the search index in step with the record.

The record store is the truth. Every change raises a dataset's revision; the index remembers which revision it holds.
So a change made while the index is away is found again (`reindex_dirty`), and the whole index can be rebuilt.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from catalog.curation.products import products_of
from catalog.datasets.terms import term_tags
from catalog.errors import Unavailable
from catalog.model import DatasetId
from catalog.ports import CatalogStore, SearchIndex
from catalog.records import DatasetFilter, DatasetOutline, DatasetRecord
from catalog.search.documents import as_broken, dataset_key, entries, faces, field_ids, in_products
from catalog.search_model import Entry

_log = logging.getLogger(__name__)

_CHUNK = 1000  # documents handed to the index at once, so that a dataset of 10,000 fields takes bounded memory


@dataclass(slots=True)
class _Batch:
    """What goes to the index at once, and what the record then knows of it."""

    entries: list[Entry] = field(default_factory=list)
    gone: list[tuple[str, int]] = field(default_factory=list)
    done: list[tuple[DatasetId, int, int]] = field(default_factory=list)


class Indexing:
    """`changed` is what `Datasets` calls; it never fails."""

    def __init__(self, store: CatalogStore, index: SearchIndex) -> None:
        self._store = store
        self._index = index
        self.partly_known: Callable[[DatasetOutline], bool] = lambda _: False
        """Whether somebody may know of a dataset without knowing all of it: then it is found by its faces, too."""

    def changed(self, datasets: Iterable[DatasetId]) -> None:
        """Bring these up to date now if the index answers; else `reindex_dirty` will."""
        try:
            self._update(datasets)
        except Unavailable as error:
            _log.warning("Search lags behind: %s", error.message)

    def reindex_dirty(self, limit: int = 500) -> int:
        """Index what was not indexed when it changed; gives how many datasets. Makes a missing index first.

        Raises Unavailable when the index does not answer; nothing is lost then.
        """
        if self._index.ensure():
            return self.rebuild_search()
        behind = self._store.unindexed(limit)
        self._update(record.id for record in behind)
        return len(behind)

    def rebuild_search(self) -> int:
        """Build a fresh index from the record and swap it in; gives how many datasets it holds.

        Searches see the old one until then. On failure the fresh one is removed and the old one stays.
        """
        fresh = self._index.rebuild()
        built: dict[DatasetId, tuple[int, int]] = {}
        documents = self._documents(built)
        try:
            with ThreadPoolExecutor(1, thread_name_prefix="weir-rebuild") as sender:
                sent: Future[None] | None = None
                while batch := list(islice(documents, _CHUNK)):  # prepared while the one before is on its way
                    if sent is not None:
                        sent.result()
                    sent = sender.submit(fresh.add, batch)
                if sent is not None:
                    sent.result()
            fresh.swap()
        except BaseException:
            with suppress(Unavailable):  # the cause counts; what is left is removed by a later rebuild
                fresh.abandon()
            raise
        for dataset, (revision, documents_written) in built.items():
            self._store.mark_indexed(dataset, revision, documents_written)
        # What changed while building went into the old index only.
        now = self._store.datasets(DatasetFilter(deleted=None)).items
        self._update(record.id for record in now if built.get(record.id, (0, 0))[0] != record.revision)
        return len(built)

    def _documents(self, built: dict[DatasetId, tuple[int, int]]) -> Iterator[Entry]:
        """What a fresh index holds, one dataset after another; writes into `built` what revision and how many further
        documents each has."""
        tags, broken = term_tags(self._store), self._store.count_unresolved()
        products = products_of(self._store)
        for record in self._store.datasets(DatasetFilter(deleted=None)).items:
            documents = self._entries(record, tags, record.id in broken, products.get(record.id, ()))
            yield from documents
            built[record.id] = (record.revision, max(0, len(documents) - 1))

    def refresh(self) -> None:
        """Let searches see everything written so far."""
        self._index.refresh()

    def _update(self, datasets: Iterable[DatasetId]) -> None:
        """Small datasets go to the index together, large ones in parts."""
        batch = _Batch()
        tags, broken = term_tags(self._store), self._store.count_unresolved()
        products = products_of(self._store)
        for dataset in datasets:
            record = self._store.dataset(dataset)
            if record is None:
                self._index.forget(dataset_key(dataset))
                continue
            documents = self._entries(record, tags, dataset in broken, products.get(dataset, ()))
            fields = max(0, len(documents) - 1)
            # Claimed before writing: whatever happens, the record never knows of fewer documents than there are.
            written = self._store.claim_index(dataset, fields)
            batch.entries += documents
            batch.gone += [(i, record.revision) for i in field_ids(dataset, fields, written)]
            if not documents:
                batch.gone.append((dataset_key(dataset), record.revision))
            batch.done.append((dataset, record.revision, fields))
            if len(batch.entries) + len(batch.gone) >= _CHUNK:
                self._write(batch)
                batch = _Batch()
        self._write(batch)

    def _write(self, batch: _Batch) -> None:
        for start in range(0, len(batch.entries), _CHUNK):
            self._index.write(batch.entries[start : start + _CHUNK], ())
        if batch.gone:
            self._index.write((), batch.gone)
        with self._store.transaction():
            for dataset, revision, fields in batch.done:
                self._store.mark_indexed(dataset, revision, fields)

    def _entries(
        self, record: DatasetRecord, tags: Mapping[str, Sequence[str]], broken: bool, products: Sequence[str]
    ) -> list[Entry]:
        """`broken`: it has an incident that is not resolved. `products`: the data products that it belongs to."""
        if record.deleted_at is not None:
            return []
        schema, notes = self._store.current_schema(record.id), self._store.notes(record.id)
        whole = entries(record, schema, self._store.classifications(record.id), notes, tags)
        seen_in_part = faces(record, schema, notes, len(whole) - 1) if self.partly_known(record.outline) else []
        documents = [*whole, *seen_in_part]
        documents = [in_products(each, products) for each in documents] if products else documents
        return [as_broken(each) for each in documents] if broken else documents
