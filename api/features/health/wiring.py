"""The service of health."""

from __future__ import annotations

from api.features.health.service import Health
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    health = Health(parts.probes(), parts.lag)
    parts.closing.append(health.close)
    instance.add(Health, health)
