"""`/clusters`: the Kafka clusters Weir knows."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.auth import Caller, ServicesOf
from api.routes.names import Name
from catalog.records import DatasetFilter

router = APIRouter(prefix="/clusters", tags=["catalog"])


@router.get("")
def list_clusters(built: ServicesOf, _: Caller) -> dict[str, Any]:
    """Every declared cluster, with how many of its datasets the catalog holds."""
    return {
        "clusters": [
            {**cluster.to_json(), "datasets": built.datasets.page(DatasetFilter(cluster=cluster.name), 1).total}
            for cluster in built.datasets.clusters.all()
        ]
    }


@router.get("/{name}")
def get_cluster(built: ServicesOf, _: Caller, name: Name) -> dict[str, Any]:
    """One cluster, with every other spelling of its namespace."""
    cluster = built.datasets.clusters.get(name)
    return {**cluster.to_json(), "aliases": built.datasets.clusters.aliases(cluster.namespace)}
