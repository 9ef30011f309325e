"""The services of access reviews."""

from __future__ import annotations

from api.features.access_reviews.service import AccessReviews, access_reviews
from api.wiring.access_services import EffectiveAccess
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.events.events import Events
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.requests.approvals import Approvals


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes and the worker ask for."""
    instance.provide(
        AccessReviews,
        lambda: access_reviews(
            parts.campaign_store,
            instance[GovernanceState],
            instance[Identity],
            instance[Grants],
            instance[Approvals].delegations,
            instance[EffectiveAccess].moments,
            instance[AuditLog],
            instance[Events],
            now,
            instance[EffectiveAccess].references,
        ),
    )
