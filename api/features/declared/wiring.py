"""The services of declared documents."""

from __future__ import annotations

from api.features.declared.known import KnownDocuments
from api.joins.declared import DeclaredService
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from policies.access.grants import Grants
from policies.access.identity import Identity


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes, and those of domains, ask for."""
    instance.provide(
        KnownDocuments,
        lambda: KnownDocuments(
            instance[DeclaredService], instance[Identity], instance[Grants], instance[Readers], instance[Datasets]
        ),
    )
