"""The services of saved queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from api.features.saved_queries.service import SavedQueries
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.model import Subject


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""

    def hides(subject: Subject) -> Callable[[Any], bool]:
        return instance[Readers].of(subject).mentions_hidden

    instance.provide(SavedQueries, lambda: SavedQueries(instance[CatalogStore], now, instance[Identity].manages, hides))
