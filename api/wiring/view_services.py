"""The services of stream views, joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from api.config.settings import Settings
from api.joins.views.clusters import ViewClusters
from api.joins.views.decisions import ViewDecisions
from api.joins.views.declared import DeclaredViews
from api.joins.views.registry import ViewRegistry
from api.joins.views.service import Views
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.governance_services import GovernanceServices
from api.wiring.lineage_services import LineageServices
from catalog.datasets.clusters import Clusters
from catalog.errors import DatasetNotFound, InvalidInput, NotSignedIn
from lineage.ingest.service import Ingest
from policies.access.identity import Identity
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.plan.prepare import Preparer
from policies.query.service import GovernedQuery
from views.declared import GROUP
from views.ports import TopicOptions
from views.runner.build import IsCompacted
from views.runner.runner import Runner
from views.runner.state import Generation
from views.runner.tools import DeclaredView, SharedLook, Tools


@dataclass(frozen=True, slots=True)
class ViewServices:
    views: Views
    decisions: ViewDecisions
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
) -> ViewServices:
    """Which views there are, what may be seen of their rows, and the runner of their streams."""
    state, audit = governance.state, governance.audit.log
    decisions = ViewDecisions(state.decide, catalog.facts)
    subject = partial(view_subject, state, governance.identity)
    views = Views(
        catalog.declared_views,
        parts.view_states,
        catalog.seen_states,
        parts.serving,
        audit,
        partial(_sees_figures, governance, decisions),
        governance.manages,
    )
    return ViewServices(
        views=views,
        decisions=decisions,
        runner=lambda: _runner(settings, parts, catalog, audit, lineage.ingest, query.preparer, subject),
    )


def _sees_figures(
    governance: GovernanceServices,
    decisions: ViewDecisions,
    caller: Subject,
    name: str,
    declared: DeclaredView,
    generation: Generation | None,
) -> bool:
    return governance.manages(caller) or (
        generation is not None and decisions.whole(caller, name, declared.spec, generation)
    )


def view_subject(state: GovernanceState, identity: Identity, name: str) -> Subject:
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
        written=SharedLook(parts.written),
    )
    return Runner(tools, catalog.declared_views.names)
