"""Data products, as `kind: DataProduct` declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from catalog.model import DatasetId
from catalog.records import ClusterRecord, DeclaredDocument

KIND = "DataProduct"


class ProductStore(Protocol):
    def documents(self, kind: str) -> list[DeclaredDocument]: ...

    def clusters(self) -> list[ClusterRecord]: ...


def products_of(store: ProductStore) -> Mapping[DatasetId, Sequence[str]]:
    """Each dataset of a product -> the names of its products, in order."""
    listed = store.documents(KIND)
    spaces = namespaces(store) if listed else {}
    products: dict[DatasetId, list[str]] = {}
    for document in listed:
        for reference in document.spec.get("datasets") or ():
            products.setdefault(identified(reference, spaces), []).append(document.key)
    return {dataset: sorted(names) for dataset, names in products.items()}


def namespaces(store: ProductStore) -> dict[str, str]:
    """Name of a cluster -> the namespace of its datasets."""
    return {each.name: each.namespace for each in store.clusters()}


def identified(reference: str, spaces: Mapping[str, str]) -> DatasetId:
    """The dataset of a `CLUSTER/TOPIC`."""
    cluster, _, name = str(reference).partition("/")
    return DatasetId(spaces.get(cluster, cluster), name)
