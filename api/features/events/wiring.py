"""The service of events."""

from __future__ import annotations

from api.features.events.service import VisibleEvents
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.events.events import Events
from policies.access.identity import Identity
from policies.requests.approvals import Approvals


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        VisibleEvents,
        lambda: VisibleEvents(
            events=instance[Events],
            datasets=instance[Datasets],
            identity=instance[Identity],
            readers=instance[Readers],
            sights=instance[SightRules],
            approvals=instance[Approvals],
        ),
    )
