"""The slivers of one room that another asks for, in the asker's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from catalog.clusters import Clusters
from catalog.errors import NotFound
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from lineage.queries import Lineage
from policies.grants import Grants

References = Callable[[DatasetId], str | None]
"""`CLUSTER/TOPIC` of a dataset; None for one the catalog does not hold."""


class ReportFlows:
    """Where a field goes, for the where-is report (`catalog.where_is.Flows`). Lineage is asked as it is now."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage

    def downstream_of(self, dataset: DatasetId, path: str, as_of: datetime | None) -> Iterable[Mapping[str, Any]]:
        return [flow.to_json() for flow in self._lineage.downstream_of(dataset, path)]


class ReportReaders:
    """Jobs that read a dataset (`catalog.where_is.Readers`)."""

    def __init__(self, lineage: Lineage) -> None:
        self._lineage = lineage

    def readers_of(self, dataset: DatasetId, as_of: datetime | None) -> Iterable[Mapping[str, Any]]:
        moment = as_of.isoformat() if as_of else None
        return [
            {
                "kind": "job",
                "name": f"{r.namespace}/{r.name}",
                "id": r.job,
                "last_seen": r.seen,
                "owners": list(r.owners),
            }
            for r in self._lineage.readers_of(dataset, moment)
        ]


class ReportAccess:
    """Who may read a place (`catalog.where_is.Access`)."""

    def __init__(self, grants: Grants, reference: References) -> None:
        self._grants = grants
        self._reference = reference

    def who_may_read(self, dataset: DatasetId, path: str, as_of: datetime | None) -> Iterable[Mapping[str, Any]]:
        """Empty for a dataset known from lineage only: nothing of it can be queried here."""
        reference = self._reference(dataset)
        if reference is None:
            return []
        try:
            found = self._grants.who_has_access(reference, path, as_of)
        except NotFound:
            return []
        return [{access.kind: access.subject, **access.to_json()} for access in found]


class CatalogSliver:
    """What lineage asks of the catalog: owners, and what exists."""

    def __init__(self, store: CatalogStore, clusters: Clusters) -> None:
        self._store = store
        self._clusters = clusters

    def dataset(self, dataset: DatasetId) -> Sequence[str]:
        """Owners as texts; none for a dataset the catalog does not hold."""
        record = self._store.dataset(self._clusters.resolve(dataset.namespace, dataset.name))
        return [str(owner) for owner in record.owners] if record is not None else []

    def known(self, dataset: DatasetId, path: str | None) -> bool:
        """Whether the catalog holds the dataset, and the field of it, though no job has spoken of it yet."""
        record = self._store.dataset(self._clusters.resolve(dataset.namespace, dataset.name))
        if record is None or path is None:
            return record is not None
        stored = self._store.schema(record.id)
        return stored is not None and any(profile.path == path for profile in stored.current.fields)
