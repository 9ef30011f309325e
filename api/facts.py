"""The catalog's facts of a dataset, in the policies' words."""

from __future__ import annotations

from datetime import datetime

from catalog.datasets import Datasets
from policies.facts import FactsMemory
from policies.model import DatasetFacts


class Facts:
    """`policies.ports.FactsSource` over the catalog; the very same object while a dataset has not changed."""

    def __init__(self, datasets: Datasets) -> None:
        self._datasets = datasets
        self._memory = FactsMemory()

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`. What the catalog knew at a past moment is not kept field by field: the present is given.

        Raises DatasetNotFound naming the nearest.
        """
        return self._memory.convert(self._datasets.facts(self._datasets.find(reference)))
