"""Small records for the catalog's tests."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.model import Classification, DatasetId, DatasetScan, FieldProfile, ScanWindow, SchemaVersion
from catalog.ports import CatalogStore, SearchIndex
from catalog.search.service import Search
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.catalog.store import MemoryCatalogStore

NAMESPACE = "kafka://localhost:9092"
ORDERS = DatasetId(NAMESPACE, "orders")


class Ticking:
    """A clock that advances by a second whenever it is read."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        self.now += timedelta(seconds=1)
        return self.now


def profile(path: str, presence: float = 1.0, records: int = 1000, **types: float) -> FieldProfile:
    return FieldProfile(path, types or {"string": 1.0}, round(records * presence), presence)


def schema(fields: Iterable[FieldProfile | str], records: int = 1000, complete: bool = False) -> SchemaVersion:
    profiles = tuple(profile(f, records=records) if isinstance(f, str) else f for f in fields)
    return SchemaVersion(
        {"key": "string", "value": "json"}, profiles, window=ScanWindow((), records, complete=complete)
    )


def email(path: str, matched: int = 98, sampled: int = 100, recognizer: str = "EmailRecognizer") -> Classification:
    evidence = {"matched": matched, "sampled": sampled, "recognizers": [{"name": recognizer, "version": "1"}]}
    return Classification(path, "EMAIL_ADDRESS", 0.98, evidence=evidence)


def scan(
    dataset: DatasetId,
    fields: Iterable[FieldProfile | str],
    detections: Iterable[Classification] = (),
    records: int = 1000,
    complete: bool = False,
    unscanned: Iterable[str] = (),
) -> DatasetScan:
    return DatasetScan(dataset, schema(fields, records, complete), tuple(detections), tuple(unscanned))


class World:
    """The catalog's services over a store and an index, in memory unless given."""

    def __init__(self, store: CatalogStore | None = None, index: SearchIndex | None = None) -> None:
        self.clock = Ticking()
        self.store = store or MemoryCatalogStore()
        self.index = index or MemorySearchIndex()
        self.clusters = Clusters(self.store, self.clock)
        self.search = Search(self.store, self.index, self.clusters)
        self.datasets = Datasets(self.store, self.search, self.clock, self.clusters)
