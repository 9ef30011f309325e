"""The services of policies."""

from __future__ import annotations

from api.features.policies.simulation import PolicySimulation
from api.joins.domains import DomainRights
from api.visibility.knowledge import Knowledge
from api.wiring.adapters import Adapters
from api.wiring.instance import Instance
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.whatif.simulate import Simulation


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        PolicySimulation,
        lambda: PolicySimulation(
            instance[Simulation], instance[Identity], instance[DomainRights], instance[Knowledge], instance[AuditLog]
        ),
    )
