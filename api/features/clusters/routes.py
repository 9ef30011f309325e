"""`/clusters`: the Kafka clusters Weir knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Name, Text
from api.features.clusters import answers
from api.features.clusters.cluster_trial import ClusterTrial
from api.guard.guards import KNOWN, Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.cluster_removal import ClusterRemoval
from api.joins.declared import DeclaredService
from api.visibility.readers import Readers
from catalog.datasets.datasets import Datasets
from catalog.ports import CatalogStore
from catalog.records import DatasetFilter
from policies.audit.log import AuditLog
from policies.model import Subject

router = FeatureRouter("/clusters", tags=["catalog"])


class ClusterBody(RequestBody):
    """A cluster that is not declared yet, as its document would write it."""

    name: Text = Field(min_length=1, examples=["prod"])
    spec: dict[str, object] = Field(examples=[{"bootstrapServers": "broker:9092"}])


@router.get("", dependencies=[signed_in(KNOWN)])
def list_clusters(
    datasets: From[Datasets], store: From[CatalogStore], readers: From[Readers], caller: Caller
) -> answers.Clusters:
    """Every cluster: how many of its datasets the catalog holds, and whether it was declared or met by a scan."""
    reader = readers.of(caller)
    return answers.Clusters(
        clusters=[
            answers.ListedCluster.of(
                cluster,
                datasets=reader.datasets.page(DatasetFilter(cluster=cluster.name), 1).total,
                declared=store.document("Cluster", cluster.name) is not None,
            )
            for cluster in datasets.clusters.all()
        ]
    )


@router.post("/test", dependencies=[needs("manage")])
def test_connection(
    trial: From[ClusterTrial], audit: From[AuditLog], caller: Caller, body: ClusterBody
) -> answers.TestedCluster:
    """Ask the servers of a cluster that is not declared yet: what answers, and what is wrong. Nothing is stored."""
    return _tested(trial, audit, caller, body.name, body.spec)


@router.post("/{name}/test", dependencies=[needs("manage")])
def test_known_connection(
    trial: From[ClusterTrial], datasets: From[Datasets], audit: From[AuditLog], caller: Caller, name: Name
) -> answers.TestedCluster:
    """Ask the servers of a cluster that is declared, or that a scan met: what answers, and what is wrong. Nothing is stored."""
    cluster = datasets.clusters.get(name)
    return _tested(trial, audit, caller, cluster.name, trial.declared_spec(cluster))


def _tested(
    trial: ClusterTrial, audit: AuditLog, caller: Subject, name: str, spec: Mapping[str, Any]
) -> answers.TestedCluster:
    answer = trial.test(name, spec)
    wrong = [each.what for each in answer.checks if not each.ok]
    audit.record_by(caller, "cluster.test", name, "allow", [f"{each} does not answer" for each in wrong])
    return answer


@router.get("/{name}", dependencies=[signed_in(KNOWN)])
def get_cluster(datasets: From[Datasets], _: Caller, name: Name) -> answers.Cluster:
    """One cluster, with every other spelling of its namespace."""
    cluster = datasets.clusters.get(name)
    return answers.Cluster.of(cluster, datasets.clusters.aliases(cluster.namespace))


@router.delete("/{name}", dependencies=[needs("manage")])
def delete_cluster(
    store: From[CatalogStore],
    declared: From[DeclaredService],
    removal: From[ClusterRemoval],
    caller: Caller,
    name: Name,
) -> answers.DeletedCluster:
    """Remove a cluster, declared or met by a scan; its topics leave the catalog as topics that are gone.

    Refused (409) while datasets of it are declared. What is known of the topics stays readable by their addresses.
    """
    if store.document("Cluster", name) is not None:
        deleted = declared.delete("Cluster", name, caller)
        return answers.DeletedCluster(name=name, declared=True, datasets=0, **deleted)
    return answers.DeletedCluster(name=name, declared=False, datasets=removal.forget(caller, name))
