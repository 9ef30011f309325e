"""The services of stream views' rows, and of what is asked about their generations."""

from __future__ import annotations

from functools import partial

from api.config.settings import Settings
from api.features.views.changes import ViewChanges
from api.features.views.diff import ViewDiffs
from api.features.views.failures import ViewFailures
from api.features.views.known import KnownViews
from api.features.views.reading import ViewReading
from api.features.views.removal import ViewRemovals
from api.features.views.rows import ViewRows
from api.joins.cross_room import ReportReaders
from api.joins.views.clusters import ViewClusters
from api.joins.views.decisions import ViewDecisions
from api.joins.views.declared import DeclaredViews, ViewHandler
from api.joins.views.service import Views
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from api.wiring.view_services import compaction, view_subject
from catalog.datasets.clusters import Clusters
from catalog.events.events import Events
from lineage.questions.queries import Lineage
from policies.access.agents import AgentBudget
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.masks.keys import MaskKeys
from policies.query.service import GovernedQuery


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes, and the duty that announces failed views, ask for."""
    settings, keys, state = instance[Settings], MaskKeys(parts.mask_secret()), instance[GovernanceState]
    reading = ViewReading(
        instance[Views], instance[ViewDecisions], keys, instance[AuditLog], lambda: state.view().purposes
    )
    instance.provide(KnownViews, lambda: KnownViews(instance[Readers]))
    instance.provide(ViewRows, lambda: ViewRows(reading, parts.serving, keys, settings.views, instance[AgentBudget]))
    instance.provide(
        ViewChanges,
        lambda: ViewChanges(reading, parts.serving, settings.query.recheck_seconds, instance[AgentBudget]),
    )
    instance.provide(ViewDiffs, lambda: _diffs(instance, parts))
    instance.provide(ViewRemovals, lambda: _removals(instance))
    instance.provide(
        ViewFailures,
        lambda: ViewFailures(instance[DeclaredViews], parts.view_states, state.store, instance[Events], now),
    )


def _diffs(instance: Instance, parts: Adapters) -> ViewDiffs:
    state, identity = instance[GovernanceState], instance[Identity]
    return ViewDiffs(
        instance[Views],
        instance[DeclaredViews],
        instance[ViewHandler],
        instance[ViewDecisions],
        instance[GovernedQuery].preparer,
        identity,
        partial(view_subject, state, identity),
        state,
        lambda: parts.streams,
        parts.serving,
        compaction(instance[ViewClusters], parts),
    )


def _removals(instance: Instance) -> ViewRemovals:
    lineage = instance[Lineage]
    return ViewRemovals(
        instance[Views],
        instance[DeclaredViews],
        instance[AuditLog],
        instance[GovernedQuery].running,
        lambda dataset: list(ReportReaders(lineage).readers_of(dataset, None)),
        partial(_grants_on, instance[GovernanceState]),
        instance[Clusters].resolve,
        now,
    )


def _grants_on(state: GovernanceState, reference: str) -> list[str]:
    """Names of the grants on one dataset alone; those on a pattern stay good for others."""
    return sorted(grant.name for grant in state.view().grants.values() if grant.dataset == reference)
