"""The service of descriptions."""

from __future__ import annotations

from api.features.descriptions.service import Descriptions
from api.joins.declared import DeclaredService
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from policies.declared.state import GovernanceState
from policies.ports import FactsSource


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's route asks for."""

    def descriptions() -> Descriptions:
        return Descriptions(
            instance[DeclaredService],
            instance[Readers],
            instance[Datasets].clusters,
            instance[GovernanceState],
            instance[FactsSource],
        )

    instance.provide(Descriptions, descriptions)
