"""The record store in memory: clusters, and the names of their namespaces."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from catalog.model import DatasetId
from catalog.records import (
    ClusterRecord,
)
from tests.twins.catalog.quality import MemoryQuality
from tests.twins.catalog.signals import MemorySignals
from tests.twins.catalog.state import Stateful, counted


class MemoryClusters(Stateful, MemorySignals, MemoryQuality):
    """See `catalog.ports.ClusterStore`."""

    @counted
    def put_cluster(self, cluster: ClusterRecord) -> None:
        self._state.clusters[cluster.name] = cluster

    def cluster(self, name: str) -> ClusterRecord | None:
        return self._state.clusters.get(name)

    def clusters(self) -> list[ClusterRecord]:
        return sorted(self._state.clusters.values(), key=lambda c: c.name)

    @counted
    def delete_cluster(self, name: str) -> None:
        cluster = self._state.clusters.pop(name, None)
        if cluster is None:
            return
        if all(c.namespace != cluster.namespace for c in self._state.clusters.values()):
            for alias in [a for a, n in self._state.aliases.items() if n == cluster.namespace]:
                del self._state.aliases[alias]
        for key, record in self._state.datasets.items():
            if record.cluster == name:
                self._state.datasets[key] = replace(record, cluster=None, revision=record.revision + 1)

    @counted
    def put_aliases(self, namespace: str, aliases: Collection[str]) -> None:
        for alias in aliases:
            self._state.aliases[alias] = namespace

    def aliases(self) -> dict[str, str]:
        return dict(self._state.aliases)

    @counted
    def rename_namespace(self, old: str, new: str) -> list[DatasetId]:
        moved = []
        state = self._state
        for key in [d for d in state.datasets if d.namespace == old]:
            target = DatasetId(new, key.name)
            if target in state.datasets:
                continue
            record = state.datasets.pop(key)
            state.datasets[target] = replace(record, id=target, revision=record.revision + 1)
            tables: list[dict[DatasetId, Any]] = [
                state.documents_written,
                state.schemas,
                state.notes,
                state.tags,
                state.positions,
            ]
            for table in tables:
                if key in table:
                    table[target] = table.pop(key)
            state.history = [(target if d == key else d, e) for d, e in state.history]
            self._move_signals(key, target)
            self._move_quality(key, target)
            moved.append(target)
        return moved
