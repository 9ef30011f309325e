"""The catalog's facts of a dataset, in the policies' words."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from catalog.change_cache import ChangeCache
from catalog.datasets.datasets import Datasets
from catalog.errors import NotFound
from policies.facts import FactsMemory, from_catalog
from policies.model import DatasetFacts
from policies.ports import FactsSource


class Facts:
    """`policies.ports.FactsSource` over the catalog; the very same object while a dataset has not changed."""

    def __init__(self, datasets: Datasets, changes: Callable[[], int | None]) -> None:
        """`changes`: see `catalog.ports.CatalogStore.changes`; while it is the same, the catalog is not read again."""
        self._datasets = datasets
        self._memory = FactsMemory()
        self._kept: ChangeCache[DatasetFacts] = ChangeCache(changes)

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`; of a past moment as far as the catalog keeps it, see `not_kept`.

        Raises DatasetNotFound naming the nearest; of a past moment, when the dataset was not known by then.
        """
        if as_of is None:
            return self._kept.get(reference, lambda: self._read(reference))
        self._datasets.clusters.forget_names()
        return from_catalog(self._datasets.facts(self._datasets.find(reference), as_of))

    def _read(self, reference: str) -> DatasetFacts:
        self._datasets.clusters.forget_names()
        return self._memory.convert(self._datasets.facts(self._datasets.find(reference)))


_CHANGED = (
    "Owners, tags of datasets, glossary terms and declared schemas are those of the present, as their past is not kept; the"
    " audit has who applied which document when (action apply)."
)
_VIEW = "{0} is a stream view: what it is made of is taken as it is now, as its past is not kept."


class NotKept:
    """What of a dataset at a past moment the answers about it take from the present, in sentences."""

    def __init__(self, source: FactsSource) -> None:
        self._source = source

    def __call__(self, reference: str, at: datetime) -> list[str]:
        """Empty only where everything is kept."""
        try:
            facts = self._source.facts(reference)
        except NotFound:
            return [_CHANGED]
        return [_CHANGED, *([_VIEW.format(facts.reference)] if facts.sources or facts.generation else [])]
