"""The service of questions."""

from __future__ import annotations

from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.events.events import Events
from catalog.ports import CatalogStore
from catalog.questions import Questions


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(Questions, lambda: Questions(instance[CatalogStore], now, instance[Events]))
