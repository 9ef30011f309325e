"""The composition root: joins the rooms; with the other files of `api/wiring`, the only place that does so.

Each `*_services.py` joins one group of services. The order of the groups here matters: what was opened last ends first.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from api import features
from api.config.home import Home
from api.config.settings import Settings
from api.features.notifications.service import Notify
from api.joins.connections import Connections
from api.joins.connectors.places import Places
from api.joins.connectors.sync import ConnectorSync
from api.joins.cross_room import SqlLineageSliver
from api.joins.declared import DeclaredService
from api.joins.domains import DomainRights
from api.joins.observing import Observing
from api.joins.responsible import ResponsiblePeople
from api.joins.second_person import SecondPerson
from api.joins.views.clusters import ViewClusters
from api.joins.views.decisions import ViewDecisions
from api.joins.views.declared import DeclaredViews, ViewHandler
from api.joins.views.seen import SeenStates
from api.joins.views.service import Views
from api.visibility.knowledge import Knowledge
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from api.webhooks.ssrf_guard import Guard
from api.wiring.access_services import EffectiveAccess, access_services
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices, catalog_services
from api.wiring.clock import now
from api.wiring.declared_services import declared_services
from api.wiring.duties import Duties
from api.wiring.given import GivenAdapters
from api.wiring.governance_services import governance_services
from api.wiring.instance import Instance
from api.wiring.lineage_services import LineageServices, lineage_services
from api.wiring.observing_services import observing_service
from api.wiring.people_services import directory_people, request_services
from api.wiring.query_services import query_services
from api.wiring.reader_services import reader_services
from api.wiring.record_keys import agree_on_keys
from api.wiring.scan_services import scan_services
from api.wiring.view_services import view_services
from catalog.contracts.service import Contracts
from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.datasets.reviews import Reviews
from catalog.datasets.tag_propagation import TagFlow
from catalog.errors import WeirError
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.incidents.service import Incidents
from catalog.ports import CatalogStore, Receiver
from catalog.quality.service import Quality
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from catalog.search.clicks import Clicks
from catalog.search.related import Related
from catalog.search.service import Search
from catalog.where_is.report import WhereIs
from lineage.ingest.service import Ingest
from lineage.producers.catalog import ProducerCatalog
from lineage.questions.queries import Lineage
from lineage.warming.pages import warm
from policies.access.agents import AgentBudget
from policies.access.audit_of_domain import DomainAudit
from policies.access.certificates import Certificates
from policies.access.decision_service import Decisions
from policies.access.device_logins import DeviceLogins
from policies.access.directory import DirectoryPeople
from policies.access.directory_list import DirectoryList
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.access.purposes import PurposeUse
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from policies.audit.export import Signer
from policies.audit.log import AuditLog
from policies.audit.segments import AuditSegments
from policies.audit.shipping import AuditShipping
from policies.browse.service import Browser
from policies.declared.state import GovernanceState
from policies.ports import FactsSource
from policies.query.check import QueryCheck
from policies.query.complete import Completion
from policies.query.service import GovernedQuery
from policies.requests.approvals import Approvals
from policies.requests.bundles import Bundles
from policies.requests.escalations import Escalations
from policies.requests.extensions import Extensions
from policies.requests.grant_notices import GrantNotices
from policies.requests.view import RequestView
from policies.whatif.mask_preview import MaskPreview
from policies.whatif.policy_tests import PolicyTests
from policies.whatif.simulate import Simulation
from scanners.scan.service import Scanner

REAL_ONES = GivenAdapters()


def build(settings: Settings, home: Home, given: GivenAdapters = REAL_ONES) -> Instance:
    """Join the rooms. `given` replaces adapters by their ports.

    Raises SettingsError, also for a key that is not the one of the record store, and Unavailable when that cannot be opened.
    """
    parts = Adapters(settings, home, given)
    if given is REAL_ONES and parts.database is not None:  # a test that gives parts has keys of its own
        agree_on_keys(home, parts.database, settings.policies.audit_trusted_keys)
    catalog = catalog_services(settings, parts)
    governance = governance_services(settings, parts, catalog)
    lineage = lineage_services(settings, parts, catalog)
    scans = scan_services(settings, parts, catalog)
    queries = query_services(settings, parts, catalog, governance, scans.scans, lambda: declared.declared)
    declared = declared_services(settings, parts, catalog, governance, queries)
    views = view_services(settings, parts, catalog, governance, lineage, queries.query)
    people = directory_people(catalog, governance, queries.query.running)
    requests = request_services(settings, catalog, governance, declared.knowledge)
    observing = observing_service(settings, parts, catalog, declared, lineage.ingest)
    reading = reader_services(
        settings, parts, catalog, lineage, queries, declared.knowledge, governance.grants, lambda: views.views
    )
    access = access_services(settings, catalog, governance, queries.query, reading.readers)
    instance = Instance(parts.closing)
    add = instance.add
    add(Settings, settings)
    add(Home, home)
    add(CatalogStore, catalog.store)
    add(Events, catalog.events)
    add(Deliveries, Deliveries(catalog.store, _receivers(parts, catalog, instance), now, settings.events))
    add(Guard, catalog.guard)
    add(Datasets, catalog.datasets)
    add(Contracts, catalog.contracts)
    add(Quality, catalog.quality)
    add(Incidents, catalog.incidents)
    add(Reviews, reading.reviews)
    add(TagFlow, reading.tag_flow)
    add(Discovery, catalog.discovery)
    add(Connections, catalog.connections)
    add(Search, catalog.search)
    add(Clicks, catalog.clicks)
    add(Related, reading.related)
    add(Readers, reading.readers)
    add(Knowledge, declared.knowledge)
    add(Scanner, scans.scanner)
    add(Scans, scans.scans)
    add(Schedules, scans.schedules)
    add(WhereIs, reading.where_is)
    add(Places, declared.places)
    add(ConnectorSync, declared.connectors)
    add(Views, views.views)
    add(ViewDecisions, views.decisions)
    add(ViewClusters, catalog.view_clusters)
    add(ViewHandler, declared.view_handler)
    add(DeclaredViews, catalog.declared_views)
    add(SeenStates, catalog.seen_states)
    add(Clusters, catalog.clusters)
    add(Ingest, lineage.ingest)
    add(Lineage, lineage.lineage)
    add(ProducerCatalog, lineage.producers)
    add(SqlLineageSliver, reading.sql_lineage)
    add(Observing, observing)
    add(GovernanceState, governance.state)
    add(Identity, governance.identity)
    add(Certificates, governance.certificates)
    add(SignIn, governance.sign_in)
    add(Sessions, governance.sessions)
    add(DeviceLogins, governance.device_logins)
    add(DirectoryPeople, people)
    add(DirectoryList, DirectoryList(governance.state))
    add(Approvals, governance.approvals)
    add(ResponsiblePeople, governance.responsible)
    add(RequestView, requests.view)
    add(Extensions, requests.extensions)
    add(Bundles, requests.bundles)
    add(Escalations, requests.escalations)
    add(GrantNotices, requests.grant_notices)
    add(Grants, governance.grants)
    add(PurposeUse, queries.purposes)
    add(EffectiveAccess, access.effective)
    add(Decisions, access.decisions)
    add(Simulation, access.simulation)
    add(PolicyTests, access.policy_tests)
    add(AuditLog, governance.audit.log)
    add(DomainAudit, DomainAudit(governance.audit.log, parts.cursor_sealer()))
    add(Signer, governance.audit.signer)
    add(AuditSegments, governance.audit.segments)
    add(AuditShipping, governance.audit.shipping)
    add(GovernedQuery, queries.query)
    add(AgentBudget, queries.budget)
    add(Browser, queries.browser)
    add(QueryCheck, queries.check)
    add(Completion, queries.completion)
    add(MaskPreview, queries.mask_preview)
    add(DeclaredService, declared.declared)
    add(SecondPerson, declared.second)
    add(DomainRights, declared.rights)
    add(FactsSource, catalog.facts)
    add(SightRules, SightRules(governance.identity, catalog.facts, governance.state))
    add(
        Duties,
        Duties(
            view_runner=views.runner,
            lineage_worker=lineage.worker,
            rebuild_lineage=lineage.rebuild,
            warm=_warm_up(parts, catalog, governance.state, lineage, queries.query),
            written=parts.written,
            leases=parts.leases,
        ),
    )
    for wiring in features.parts("wiring"):
        wiring.provide(instance, parts)
    parts.closing += [
        instance[Notify].sender.close,
        catalog.webhooks.close,
        instance[Deliveries].close,
    ]
    return instance


def _receivers(parts: Adapters, catalog: CatalogServices, instance: Instance) -> Callable[[], Sequence[Receiver]]:
    """Who gets events: the topic of events, the declared webhooks, and what makes notices of them."""

    def receivers() -> list[Receiver]:
        topic, intake = parts.event_topic, instance[Notify].intake
        return [
            *([topic] if topic is not None else []),
            *catalog.webhooks.receivers(),
            *([intake] if intake is not None else []),
        ]

    return receivers


def _warm_up(
    parts: Adapters, catalog: CatalogServices, state: GovernanceState, lineage: LineageServices, query: GovernedQuery
) -> Callable[[], None]:
    """What an instance does before its first requests, so that they need not wait for it."""

    def warm_up() -> None:
        parts.warm(query.running.busy)
        with contextlib.suppress(WeirError):
            state.view()  # a request would wait while all documents are read
        threading.Thread(target=_quietly, args=(catalog.search.warm,), name="weir-warm-search", daemon=True).start()
        warm(lineage.lineage, lineage.graph)

    return warm_up


def _quietly(work: Callable[[], object]) -> None:
    """Work that helps only before the first question: its failure is reported by the question itself."""
    with contextlib.suppress(WeirError):
        work()


def offline() -> Instance:
    """Services that need no server, for describing the API: an empty record store in memory."""
    from pathlib import Path

    settings = Settings()
    settings.database.url = "sqlite:///:memory:"
    return build(settings, Home(Path("/nonexistent")), GivenAdapters(mask_secret=b"0" * 32))
