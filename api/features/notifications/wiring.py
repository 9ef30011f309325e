"""The services of notifications."""

from __future__ import annotations

from api.config.settings import Settings
from api.features.notifications.service import Notify, notify
from api.webhooks.ssrf_guard import Guard
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.requests.approvals import Approvals


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
        ),
    )
