"""The services of queries, joined: the governed query, what it reads, and what is asked about a statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from api.config.settings import Settings
from api.joins.curation_notes import dataset_notes
from api.joins.declared import DeclaredService
from api.joins.incident_notes import incident_notes
from api.joins.query_records import QueriesRecorded, drift_scans
from api.joins.query_tables import Tables
from api.joins.views.statements import SqlViews
from api.joins.views.tables import ViewTables
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.governance_services import GovernanceServices
from catalog.scans.scans import Scans
from policies.access.agents import AgentBudget
from policies.access.purposes import PurposeUse
from policies.browse.service import Browser
from policies.masks.keys import MaskKeys
from policies.query.check import QueryCheck
from policies.query.complete import Completion
from policies.query.service import GovernedQuery
from policies.whatif.mask_preview import MaskPreview


@dataclass(frozen=True, slots=True)
class QueryServices:
    """`topics` are the tables of topics alone; `tables` those of views too."""

    purposes: PurposeUse
    topics: Tables
    tables: ViewTables
    sql_views: SqlViews
    query: GovernedQuery
    check: QueryCheck
    completion: Completion
    browser: Browser
    mask_preview: MaskPreview
    budget: AgentBudget


def query_services(
    settings: Settings,
    parts: Adapters,
    catalog: CatalogServices,
    governance: GovernanceServices,
    scans: Scans,
    declared: Callable[[], DeclaredService],
) -> QueryServices:
    """`declared` gives the service that applies the views which statements create."""
    store, datasets, connections, facts = catalog.store, catalog.datasets, catalog.connections, catalog.facts
    state, audit = governance.state, governance.audit.log
    purposes = PurposeUse(state, now, lambda: ((each.key, each.spec) for each in store.documents("View")))
    engine = parts.query_engine(connections.client_settings)
    offsets = parts.query_offsets(connections)
    topics = Tables(datasets, facts, connections, parts.spark_options, parts.registry, store.changes)
    tables = ViewTables(topics, catalog.declared_views, parts.view_states, facts, catalog.view_clusters)
    sql_views = SqlViews(
        catalog.declared_views,
        catalog.seen_states,
        governance.identity,
        datasets,
        declared,
        lambda: query.preparer,
    )
    budget = AgentBudget(parts.agent_rows, now)
    query = GovernedQuery(
        tables,
        state,
        engine,
        offsets,
        QueriesRecorded(audit, datasets, facts, lambda: state.view().purposes),
        MaskKeys(parts.mask_secret()),
        settings.query,
        drift_scans(store, scans, settings.query, now),
        catalog.references,
        sql_views,
        purposes.require,
        budget,
        dataset_notes(incident_notes(catalog.incidents, catalog.clusters), store, catalog.clusters, state, facts),
    )
    return QueryServices(
        purposes=purposes,
        topics=topics,
        tables=tables,
        sql_views=sql_views,
        query=query,
        check=QueryCheck(query.preparer, query.trail, engine, settings.query),
        completion=Completion(query.preparer, query.trail, catalog.references),
        browser=Browser(
            query,
            offsets,
            parts.record_sizes(connections.client_settings),
            parts.text_scan(connections.client_settings),
        ),
        mask_preview=MaskPreview(engine),
        budget=budget,
    )
