"""The services of data products."""

from __future__ import annotations

from api.features.declared.known import KnownDocuments
from api.features.products.service import DataProducts
from api.joins.declared import DeclaredService
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from policies.access.identity import Identity


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        DataProducts,
        lambda: DataProducts(
            instance[DeclaredService],
            instance[KnownDocuments],
            instance[Readers],
            instance[Datasets].clusters,
            instance[Identity],
        ),
    )
