"""The composition root: joins the rooms; with the other files of `api/wiring`, the only place that does so."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from hashlib import blake2b

from api.config.home import Home
from api.config.settings import Settings
from api.joins.cluster_trial import ClusterTrial
from api.joins.connections import Connections
from api.joins.connectors.declared import ConnectorHandler
from api.joins.connectors.places import Places
from api.joins.connectors.service import Connectors
from api.joins.cross_room import (
    CatalogSliver,
    LineageNear,
    ReportAccess,
    ReportFlows,
    ReportReaders,
    SqlLineageSliver,
    held_elsewhere,
    names_cluster,
)
from api.joins.declared import Declared, GovernanceHandler
from api.joins.domains import DomainRights
from api.joins.facts import Facts
from api.joins.fitting import Fitting
from api.joins.group_lags import GroupLags
from api.joins.health import Health
from api.joins.observing import Observing
from api.joins.query_records import QueriesRecorded, drift_scans
from api.joins.query_tables import Tables
from api.joins.recognizers import Recognizers
from api.joins.registry_verdicts import Verdicts
from api.joins.saved_queries import SavedQueries
from api.joins.scan_runner import ScanRunner
from api.joins.scim.service import ScimService
from api.joins.second_person import SecondPerson
from api.joins.topic_pages import TopicPages
from api.joins.views.clusters import ViewClusters
from api.joins.views.declared import DeclaredViews, ViewHandler
from api.joins.views.facts import ViewFacts
from api.joins.views.failures import ViewFailures
from api.joins.views.removal import ViewRemovals
from api.joins.views.statements import SqlViews
from api.joins.views.tables import ViewTables
from api.joins.visible.declared import KIND as VISIBILITY
from api.joins.visible.declared import VisibilityHandler
from api.joins.visible.knowledge import Knowledge
from api.joins.visible.readers import Parts as ReaderParts
from api.joins.visible.readers import Readers
from api.webhooks.deliver import WebhookHandler, Webhooks
from api.webhooks.ssrf_guard import Guard
from api.wiring.access_services import effective_access
from api.wiring.adapters import Adapters
from api.wiring.campaign_services import access_reviews
from api.wiring.given import Given
from api.wiring.notify_services import notify
from api.wiring.services import Services
from api.wiring.view_services import grants_on, output_topic, seen_states, source_topic, view_services
from catalog.adapters.port_check import port_state
from catalog.apply import handlers as catalog_handlers
from catalog.apply.apply import Handler
from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.datasets.reviews import Reviews
from catalog.datasets.tag_propagation import TagFlow
from catalog.errors import DatasetNotFound, NotSignedIn, WeirError
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Receiver
from catalog.scans.scans import Scans
from catalog.scans.schedules import Schedules
from catalog.search.clicks import Clicks
from catalog.search.related import Related
from catalog.search.service import Search
from catalog.where_is.report import WhereIs
from lineage.ingest.service import Ingest
from lineage.producers.catalog import ProducerCatalog
from lineage.questions.queries import Lineage
from lineage.sql.flows import KnownNames
from lineage.warming.pages import warm
from lineage.worker.consume import LineageWorker
from lineage.worker.rebuild import rebuild
from policies.access.audit_of_domain import DomainAudit
from policies.access.certificates import Certificates
from policies.access.decision_service import Decisions
from policies.access.device_logins import DeviceLogins
from policies.access.directory import DirectoryPeople
from policies.access.directory_list import DirectoryList
from policies.access.grants import Grants
from policies.access.identity import Identity
from policies.access.mentions import Mentions
from policies.access.offboarding import Offboarding
from policies.access.purposes import PurposeUse
from policies.access.sessions import Sessions
from policies.access.sign_in import SignIn
from policies.audit import AuditLog
from policies.audit_segments import AuditSegments
from policies.audit_shipping import AuditShipping
from policies.audit_verify import Seals
from policies.browse.service import Browser
from policies.declared import kinds as policy_kinds
from policies.declared.state import Checks, GovernanceState
from policies.masks import custom
from policies.masks.keys import MaskKeys
from policies.query.check import QueryCheck
from policies.query.complete import Completion
from policies.query.service import GovernedQuery
from policies.requests.approvals import Approvals
from policies.requests.bundles import Bundles
from policies.requests.escalations import Escalations
from policies.requests.extensions import Extensions
from policies.requests.grant_notices import GrantNotices
from policies.requests.readdressed import Readdressing
from policies.requests.view import RequestView
from policies.whatif.mask_preview import MaskPreview
from policies.whatif.policy_tests import PolicyTests
from policies.whatif.simulate import Simulation
from scanners.scan.service import Scanner

REAL_ONES = Given()


def now() -> datetime:
    """The present, UTC."""
    return datetime.now(UTC)


def _quietly(work: Callable[[], object]) -> None:
    """Do what is of use before the first question, and is done with it otherwise."""
    with contextlib.suppress(WeirError):
        work()


def build(settings: Settings, home: Home, given: Given = REAL_ONES) -> Services:
    """Join the rooms. `given` replaces adapters by their ports.

    Raises SettingsError, Unavailable when the record store cannot be opened.
    """
    parts = Adapters(settings, home, given)
    store: CatalogStore = parts.store
    events = Events(store, now, settings.events)
    guard = Guard(settings.events.webhook_allowed_hosts)
    webhooks = Webhooks(store, parts.secrets.read, settings.events, guard)
    clusters = Clusters(store, now)
    clicks = Clicks(store, parts.click_secret(), now)
    index = parts.index
    search = Search(store, index, clusters, parts.meaning, clicks)
    datasets = Datasets(store, search, now, clusters, events)
    brokers = parts.brokers
    discovery = Discovery(brokers, datasets)
    connections = Connections(datasets, brokers, parts.client_config, parts.secrets, parts.own_servers(), store.changes)
    views = DeclaredViews(store)
    facts = ViewFacts(Facts(datasets, store.changes), views, parts.view_states, clusters.resolve, store.changes)

    checks = Checks(expression=custom.check, condition=custom.check_condition, provider=parts.check_provider)
    state = GovernanceState(parts.policy_store, now, settings.policies, checks)
    signer = parts.audit_signer()
    seals = Seals(parts.audit_segments, parts.audit_trust(signer))
    audit = AuditLog(parts.audit_store, now, parts.publisher, seals)
    shipping = AuditShipping(
        parts.audit_store, parts.audit_positions, settings.policies.audit_ship_to,
        lambda place: parts.audit_receiver(place, ViewClusters(connections, parts.spark_options).client), now,
    )  # fmt: skip
    segments = AuditSegments(
        parts.audit_store, parts.audit_segments, audit, signer, now, settings.policies, shipping.shipped
    )
    sealer = parts.sealer()

    def signs_in(actor: str, action: str, target: str, reasons: Sequence[str]) -> None:
        audit.record(actor, action, target, "allow", reasons)

    sessions = Sessions(parts.session_store, state, parts.openid, sealer, now, settings.sign_in, record=signs_in)
    device_logins = DeviceLogins(parts.session_store, now)
    verifiers = parts.verifiers()
    identity = Identity(parts.tokens, state, now, verifiers, settings.policies, sessions)
    approvals = Approvals(state, facts, identity, audit, now, settings.policies, custom.check_condition, events)
    grants = Grants(state, facts, identity, audit, now, settings.policies, events)

    known = CatalogSliver(store, clusters)
    graph = parts.graph
    log = parts.log
    ingest = Ingest(log, settings.lineage)
    names = KnownNames(clusters.resolve, known.columns)
    lineage = Lineage(graph, clusters.resolve, settings.lineage, known.dataset, known.known)

    producers = ProducerCatalog(store, clusters, now, search.changed, settings.lineage.runs_kept)

    registry = parts.registry
    scanner = Scanner(
        parts.sampler,
        parts.offsets,
        registry,
        settings.scanners,
        letters=parts.dead_letters,
    )
    scans = Scans(store, now, clusters, settings.catalog.scan_heartbeat_s)
    schedules = Schedules(store, scans, now, settings.scanners.dead_letter_topic)

    def references() -> list[str]:
        clusters_there = {cluster.name for cluster in store.clusters()}
        return [f"{cluster}/{name}" for cluster, name in store.names() if cluster in clusters_there]

    purpose_use = PurposeUse(state, now, lambda: ((each.key, each.spec) for each in store.documents("View")))
    engine = parts.query_engine(connections.client_settings)
    query_offsets = parts.query_offsets(connections)
    topics = Tables(datasets, facts, connections, parts.spark_options, registry, store.changes)
    view_clusters = ViewClusters(connections, parts.spark_options)
    tables = ViewTables(topics, views, parts.view_states, facts, view_clusters)
    sql_views = SqlViews(
        views, seen_states(settings, parts, views), identity, datasets, lambda: declared, lambda: query.preparer
    )
    query = GovernedQuery(
        tables,
        state,
        engine,
        query_offsets,
        QueriesRecorded(audit, datasets, facts, lambda: state.view().purposes),
        MaskKeys(parts.mask_secret()),
        settings.query,
        drift_scans(store, scans, settings.query, now),
        references,
        sql_views,
        purpose_use.require,
    )
    view_handler = ViewHandler(store, now, output_topic(connections, parts), source_topic(clusters, views))
    places = Places(store, parts.secrets, parts.connect_workers)
    connectors = Connectors(store, now, places, audit, lambda subject: "manage" in identity.permissions(subject))

    def spoken_of(cluster: str) -> bool:
        return names_cluster(state, cluster) or bool(places.named_of(cluster))

    second = SecondPerson(store, now, settings.secrets, places, state.store.get)
    closed = settings.policies.visibility == "closed"
    knowledge = Knowledge(state, identity, store, clusters, now, closed)
    state.within, state.worded, state.known = knowledge.within, knowledge.worded, knowledge.of_facts
    search.partly_known = knowledge.partly_known
    handlers: list[Handler] = [
        *catalog_handlers.handlers(store, now, datasets, search, discovery, spoken_of, parts.secrets, places.named_of),
        *(GovernanceHandler(kind, state) for kind in policy_kinds.KINDS if kind != VISIBILITY),
        VisibilityHandler(state, knowledge, store, search),
        WebhookHandler(store, now, guard, parts.secrets),
        view_handler,
        ConnectorHandler(store, now, places, connectors.bring, second.waits),
    ]
    rights = DomainRights(state, identity, store, knowledge)
    declared = Declared(handlers, parts.transaction, audit, second, purpose_use, rights, Fitting(store))
    stream_views = view_services(
        settings, parts, clusters, connections, facts, views, state, identity, audit, query.preparer, ingest
    )

    offboarding = Offboarding(
        identity,
        sessions,
        lambda user, why: query.running.stop_all(user, f"was ended, since {why}", NotSignedIn(f"{why.capitalize()}.")),
        Readdressing(state, approvals.deciders, audit, events).readdress,
    )
    state.on_person = offboarding.declared
    people = DirectoryPeople(state, now, audit, offboarding, Mentions(state, now, partial(held_elsewhere, store)))

    notices = notify(settings, parts, state, approvals.deciders, audit, guard, now)

    def receivers() -> list[Receiver]:
        topic = parts.event_topic
        intake = notices.intake
        return [
            *([topic] if topic is not None else []), *webhooks.receivers(), *([intake] if intake is not None else []),
        ]  # fmt: skip

    def warm_up() -> None:
        parts.warm(query.running.busy)
        with contextlib.suppress(
            WeirError
        ):  # the first request would wait for it; what is read by now is not looked through again
            state.view()
        threading.Thread(target=_quietly, args=(search.warm,), name="weir-warm-search", daemon=True).start()
        warm(lineage, graph)

    def worker() -> LineageWorker:
        source, letters = parts.source, parts.letters
        return LineageWorker(source, graph, letters, settings.lineage, names, producers)

    def rebuild_lineage() -> dict[str, int]:
        done = rebuild(log, graph, names, settings.lineage, producers=producers)
        return {"events folded": done.folded, "messages skipped": done.skipped, "tombstones": done.tombstones}

    def named(text: str) -> str:
        try:
            return datasets.get(datasets.find(text)).reference
        except DatasetNotFound:
            if views.of_dataset(text) is None:  # its lineage, which makes it known, is on its way
                raise
            return text

    def reference(dataset: DatasetId) -> str | None:
        record = store.dataset(dataset)
        return record.reference if record is not None and record.cluster is not None else None

    observing = Observing(
        clusters,
        connections,
        ingest,
        settings.lineage,
        parts.groups_of,
        parts.connect_of,
        parts.engines_of,
        parts.secrets,
        connectors.workers,
    )
    where_is = WhereIs(
        store, clusters, now, ReportFlows(lineage), ReportReaders(lineage), ReportAccess(grants, reference)
    )
    access = effective_access(
        state, facts, identity, sessions, audit, now, settings.policies, references, named, bool(verifiers)
    )
    related = Related(store, index, LineageNear(lineage, clusters), now)
    reviews = Reviews(store, datasets)
    sql_lineage = SqlLineageSliver(datasets, known, parts.sql_reader, settings.lineage.sql_characters)
    readers = Readers(
        ReaderParts(
            store=store, clusters=clusters, index=index, clock=now, datasets=datasets, search=search, related=related,
            reviews=reviews, graph=graph, lineage=lineage, lineage_settings=settings.lineage, producers=producers,
            sql_reader=parts.sql_reader, sql_lineage=sql_lineage, topics=topics, tables=tables, declared_views=views,
            view_states=parts.view_states, view_facts=facts, view_clusters=view_clusters,
            views=lambda: stream_views.views, key=blake2b(parts.mask_secret(), person=b"weir-hidden").digest(),
        ),
        knowledge.horizon,
        knowledge.decides,
    )  # fmt: skip
    query.preparer.tables_of = lambda subject: readers.of(subject).tables
    sql_views.seen_by = lambda subject: readers.of(subject).sources_of
    query.preparer.shown = lambda subject, listed: readers.of(subject).shown(listed)
    services = Services(
        settings=settings,
        home=home,
        store=store,
        events=events,
        deliveries=Deliveries(store, receivers, now, settings.events),
        datasets=datasets,
        reviews=reviews,
        tag_flow=TagFlow(store, clusters, ReportFlows(lineage), now, events, search.changed),
        recognizers=Recognizers(
            parts.trial_analyzers(), scanner, connections, datasets, lambda: store.documents("Recognizer")
        ),
        discovery=discovery,
        connections=connections,
        search=search,
        clicks=clicks,
        related=related,
        readers=readers,
        knowledge=knowledge,
        verdicts=Verdicts(connections, registry),
        scans=scans,
        schedules=schedules,
        scan_runner=ScanRunner(
            store, scans, datasets, discovery, connections, scanner, settings.catalog.scan_heartbeat_s, events
        ),
        where_is=where_is,
        connectors=connectors,
        views=stream_views.views,
        view_rows=stream_views.rows,
        view_changes=stream_views.changes,
        view_diff=stream_views.diff(view_handler),
        view_removal=ViewRemovals(
            stream_views.views,
            views,
            audit,
            query.running,
            lambda dataset: list(ReportReaders(lineage).readers_of(dataset, None)),
            partial(grants_on, state),
            clusters.resolve,
            now,
        ),
        view_runner=stream_views.runner,
        ingest=ingest,
        lineage=lineage,
        lineage_worker=worker,
        producers=producers,
        rebuild_lineage=rebuild_lineage,
        observing=observing,
        cluster_trial=ClusterTrial(
            brokers, connections, registry, parts.secrets, second, port_state, observing.count_connectors
        ),
        saved_queries=SavedQueries(store, now, lambda subject: "manage" in identity.permissions(subject)),
        group_lags=GroupLags(
            store, clusters, observing.reader, observing.is_hidden, settings.lineage.observe_groups_limit, now
        ),
        topic_pages=TopicPages(
            parts.topic_details,
            clusters,
            connections,
            registry,
            now,
            observing.is_hidden,
            settings.lineage.observe_groups_limit,
        ),
        sql_lineage=sql_lineage,
        state=state,
        identity=identity,
        certificates=Certificates(state, now, signs_in),
        sign_in=SignIn(sessions, device_logins, state, parts.openid, sealer, now),
        sessions=sessions,
        device_logins=device_logins,
        directory=people,
        directory_list=DirectoryList(state),
        scim=ScimService(people),
        approvals=approvals,
        request_view=RequestView(state, approvals.deciders, now, settings.policies),
        notify=notices,
        extensions=Extensions(state, facts, approvals, approvals.records, now, settings.policies),
        bundles=Bundles(state, approvals, now, lambda text: datasets.get(datasets.find(text)).reference),
        escalations=Escalations(state, approvals.deciders, approvals.records, now, settings.policies),
        view_failures=ViewFailures(views, parts.view_states, state.store, events, now),
        grant_notices=GrantNotices(state, events, now, settings.policies),
        grants=grants,
        purposes=purpose_use,
        access=access,
        access_reviews=access_reviews(
            parts.campaign_store,
            state,
            identity,
            grants,
            approvals.delegations,
            access.moments,
            audit,
            events,
            now,
            references,
        ),
        audit=audit,
        domain_audit=DomainAudit(audit, parts.cursor_sealer()),
        audit_signer=signer,
        audit_segments=segments,
        audit_shipping=shipping,
        query=query,
        browser=Browser(query, query_offsets, parts.record_sizes(connections.client_settings)),
        query_check=QueryCheck(query.preparer, query.trail, engine, settings.query),
        completion=Completion(query.preparer, query.trail, references),
        decisions=Decisions(state, facts, identity, audit, now, settings.policies, named),
        simulation=Simulation(state, facts, references, now, settings.policies),
        policy_tests=PolicyTests(query.preparer, query.trail, facts, now, settings.policies, named),
        mask_preview=MaskPreview(engine),
        declared=declared,
        domain_rights=rights,
        facts=facts,
        health=Health(parts.probes(), parts.lag),
        warm=warm_up,
        closing=parts.closing,
    )
    services.request_view.horizon = knowledge.of_facts
    services.decisions.named = lambda subject, text: readers.of(subject).named(text)
    for listing in (services.access.person, services.access.unused):
        listing.shown = lambda subject, listed: readers.of(subject).shown(listed, schema=True)
    parts.closing += [notices.sender.close, services.health.close, webhooks.close, services.deliveries.close]
    return services


def offline() -> Services:
    """Services that need no server, for describing the API: an empty record store in memory."""
    from pathlib import Path

    settings = Settings()
    settings.database.url = "sqlite:///:memory:"
    return build(settings, Home(Path("/nonexistent")), Given(mask_secret=b"0" * 32))
