"""The services of notifications."""

from __future__ import annotations

from functools import partial

from api.config.settings import Settings
from api.features.notifications.service import Notify, notify
from api.visibility.readers import Readers
from api.webhooks.ssrf_guard import Guard
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.datasets.clusters import Clusters
from catalog.errors import NotSignedIn
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.notify.words import LINK
from policies.requests.approvals import Approvals


def knows(instance: Instance, user: str, dataset: str) -> bool:
    """Whether a user, as they are now, may know of a dataset by its `CLUSTER/TOPIC`; of one that is gone, too."""
    try:
        reader = instance[Readers].of(instance[Identity].current(user))
    except NotSignedIn:
        return False
    if LINK in dataset:  # the address of a dataset of no cluster, which the message does not show
        return True
    clusters = instance[Clusters]
    cluster, _, name = dataset.rpartition("/")
    named = [each.id for each in clusters.named(dataset) if each.reference == dataset]
    return all(map(reader.knows, named or [clusters.resolve(cluster, name)]))


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes, the intake of events and the worker ask for."""
    instance.provide(
        Notify,
        lambda: notify(
            instance[Settings],
            parts,
            instance[GovernanceState],
            instance[Approvals].deciders,
            instance[AuditLog],
            instance[Guard],
            now,
            partial(knows, instance),
        ),
    )
