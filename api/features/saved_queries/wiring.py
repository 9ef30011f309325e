"""The services of saved queries."""

from __future__ import annotations

from api.features.saved_queries.service import SavedQueries
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.ports import CatalogStore
from policies.access.identity import Identity


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(SavedQueries, lambda: SavedQueries(instance[CatalogStore], now, instance[Identity].manages))
