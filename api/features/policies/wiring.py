"""The services of policies."""

from __future__ import annotations

from api.config.settings import Settings
from api.features.policies.simulation import PolicySimulation
from api.joins.domains import DomainRights
from api.visibility.knowledge import Knowledge
from api.wiring.access_services import EffectiveAccess
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.effective.policy_reach import PolicyReaches
from policies.ports import FactsSource
from policies.whatif.simulate import Simulation


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        PolicySimulation,
        lambda: PolicySimulation(
            instance[Simulation], instance[Identity], instance[DomainRights], instance[Knowledge], instance[AuditLog]
        ),
    )

    instance.provide(
        PolicyReaches,
        lambda: PolicyReaches(
            instance[GovernanceState],
            instance[FactsSource],
            instance[EffectiveAccess].references,
            instance[AuditLog],
            now,
            instance[Settings].policies.unscanned_is_sensitive,
        ),
    )
