"""Removing a cluster that only a scan met."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from catalog.apply.handlers import without_connectors
from catalog.datasets.datasets import Datasets
from policies.audit.log import AuditLog
from policies.model import Subject


class ClusterRemoval:
    """Takes a cluster that no document declares out of the catalog, with its topics."""

    def __init__(self, connectors_of: Callable[[str], Sequence[str]], datasets: Datasets, audit: AuditLog) -> None:
        """`connectors_of`: names of the declared connectors of a cluster."""
        self._connectors_of, self._datasets, self._audit = connectors_of, datasets, audit

    def forget(self, subject: Subject, name: str) -> int:
        """How many datasets left the catalog. Raises NotFound, Conflict."""
        without_connectors(name, self._connectors_of(name))
        count = self._datasets.forget_cluster(name)
        self._audit.record_by(subject, "cluster.delete", name, "allow", [f"{count} datasets"])
        return count
