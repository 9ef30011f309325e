"""`/clusters`: the Kafka clusters Weir knows."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from api.http.callers.auth import Caller, Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Name, Text
from api.http.schemas.base import RequestBody
from api.http.schemas.clusters import Cluster, Clusters, DeletedCluster, TestedCluster
from api.wiring.services import Services
from catalog.apply.handlers import without_connectors
from catalog.records import DatasetFilter
from policies.model import Subject

router = APIRouter(prefix="/clusters", tags=["catalog"])


class ClusterAsked(RequestBody):
    """A cluster that is not declared yet, as its document would write it."""

    name: Text = Field(min_length=1, examples=["prod"])
    spec: dict[str, Any] = Field(examples=[{"bootstrapServers": "broker:9092"}])


@router.get("", responses=answers_with(Clusters))
def list_clusters(built: ServicesOf, subject: Caller) -> dict[str, Any]:
    """Every cluster: how many of its datasets the catalog holds, and whether it was declared or met by a scan."""
    reader = built.reader(subject)
    return {
        "clusters": [
            {
                **cluster.to_json(),
                "datasets": reader.datasets.page(DatasetFilter(cluster=cluster.name), 1).total,
                "declared": built.store.document("Cluster", cluster.name) is not None,
            }
            for cluster in built.datasets.clusters.all()
        ]
    }


@router.post("/test", responses=answers_with(TestedCluster))
def test_connection(built: ServicesOf, subject: Manager, body: ClusterAsked) -> Any:
    """Ask the servers of a cluster that is not declared yet: what answers, and what is wrong. Nothing is stored."""
    answer = built.cluster_trial.test(body.name, body.spec)
    wrong = [each["what"] for each in answer["checks"] if not each["ok"]]
    built.record(subject, "cluster.test", body.name, "allow", [f"{each} does not answer" for each in wrong])
    return answer


@router.get("/{name}", responses=answers_with(Cluster))
def get_cluster(built: ServicesOf, _: Caller, name: Name) -> dict[str, Any]:
    """One cluster, with every other spelling of its namespace."""
    cluster = built.datasets.clusters.get(name)
    return {**cluster.to_json(), "aliases": built.datasets.clusters.aliases(cluster.namespace)}


@router.delete("/{name}", responses=answers_with(DeletedCluster))
def delete_cluster(built: ServicesOf, subject: Manager, name: Name) -> dict[str, Any]:
    """Remove a cluster, declared or met by a scan; its topics leave the catalog as topics that are gone.

    Refused (409) while datasets of it are declared. What is known of the topics stays readable by their addresses.
    """
    if built.store.document("Cluster", name) is not None:
        answer = built.declared.delete("Cluster", name, subject)
        return {"name": name, "declared": True, "datasets": 0, **answer}
    return {"name": name, "declared": False, **forget(built, subject, name)}


def forget(built: Services, subject: Subject, name: str) -> dict[str, int]:
    """Remove a cluster that no document declares. Raises NotFound, Conflict."""
    without_connectors(name, built.connectors.of_cluster(name))
    count = built.datasets.forget_cluster(name)
    built.record(subject, "cluster.delete", name, "allow", [f"{count} datasets"])
    return {"datasets": count}
