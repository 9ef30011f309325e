"""The composition root: joins the rooms; with the other files of `api/wiring`, the only place that does so.

Each `*_services.py` joins one group of services. The order of the groups here matters: what was opened last ends first.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence

from api.config.home import Home
from api.config.settings import Settings
from api.joins.health import Health
from api.joins.saved_queries import SavedQueries
from api.joins.scim.service import ScimService
from api.wiring.access_services import access_services
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices, catalog_services
from api.wiring.clock import now
from api.wiring.declared_services import declared_services
from api.wiring.given import Given
from api.wiring.governance_services import governance_services
from api.wiring.lineage_services import LineageServices, lineage_services
from api.wiring.notify_services import Notify
from api.wiring.observing_services import observing_services
from api.wiring.people_services import directory_people, notices, request_services
from api.wiring.query_services import query_services
from api.wiring.reader_services import reader_services
from api.wiring.scan_services import scan_services
from api.wiring.services import Services
from api.wiring.view_services import view_services
from catalog.errors import WeirError
from catalog.events.deliveries import Deliveries
from catalog.ports import Receiver
from lineage.warming.pages import warm
from policies.access.audit_of_domain import DomainAudit
from policies.access.directory_list import DirectoryList
from policies.declared.state import GovernanceState
from policies.query.service import GovernedQuery

REAL_ONES = Given()


def build(settings: Settings, home: Home, given: Given = REAL_ONES) -> Services:
    """Join the rooms. `given` replaces adapters by their ports.

    Raises SettingsError, Unavailable when the record store cannot be opened.
    """
    parts = Adapters(settings, home, given)
    catalog = catalog_services(settings, parts)
    governance = governance_services(settings, parts, catalog)
    lineage = lineage_services(settings, parts, catalog)
    scans = scan_services(settings, parts, catalog)
    queries = query_services(settings, parts, catalog, governance, scans.scans, lambda: declared.declared)
    declared = declared_services(settings, parts, catalog, governance, queries.purposes)
    views = view_services(settings, parts, catalog, governance, lineage, queries.query, declared.view_handler)
    people = directory_people(catalog, governance, queries.query.running)
    notify = notices(settings, parts, catalog, governance)
    requests = request_services(settings, catalog, governance, declared.knowledge)
    observed = observing_services(settings, parts, catalog, declared, lineage.ingest)
    reading = reader_services(
        settings, parts, catalog, lineage, queries, declared.knowledge, governance.grants, lambda: views.views
    )
    access = access_services(settings, parts, catalog, governance, queries.query, reading.readers)
    services = Services(
        settings=settings,
        home=home,
        store=catalog.store,
        events=catalog.events,
        deliveries=Deliveries(catalog.store, _receivers(parts, catalog, notify), now, settings.events),
        datasets=catalog.datasets,
        reviews=reading.reviews,
        tag_flow=reading.tag_flow,
        recognizers=scans.recognizers,
        discovery=catalog.discovery,
        connections=catalog.connections,
        search=catalog.search,
        clicks=catalog.clicks,
        related=reading.related,
        readers=reading.readers,
        knowledge=declared.knowledge,
        verdicts=scans.verdicts,
        scans=scans.scans,
        schedules=scans.schedules,
        scan_runner=scans.runner,
        where_is=reading.where_is,
        connectors=declared.connectors,
        views=views.views,
        view_rows=views.rows,
        view_changes=views.changes,
        view_diff=views.diff,
        view_removal=views.removal,
        view_failures=views.failures,
        view_runner=views.runner,
        ingest=lineage.ingest,
        lineage=lineage.lineage,
        lineage_worker=lineage.worker,
        producers=lineage.producers,
        rebuild_lineage=lineage.rebuild,
        sql_lineage=reading.sql_lineage,
        observing=observed.observing,
        cluster_trial=observed.cluster_trial,
        group_lags=observed.group_lags,
        topic_pages=observed.topic_pages,
        saved_queries=SavedQueries(catalog.store, now, governance.manages),
        state=governance.state,
        identity=governance.identity,
        certificates=governance.certificates,
        sign_in=governance.sign_in,
        sessions=governance.sessions,
        device_logins=governance.device_logins,
        directory=people,
        directory_list=DirectoryList(governance.state),
        scim=ScimService(people),
        approvals=governance.approvals,
        request_view=requests.view,
        notify=notify,
        extensions=requests.extensions,
        bundles=requests.bundles,
        escalations=requests.escalations,
        grant_notices=requests.grant_notices,
        grants=governance.grants,
        purposes=queries.purposes,
        access=access.effective,
        access_reviews=access.reviews,
        decisions=access.decisions,
        simulation=access.simulation,
        policy_tests=access.policy_tests,
        audit=governance.audit.log,
        domain_audit=DomainAudit(governance.audit.log, parts.cursor_sealer()),
        audit_signer=governance.audit.signer,
        audit_segments=governance.audit.segments,
        audit_shipping=governance.audit.shipping,
        query=queries.query,
        browser=queries.browser,
        query_check=queries.check,
        completion=queries.completion,
        mask_preview=queries.mask_preview,
        declared=declared.declared,
        domain_rights=declared.rights,
        facts=catalog.facts,
        health=Health(parts.probes(), parts.lag),
        warm=_warm_up(parts, catalog, governance.state, lineage, queries.query),
        closing=parts.closing,
    )
    parts.closing += [
        notify.sender.close,
        services.health.close,
        catalog.webhooks.close,
        services.deliveries.close,
    ]
    return services


def _receivers(parts: Adapters, catalog: CatalogServices, notify: Notify) -> Callable[[], Sequence[Receiver]]:
    """Who gets events: the topic of events, the declared webhooks, and what makes notices of them."""

    def receivers() -> list[Receiver]:
        topic, intake = parts.event_topic, notify.intake
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


def offline() -> Services:
    """Services that need no server, for describing the API: an empty record store in memory."""
    from pathlib import Path

    settings = Settings()
    settings.database.url = "sqlite:///:memory:"
    return build(settings, Home(Path("/nonexistent")), Given(mask_secret=b"0" * 32))
