"""The services of lineage that need other features: messages to owners."""

from __future__ import annotations

from api.features.lineage.announcements import Announcements
from api.features.notifications.service import Notify
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.datasets.clusters import Clusters
from catalog.events.events import Events
from catalog.ports import CatalogStore
from policies.access.identity import Identity
from policies.audit.log import AuditLog


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        Announcements,
        lambda: Announcements(
            instance[Readers],
            instance[Notify].reach,
            instance[Identity],
            instance[CatalogStore],
            instance[Clusters],
            instance[Events],
            instance[AuditLog],
            now,
        ),
    )
