"""The service of health."""

from __future__ import annotations

from api.config.home import Home
from api.features.health.figures import OperationFigures
from api.features.health.service import Health
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.ports import CatalogStore
from policies.query.service import GovernedQuery


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    health = Health(parts.probes(), parts.lag)
    parts.closing.append(health.close)
    instance.add(Health, health)
    figures = OperationFigures(
        instance[CatalogStore], parts.notice_store, instance[GovernedQuery].running, instance[Home]
    )
    instance.add(OperationFigures, figures)
