"""Who sees what and why, joined: effective access, access reviews, decisions, and what a changed policy would do."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from api.config.settings import Settings
from api.joins.facts import NotKept
from api.visibility.readers import Readers
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.governance_services import GovernanceServices
from policies.access.decision_service import Decisions
from policies.effective.compare import Compare
from policies.effective.dataset_access import DatasetAccess
from policies.effective.moment import Moments
from policies.effective.person_access import PersonAccess
from policies.effective.unused import Unused
from policies.query.service import GovernedQuery
from policies.settings import PolicySettings
from policies.whatif.policy_tests import PolicyTests
from policies.whatif.simulate import Simulation


@dataclass(frozen=True, slots=True)
class EffectiveAccess:
    """Who has access, and why.

    named       gives `CLUSTER/TOPIC` of a dataset or view as callers may write it
    references  gives `CLUSTER/TOPIC` of every dataset that can be queried
    """

    dataset: DatasetAccess
    person: PersonAccess
    unused: Unused
    compare: Compare
    named: Callable[[str], str]
    references: Callable[[], Iterable[str]]
    moments: Moments


@dataclass(frozen=True, slots=True)
class AccessServices:
    effective: EffectiveAccess
    decisions: Decisions
    simulation: Simulation
    policy_tests: PolicyTests


def access_services(
    settings: Settings,
    catalog: CatalogServices,
    governance: GovernanceServices,
    query: GovernedQuery,
    readers: Readers,
) -> AccessServices:
    state, identity, audit = governance.state, governance.identity, governance.audit.log
    facts, policies = catalog.facts, settings.policies
    effective = _effective_access(policies, catalog, governance)
    for listing in (effective.person, effective.unused):
        listing.shown = lambda subject, listed: readers.of(subject).shown(listed, schema=True)
    decisions = Decisions(state, facts, identity, audit, now, policies, catalog.named)
    decisions.named = lambda subject, text: readers.of(subject).named(text)
    return AccessServices(
        effective=effective,
        decisions=decisions,
        simulation=Simulation(state, facts, catalog.references, now, policies),
        policy_tests=PolicyTests(query.preparer, query.trail, facts, now, policies, catalog.named),
    )


def _effective_access(
    settings: PolicySettings, catalog: CatalogServices, governance: GovernanceServices
) -> EffectiveAccess:
    facts, identity = catalog.facts, governance.identity
    moments = Moments(
        state=governance.state,
        source=facts,
        clock=now,
        signed_in=governance.sessions,
        not_kept=NotKept(facts),
        settings=settings,
        bearers=governance.other_issuers,
    )
    dataset = DatasetAccess(moments, identity)
    return EffectiveAccess(
        dataset=dataset,
        person=PersonAccess(moments, identity, dataset, catalog.references),
        unused=Unused(moments, identity, dataset, governance.audit.log, catalog.references),
        compare=Compare(moments, identity),
        named=catalog.named,
        references=catalog.references,
        moments=moments,
    )
