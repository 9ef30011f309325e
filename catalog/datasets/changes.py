"""What every change of the dataset record needs: the stores, its events, the index of search."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Protocol

from catalog.datasets.clusters import Clusters
from catalog.datasets.queries import DatasetReader
from catalog.errors import DatasetNotFound
from catalog.event_model import EventDraft
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock, EventSink, ScanChecks
from catalog.records import DatasetRecord


class Indexer(Protocol):
    """Called after a change was committed. Must not fail when the index is away: the record stays the truth."""

    def changed(self, datasets: Iterable[DatasetId]) -> None: ...


class DatasetChanges(DatasetReader):
    """What changes the record of datasets emits the events of the change and has it indexed."""

    def __init__(
        self,
        store: CatalogStore,
        index: Indexer,
        clock: Clock,
        clusters: Clusters | None = None,
        events: EventSink | None = None,
        checks: ScanChecks | None = None,
    ) -> None:
        super().__init__(store, clusters or Clusters(store, clock))
        self._events = events
        self._checks = checks
        self._index = index
        self._clock = clock

    def _tell(self, record: DatasetRecord, events: Iterable[EventDraft]) -> None:
        """Emit what became of a dataset, in the transaction that changed it."""
        if self._events is not None:
            for kind, data in events:
                self._events.emit(kind, record.reference, {**_named(record), **data})

    def _changed(self, datasets: Iterable[DatasetId]) -> None:
        ids = list(datasets)
        self._store.after_commit(lambda: self._index.changed(ids))

    def _new(self, dataset: DatasetId, now: datetime) -> DatasetRecord:
        cluster = self.clusters.of_namespace(dataset.namespace)
        return DatasetRecord(dataset, cluster=cluster.name if cluster else None, created_at=now)

    def _fresh(self, dataset: DatasetId) -> DatasetRecord:
        record = self._store.dataset(dataset)
        if record is None:
            raise DatasetNotFound(f"{dataset} was removed meanwhile.")
        return record


def _named(record: DatasetRecord) -> dict[str, str]:
    return {"dataset": record.reference, "namespace": record.id.namespace, "name": record.id.name}
