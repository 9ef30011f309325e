"""The catalog with its lineage, as people read it: related datasets, data locations, and the services cut to one reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import blake2b

from api.config.settings import Settings
from api.joins.cross_room import LineageNear, ReportAccess, ReportFlows, ReportReaders, SqlLineageSliver
from api.joins.views.service import Views
from api.visibility.knowledge import Knowledge
from api.visibility.readers import Parts as ReaderParts
from api.visibility.readers import Readers
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.lineage_services import LineageServices
from api.wiring.query_services import QueryServices
from catalog.datasets.reviews import Reviews
from catalog.datasets.tag_propagation import TagFlow
from catalog.search.related import Related
from catalog.where_is.report import WhereIs
from policies.access.grants import Grants


@dataclass(frozen=True, slots=True)
class ReaderServices:
    where_is: WhereIs
    related: Related
    reviews: Reviews
    tag_flow: TagFlow
    sql_lineage: SqlLineageSliver
    readers: Readers


def reader_services(
    settings: Settings,
    parts: Adapters,
    catalog: CatalogServices,
    lineage: LineageServices,
    query: QueryServices,
    knowledge: Knowledge,
    grants: Grants,
    views: Callable[[], Views],
) -> ReaderServices:
    store, clusters, graph = catalog.store, catalog.clusters, lineage.lineage
    flows = ReportFlows(graph)
    where_is = WhereIs(store, clusters, now, flows, ReportReaders(graph), ReportAccess(grants, catalog.reference))
    related = Related(store, parts.index, LineageNear(graph, clusters), now)
    reviews = Reviews(store, catalog.datasets)
    sql_lineage = SqlLineageSliver(catalog.datasets, lineage.known, parts.sql_reader, settings.lineage.sql_characters)
    readers = Readers(
        ReaderParts(
            store=store,
            clusters=clusters,
            index=parts.index,
            clock=now,
            datasets=catalog.datasets,
            search=catalog.search,
            related=related,
            reviews=reviews,
            graph=lineage.graph,
            lineage=graph,
            lineage_settings=settings.lineage,
            producers=lineage.producers,
            sql_reader=parts.sql_reader,
            sql_lineage=sql_lineage,
            topics=query.topics,
            tables=query.tables,
            declared_views=catalog.declared_views,
            view_states=parts.view_states,
            view_facts=catalog.facts,
            view_clusters=catalog.view_clusters,
            views=views,
            key=blake2b(parts.mask_secret(), person=b"weir-hidden").digest(),
        ),
        knowledge.horizon,
        knowledge.decides,
    )
    preparer = query.query.preparer
    preparer.tables_of = lambda subject: readers.of(subject).tables
    query.sql_views.seen_by = lambda subject: readers.of(subject).sources_of
    preparer.shown = lambda subject, listed: readers.of(subject).shown(listed)
    tag_flow = TagFlow(store, clusters, flows, now, catalog.events, catalog.search.changed)
    return ReaderServices(
        where_is=where_is, related=related, reviews=reviews, tag_flow=tag_flow, sql_lineage=sql_lineage, readers=readers
    )
