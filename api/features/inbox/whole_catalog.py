"""All datasets and their kinds of personal data, read once for every inbox until the catalog changes."""

from __future__ import annotations

from collections.abc import Sequence

from catalog.change_cache import ChangeCache
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter, DatasetRecord, FieldTag

Datasets = dict[DatasetId, DatasetRecord]
Tags = Sequence[FieldTag]


class WholeCatalog:
    """For people from whom nothing is hidden. Safe for threads; what it gives is not to be changed."""

    def __init__(self, store: CatalogStore) -> None:
        self._store = store
        self._datasets: ChangeCache[Datasets] = ChangeCache(store.changes, 1)
        self._tags: ChangeCache[Tags] = ChangeCache(store.changes, 1)

    def datasets(self) -> Datasets:
        return self._datasets.get("", lambda: live_datasets(self._store))

    def tags(self) -> Tags:
        """Those of datasets that are there."""
        return self._tags.get("", self._store.field_tags)


def live_datasets(store: CatalogStore) -> Datasets:
    """Those that are there, as one reader's store has them."""
    return {each.id: each for each in store.datasets(DatasetFilter()).items if each.deleted_at is None}
