"""The services of stream views, joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from api.config.settings import Settings
from api.joins.cross_room import ReportReaders
from api.joins.views.changes import ViewChanges
from api.joins.views.clusters import ViewClusters
from api.joins.views.decisions import ViewDecisions
from api.joins.views.declared import DeclaredViews, ViewHandler
from api.joins.views.diff import ViewDiffs
from api.joins.views.failures import ViewFailures
from api.joins.views.reading import ViewReading
from api.joins.views.registry import ViewRegistry
from api.joins.views.removal import ViewRemovals
from api.joins.views.rows import ViewRows
from api.joins.views.service import Views
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.governance_services import GovernanceServices
from api.wiring.lineage_services import LineageServices
from catalog.datasets.clusters import Clusters
from catalog.errors import DatasetNotFound, InvalidInput, NotSignedIn
from lineage.ingest.service import Ingest
from policies.access.identity import Identity
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.masks.keys import MaskKeys
from policies.model import Subject
from policies.plan.prepare import Preparer
from policies.query.service import GovernedQuery
from views.declared import GROUP
from views.ports import TopicOptions
from views.runner.build import IsCompacted
from views.runner.runner import Runner
from views.runner.state import Generation
from views.runner.tools import Declared, Tools


@dataclass(frozen=True, slots=True)
class ViewServices:
    views: Views
    rows: ViewRows
    changes: ViewChanges
    diff: ViewDiffs
    removal: ViewRemovals
    failures: ViewFailures
    runner: Callable[[], Runner]


def output_topic(clusters: ViewClusters, parts: Adapters) -> Callable[[str, str], TopicOptions | None]:
    """How a cluster's topic is; None where it is not there."""
    return lambda cluster, topic: parts.view_topics.options(clusters.client(cluster), topic)


def compaction(clusters: ViewClusters, parts: Adapters) -> IsCompacted:
    """Whether a cluster's topic is compacted; None where that cannot be seen."""
    return lambda cluster, topic: parts.view_topics.compacted(clusters.client(cluster), topic)


def source_topic(clusters: Clusters, declared: DeclaredViews) -> Callable[[str], tuple[str, str] | None]:
    """The topic that a name in the SQL of a view means; None for a view, and for a name that means nothing, or several."""

    def find(name: str) -> tuple[str, str] | None:
        try:
            record = clusters.find_in_any_case(name)
        except (DatasetNotFound, InvalidInput):
            return None
        is_view = declared.named(name) is not None or declared.of_dataset(record.reference) is not None
        return (record.cluster, record.id.name) if record.cluster is not None and not is_view else None

    return find


def view_services(
    settings: Settings,
    parts: Adapters,
    catalog: CatalogServices,
    governance: GovernanceServices,
    lineage: LineageServices,
    query: GovernedQuery,
    handler: ViewHandler,
) -> ViewServices:
    """What `/views` asks, and the runner of their streams. `handler`: of the documents of kind View."""
    declared_views, preparer = catalog.declared_views, query.preparer
    state, identity, audit = governance.state, governance.identity, governance.audit.log
    decisions = ViewDecisions(state.decide, catalog.facts)
    subject = partial(_subject, state, identity)
    views = Views(
        declared_views,
        parts.view_states,
        catalog.seen_states,
        parts.serving,
        audit,
        partial(_sees_figures, governance, decisions),
        governance.manages,
    )
    keys = MaskKeys(parts.mask_secret())
    reading = ViewReading(views, decisions, keys, audit, lambda: state.view().purposes)
    return ViewServices(
        views=views,
        rows=ViewRows(reading, parts.serving, keys, settings.views),
        changes=ViewChanges(reading, parts.serving, settings.query.recheck_seconds),
        diff=ViewDiffs(
            views,
            declared_views,
            handler,
            decisions,
            preparer,
            identity,
            subject,
            state,
            lambda: parts.streams,
            parts.serving,
            compaction(catalog.view_clusters, parts),
        ),
        removal=_removal(catalog, governance, lineage, query, views),
        failures=ViewFailures(declared_views, parts.view_states, state.store, catalog.events, now),
        runner=lambda: _runner(settings, parts, catalog, audit, lineage.ingest, preparer, subject),
    )


def _sees_figures(
    governance: GovernanceServices,
    decisions: ViewDecisions,
    caller: Subject,
    name: str,
    declared: Declared,
    generation: Generation | None,
) -> bool:
    return governance.manages(caller) or (
        generation is not None and decisions.whole(caller, name, declared.spec, generation)
    )


def _removal(
    catalog: CatalogServices,
    governance: GovernanceServices,
    lineage: LineageServices,
    query: GovernedQuery,
    views: Views,
) -> ViewRemovals:
    return ViewRemovals(
        views,
        catalog.declared_views,
        governance.audit.log,
        query.running,
        lambda dataset: list(ReportReaders(lineage.lineage).readers_of(dataset, None)),
        partial(_grants_on, governance.state),
        catalog.clusters.resolve,
        now,
    )


def _subject(state: GovernanceState, identity: Identity, name: str) -> Subject:
    """The user or group that a view runs as. Raises NotSignedIn for a group that was deleted."""
    if not name.startswith(GROUP):
        return identity.confirmed(name)
    view, group = state.view(), name.removeprefix(GROUP)
    if not view.has_group(group):
        raise NotSignedIn(f"There is no group {group} any more.")
    return view.subject(name, frozenset({group}))


def _runner(
    settings: Settings,
    parts: Adapters,
    catalog: CatalogServices,
    audit: AuditLog,
    ingest: Ingest,
    preparer: Preparer,
    subject: Callable[[str], Subject],
) -> Runner:
    def journal(action: AuditAction, view: str, reasons: Sequence[str]) -> None:
        audit.record("weir", action, view, "allow", list(reasons))

    tools = Tools(
        document=catalog.declared_views.get,
        subject=subject,
        preparer=preparer,
        engine=parts.streams,
        topics=parts.view_topics,
        registry=ViewRegistry(catalog.connections, parts.registry),
        clusters=catalog.view_clusters,
        serving=parts.serving,
        states=parts.view_states,
        journal=journal,
        settings=settings.views,
        checkpoints=parts.checkpoints(),
        report=ingest.post,
        dataset=catalog.clusters.resolve,
    )
    return Runner(tools, catalog.declared_views.names)


def _grants_on(state: GovernanceState, reference: str) -> list[str]:
    """Names of the grants on one dataset alone; those on a pattern stay good for others."""
    return sorted(grant.name for grant in state.view().grants.values() if grant.dataset == reference)
