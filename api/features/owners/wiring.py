"""The service of suggested owners."""

from __future__ import annotations

from api.features.owners.service import SuggestedOwners
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.ports import CatalogStore
from policies.broker_rights.service import BrokerRights
from policies.declared.state import GovernanceState


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        SuggestedOwners,
        lambda: SuggestedOwners(instance[CatalogStore], instance[GovernanceState], instance[BrokerRights]),
    )
