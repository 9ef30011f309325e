"""The services of stream views, joined."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from api.config.settings import Settings
from api.joins.connections import Connections
from api.joins.facts import Facts
from api.joins.views.clusters import ViewClusters
from api.joins.views.decisions import ViewDecisions
from api.joins.views.declared import DeclaredViews
from api.joins.views.facts import ViewFacts
from api.joins.views.rows import ViewRows
from api.joins.views.service import Views
from api.wiring.adapters import Adapters
from catalog.datasets.clusters import Clusters
from catalog.ports import CatalogStore
from lineage.ingest.service import Ingest
from policies.access.identity import Identity
from policies.audit import AuditLog
from policies.declared.state import GovernanceState
from policies.masks.keys import MaskKeys
from policies.model import Subject
from policies.plan.prepare import Preparer
from views.runner.runner import Runner
from views.runner.state import Generation
from views.runner.tools import Declared, Tools


@dataclass(frozen=True, slots=True)
class ViewServices:
    views: Views
    rows: ViewRows
    runner: Callable[[], Runner]


def view_services(
    settings: Settings,
    parts: Adapters,
    store: CatalogStore,
    clusters: Clusters,
    connections: Connections,
    facts: Facts,
    state: GovernanceState,
    identity: Identity,
    audit: AuditLog,
    preparer: Preparer,
    ingest: Ingest,
) -> ViewServices:
    """What `/views` asks, and the runner of their streams."""
    declared_views = DeclaredViews(store)
    decisions = ViewDecisions(state.decide, facts, ViewFacts(facts, clusters.resolve))

    def sees_figures(subject: Subject, name: str, declared: Declared, generation: Generation | None) -> bool:
        return "manage" in identity.permissions(subject) or (
            generation is not None and decisions.whole(subject, name, declared.spec, generation)
        )

    def journal(action: str, view: str, reasons: Sequence[str]) -> None:
        audit.record("weir", action, view, "allow", list(reasons))

    def runner() -> Runner:
        tools = Tools(
            document=declared_views.get,
            subject=identity.current,
            preparer=preparer,
            engine=parts.streams,
            topics=parts.view_topics,
            clusters=ViewClusters(connections, parts.spark_options),
            serving=parts.serving,
            states=parts.view_states,
            journal=journal,
            settings=settings.views,
            checkpoints=parts.checkpoints(),
            report=ingest.post,
            dataset=clusters.resolve,
        )
        return Runner(tools, declared_views.names)

    views = Views(declared_views, parts.view_states, parts.serving, audit, sees_figures)
    keys = MaskKeys(parts.mask_secret())
    return ViewServices(views, ViewRows(views, decisions, parts.serving, keys, audit, settings.views), runner)
