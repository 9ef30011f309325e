"""The service of agents."""

from __future__ import annotations

from api.config.settings import Settings
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from policies.access.agents import AgentBudget, Agents
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes ask for."""
    instance.provide(
        Agents,
        lambda: Agents(
            instance[Identity],
            instance[GovernanceState],
            instance[AgentBudget],
            instance[AuditLog],
            now,
            instance[Settings].policies,
        ),
    )
