"""The services of datasets: the verdict of a schema registry on their schemas."""

from __future__ import annotations

from api.features.datasets.registry_verdicts import Verdicts
from api.joins.connections import Connections
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what comparisons of schemas ask for."""
    instance.provide(Verdicts, lambda: Verdicts(instance[Connections], parts.registry))
