"""`/clusters`: the Kafka clusters Weir knows."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Name, Text
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.http.schemas.clusters import Cluster, Clusters, DeletedCluster, TestedCluster
from api.features.clusters.cluster_trial import ClusterTrial
from api.joins.connectors.service import Connectors
from api.joins.declared import Declared
from api.visibility.readers import Readers
from api.wiring.instance import Instance
from catalog.apply.handlers import without_connectors
from catalog.datasets.datasets import Datasets
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter
from policies.audit import AuditLog
from policies.model import Subject

router = APIRouter(prefix="/clusters", tags=["catalog"])


class ClusterAsked(RequestBody):
    """A cluster that is not declared yet, as its document would write it."""

    name: Text = Field(min_length=1, examples=["prod"])
    spec: dict[str, Any] = Field(examples=[{"bootstrapServers": "broker:9092"}])


@router.get("", dependencies=[signed_in(KNOWN)], responses=answers_with(Clusters))
def list_clusters(built: InstanceOf, subject: Caller) -> dict[str, Any]:
    """Every cluster: how many of its datasets the catalog holds, and whether it was declared or met by a scan."""
    reader = built[Readers].of(subject)
    return {
        "clusters": [
            {
                **cluster.to_json(),
                "datasets": reader.datasets.page(DatasetFilter(cluster=cluster.name), 1).total,
                "declared": built[CatalogStore].document("Cluster", cluster.name) is not None,
            }
            for cluster in built[Datasets].clusters.all()
        ]
    }


@router.post("/test", dependencies=[needs("manage")], responses=answers_with(TestedCluster))
def test_connection(built: InstanceOf, subject: Caller, body: ClusterAsked) -> Any:
    """Ask the servers of a cluster that is not declared yet: what answers, and what is wrong. Nothing is stored."""
    answer = built[ClusterTrial].test(body.name, body.spec)
    wrong = [each["what"] for each in answer["checks"] if not each["ok"]]
    built[AuditLog].record_by(
        subject, "cluster.test", body.name, "allow", [f"{each} does not answer" for each in wrong]
    )
    return answer


@router.get("/{name}", dependencies=[signed_in(KNOWN)], responses=answers_with(Cluster))
def get_cluster(built: InstanceOf, _: Caller, name: Name) -> dict[str, Any]:
    """One cluster, with every other spelling of its namespace."""
    cluster = built[Datasets].clusters.get(name)
    return {**cluster.to_json(), "aliases": built[Datasets].clusters.aliases(cluster.namespace)}


@router.delete("/{name}", dependencies=[needs("manage")], responses=answers_with(DeletedCluster))
def delete_cluster(built: InstanceOf, subject: Caller, name: Name) -> dict[str, Any]:
    """Remove a cluster, declared or met by a scan; its topics leave the catalog as topics that are gone.

    Refused (409) while datasets of it are declared. What is known of the topics stays readable by their addresses.
    """
    if built[CatalogStore].document("Cluster", name) is not None:
        answer = built[Declared].delete("Cluster", name, subject)
        return {"name": name, "declared": True, "datasets": 0, **answer}
    return {"name": name, "declared": False, **forget(built, subject, name)}


def forget(built: Instance, subject: Subject, name: str) -> dict[str, int]:
    """Remove a cluster that no document declares. Raises NotFound, Conflict."""
    without_connectors(name, built[Connectors].of_cluster(name))
    count = built[Datasets].forget_cluster(name)
    built[AuditLog].record_by(subject, "cluster.delete", name, "allow", [f"{count} datasets"])
    return {"datasets": count}
