"""What follows from people who come and go, and what requests of access bring about: directory, notices, escalations."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from api.config.settings import Settings
from api.joins.cross_room import held_elsewhere
from api.visibility.knowledge import Knowledge
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.governance_services import GovernanceServices
from catalog.errors import NotSignedIn
from policies.access.directory import DirectoryPeople
from policies.access.mentions import Mentions
from policies.access.offboarding import Offboarding
from policies.plan.registry import RunningQueries
from policies.requests.bundles import Bundles
from policies.requests.escalations import Escalations
from policies.requests.extensions import Extensions
from policies.requests.grant_notices import GrantNotices
from policies.requests.readdressed import Readdressing
from policies.requests.view import RequestView


@dataclass(frozen=True, slots=True)
class RequestServices:
    """What surrounds access requests, which `policies.requests.approvals` makes and decides."""

    view: RequestView
    extensions: Extensions
    bundles: Bundles
    escalations: Escalations
    grant_notices: GrantNotices


def directory_people(
    catalog: CatalogServices, governance: GovernanceServices, running: RunningQueries
) -> DirectoryPeople:
    """The people of the directory; one who leaves loses sessions and running queries."""
    state, audit = governance.state, governance.audit.log
    offboarding = Offboarding(
        governance.identity,
        governance.sessions,
        lambda user, why: running.stop_all(user, f"was ended, since {why}", NotSignedIn(f"{why.capitalize()}.")),
        Readdressing(state, governance.approvals.deciders, audit, catalog.events).readdress,
    )
    state.on_person = offboarding.declared
    mentions = Mentions(state, now, partial(held_elsewhere, catalog.store))
    return DirectoryPeople(state, now, audit, offboarding, mentions)


def request_services(
    settings: Settings, catalog: CatalogServices, governance: GovernanceServices, knowledge: Knowledge
) -> RequestServices:
    state, approvals, policies = governance.state, governance.approvals, settings.policies
    view = RequestView(state, approvals.deciders, now, policies)
    view.horizon = knowledge.of_facts
    return RequestServices(
        view=view,
        extensions=Extensions(state, catalog.facts, approvals, approvals.records, now, policies),
        bundles=Bundles(state, approvals, now, catalog.dataset_named),
        escalations=Escalations(state, approvals.deciders, approvals.records, now, policies),
        grant_notices=GrantNotices(state, catalog.events, now, policies),
    )
