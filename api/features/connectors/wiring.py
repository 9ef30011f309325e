"""The services of connectors."""

from __future__ import annotations

from api.features.connectors.service import Connectors
from api.joins.connectors.places import Places
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.audit.log import AuditLog


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        Connectors,
        lambda: Connectors(instance[CatalogStore], instance[Places], instance[AuditLog], instance[Identity].manages),
    )
