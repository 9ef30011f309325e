"""The declared document of a dataset, for what changes a part of it and leaves everything else."""

from __future__ import annotations

from dataclasses import replace

from api.joins.declared import DeclaredService
from catalog.datasets.clusters import Clusters
from catalog.declared.documents import WrittenDocument
from catalog.errors import Conflict
from catalog.records import DatasetRecord
from policies.model import Subject


class DocumentChanged(Conflict):
    """Somebody else changed the document meanwhile."""


class DatasetDocuments:
    """Finds the document of a dataset."""

    def __init__(self, declared: DeclaredService, clusters: Clusters) -> None:
        self._declared, self._clusters = declared, clusters

    def of(self, record: DatasetRecord) -> WrittenDocument:
        """What is declared of a dataset, by whichever name of its cluster. Raises Conflict where that is not one document."""
        if record.cluster is None:
            raise Conflict(
                f"{record.reference} is in no cluster that Weir knows by name, so nothing can be declared of it; declare its"
                " cluster by kind: Cluster."
            )
        names = [each.name for each in self._clusters.all() if each.namespace == record.id.namespace]
        known = [each for name in names for each in self._declared.documents("Dataset", f"{name}/{record.id.name}")]
        if len(known) > 1:
            first, second = (each["metadata"]["cluster"] for each in known[:2])
            raise Conflict(
                f"{record.reference} is declared twice, in the clusters {first} and {second}, which are the same; delete one"
                f" (weir delete Dataset {second}/{record.id.name}) and apply the other again."
            )
        if known:
            return {**known[0], "spec": known[0].get("spec") or {}}
        metadata = {"name": record.id.name, "cluster": record.cluster}
        return {"apiVersion": "weir/v1", "kind": "Dataset", "metadata": metadata, "spec": {}}


def with_all_rights(subject: Subject) -> Subject:
    """With all rights of the person: the route asks for a scope of its own, which opens this one change and no more."""
    return replace(subject, scopes=None)
