"""The services of `policies.effective`, joined."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from api.joins.facts import NotKept
from policies.access.identity import Identity
from policies.access.sessions import Sessions
from policies.audit import AuditLog
from policies.declared.state import GovernanceState
from policies.effective.compare import Compare
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moments
from policies.effective.person_access import PersonAccess
from policies.effective.unused import Unused
from policies.ports import Clock, FactsSource
from policies.settings import PolicySettings


@dataclass(frozen=True, slots=True)
class EffectiveAccess:
    """Who has access, and why. `named` gives `CLUSTER/TOPIC` of a dataset or view as callers may write it."""

    dataset: DatasetAccess
    person: PersonAccess
    unused: Unused
    compare: Compare
    named: Callable[[str], str]
    moments: Moments


def effective_access(
    state: GovernanceState,
    facts: FactsSource,
    identity: Identity,
    sessions: Sessions,
    audit: AuditLog,
    clock: Clock,
    settings: PolicySettings,
    references: Callable[[], Iterable[str]],
    named: Callable[[str], str],
    bearers: bool,
) -> EffectiveAccess:
    """`references`: `CLUSTER/TOPIC` of every dataset that can be queried; `bearers`: another issuer's tokens are good too."""
    moments = Moments(state, facts, clock, sessions, NotKept(facts), settings, bearers)
    dataset = DatasetAccess(moments, identity)
    return EffectiveAccess(
        dataset,
        PersonAccess(moments, identity, dataset, references),
        Unused(moments, identity, dataset, audit, references),
        Compare(moments, identity),
        named,
        moments,
    )
