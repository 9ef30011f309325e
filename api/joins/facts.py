"""The catalog's facts of a dataset, in the policies' words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from catalog.change_cache import Kept
from catalog.datasets.datasets import Datasets
from policies.facts import FactsMemory
from policies.model import DatasetFacts


class Facts:
    """`policies.ports.FactsSource` over the catalog; the very same object while a dataset has not changed."""

    def __init__(self, datasets: Datasets, changes: Callable[[], int | None]) -> None:
        """`changes`: see `catalog.ports.CatalogStore.changes`; while it is the same, the catalog is not read again."""
        self._datasets = datasets
        self._memory = FactsMemory()
        self._kept: Kept[DatasetFacts] = Kept(changes)

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`. What the catalog knew at a past moment is not kept field by field: the present is given.

        Raises DatasetNotFound naming the nearest.
        """
        return self._kept.get(reference, lambda: self._read(reference))

    def _read(self, reference: str) -> DatasetFacts:
        self._datasets.clusters.forget_names()
        return self._memory.convert(self._datasets.facts(self._datasets.find(reference)))
