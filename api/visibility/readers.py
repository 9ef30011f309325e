"""The services that one reader may ask: the rooms' own, over ports cut to what the reader may know of.

From whom nothing is hidden gets the services themselves, so that a catalog that hides nothing is as quick as without this.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from api.joins.cross_room import CatalogSliver, LineageNear, SqlLineageSliver
from api.joins.query_tables import Tables
from api.joins.views.declared import DeclaredViews
from api.joins.views.facts import ViewFacts
from api.joins.views.service import Views
from api.joins.views.tables import ViewTables
from api.visibility.graph import SeenGraph
from api.visibility.horizon import Horizon, Horizons
from api.visibility.mentions import mentions, names_any
from api.visibility.producers import Producers, SeenProducers
from api.visibility.store import SeenStore
from api.visibility.views import SeenDeclared, SeenViews
from catalog.datasets.clusters import Clusters
from catalog.datasets.queries import DatasetReader
from catalog.datasets.reviews import Reviews
from catalog.errors import DatasetNotFound, NotAllowed
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock, SearchIndex
from catalog.records import DatasetRecord
from catalog.search.related import Related
from catalog.search.service import Search
from catalog.search_model import Unseen
from lineage.ports import LineageGraph
from lineage.producers.catalog import ProducerCatalog
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from lineage.sql.flows import KnownNames
from lineage.sql.separate_process import SqlApart
from policies.decision.domains import Domain
from policies.decision.visibility import ALL, Aspect, DatasetKnowledge
from policies.model import Subject
from policies.plan.ports import QueryTable, TableSource
from views.ports import Clusters as ViewClusters
from views.ports import ViewStates


@dataclass(frozen=True, slots=True)
class Parts:
    """What readers' services are made of, uncut."""

    store: CatalogStore
    clusters: Clusters
    index: SearchIndex
    clock: Clock
    datasets: DatasetReader
    search: Search
    related: Related
    reviews: Reviews
    graph: LineageGraph
    lineage: Lineage
    lineage_settings: LineageSettings
    producers: ProducerCatalog
    sql_reader: SqlApart
    sql_lineage: SqlLineageSliver
    topics: Tables
    tables: TableSource
    declared_views: DeclaredViews
    view_states: ViewStates
    view_facts: ViewFacts
    view_clusters: ViewClusters
    views: Callable[[], Views]
    key: bytes


_WORDS = {
    Aspect.EXISTENCE: "existence",
    Aspect.SCHEMA: "schema",
    Aspect.EVIDENCE: "personal data",
    Aspect.LINEAGE: "lineage",
}


class Reader:
    """Services for one request of one subject. `horizon` None: nothing is hidden."""

    def __init__(self, parts: Parts, horizon: Horizon | None, faces: bool = False) -> None:
        """`faces`: whether the index has documents for those who know datasets in part."""
        self._parts, self.horizon, self._faces = parts, horizon, faces

    def known(self, record: DatasetRecord) -> DatasetKnowledge:
        """What the reader may know of a dataset of the catalog."""
        return ALL if self.horizon is None else self.horizon.of_record(record)

    def require(self, record: DatasetRecord, aspect: Aspect) -> None:
        """Raise NotAllowed (403) unless this may be known of a dataset that may be known of."""
        if not self.known(record).of(aspect):
            raise NotAllowed(
                f"You may not know the {_WORDS[aspect]} of {record.reference}: a document of kind Visibility keeps it to"
                " others.",
                details={"dataset": record.reference, "reasons": [f"visibility: {aspect.value}"]},
            )

    def require_schema(self, reference: str) -> None:
        """As `require`, for the schema of a dataset or view by its `CLUSTER/TOPIC`."""
        if self.horizon is not None and not self.horizon.of_facts(self._parts.view_facts.facts(reference)).schema:
            raise NotAllowed(f"You may not know the schema of {reference}.", details={"dataset": reference})

    def knows(self, dataset: DatasetId) -> bool:
        """Whether the reader may know that a dataset exists, by the id that brokers and producers give it."""
        return self.horizon is None or self.horizon.of_id(dataset).existence

    def known_of(self, dataset: DatasetId) -> DatasetKnowledge:
        """What the reader may know of a dataset, by the id that brokers and producers give it."""
        return ALL if self.horizon is None else self.horizon.of_id(dataset)

    def known_view(self, name: str) -> DatasetKnowledge:
        """What the reader may know of a declared view."""
        return ALL if self.horizon is None else self._declared.known(name)

    def names_uncertain(self, value: Any) -> bool:
        """Whether something names a dataset whose existence, schema or personal data is hidden: texts of scans show these."""
        if self.horizon is None:
            return False
        parted = self.horizon.parted
        return any(names_any(value, each) for each in (parted.names, parted.of_bare, parted.of_plain))

    def mentions_hidden(self, value: Any) -> bool:
        """See `mentions`."""
        return self.horizon is not None and mentions(value, self.horizon.parted)

    def names_unlinked(self, value: Any) -> bool:
        """Whether something names a dataset whose existence or lineage is hidden: what reads it is a part of its lineage."""
        if self.horizon is None:
            return False
        parted = self.horizon.parted
        return names_any(value, parted.names) or names_any(value, parted.of_unlinked)

    def knows_domain(self, domain: Domain) -> bool:
        """Whether a reader who is not of a domain may know of it: of each dataset that it has, and of one at least where the
        setting is closed."""
        if self.horizon is None:
            return True
        references, hidden = self._references
        if any(map(domain.has, hidden)) or any(map(self.horizon.would_hide, domain.datasets)):
            return False
        return not self.horizon.closed or any(map(domain.has, references))

    @cached_property
    def _references(self) -> tuple[list[str], frozenset[str]]:
        """Of every dataset of the catalog, and of those that the reader may not know of; read once for all domains."""
        outlines = self._parts.store.outlines()
        unseen = self.horizon.parted.nothing if self.horizon is not None else frozenset[DatasetId]()
        return [each.reference for each in outlines], frozenset(
            each.reference for each in outlines if each.id in unseen
        )

    def shown(self, references: Iterable[str], schema: bool = False) -> Iterable[str]:
        """Of `CLUSTER/TOPIC`s of the catalog, those that the reader may know of; with `schema`, that of theirs, too."""
        if self.horizon is None:
            return references
        parted = self.horizon.parted
        hidden = parted.nothing | parted.bare if schema else parted.nothing
        names = {each.reference for each in self._parts.store.outlines() if each.id in hidden} if hidden else set()
        return [each for each in references if each not in names]

    @cached_property
    def store(self) -> CatalogStore:
        """For reading."""
        return (
            self._parts.store
            if self.horizon is None
            else cast(CatalogStore, SeenStore(self._parts.store, self.horizon))
        )

    @cached_property
    def datasets(self) -> DatasetReader:
        return self._parts.datasets if self.horizon is None else DatasetReader(self.store, self._clusters)

    @cached_property
    def _clusters(self) -> Clusters:
        return Clusters(self.store, self._parts.clock)

    @cached_property
    def search(self) -> Search:
        parts = self._parts
        if self.horizon is None:
            return parts.search.seen_by(parts.store, parts.clusters, Unseen()) if self._faces else parts.search
        return parts.search.seen_by(self.store, self._clusters, self.horizon.parted.unseen, self.mentions_hidden)

    @cached_property
    def related(self) -> Related:
        parts = self._parts
        if self.horizon is None and self._faces:
            return Related(parts.store, parts.index, LineageNear(parts.lineage, parts.clusters), parts.clock, Unseen())
        if self.horizon is None:
            return parts.related
        near = LineageNear(self.lineage, self._clusters)
        return Related(self.store, parts.index, near, parts.clock, self.horizon.parted.unseen)

    @cached_property
    def reviews(self) -> Reviews:
        parts = self._parts
        return parts.reviews if self.horizon is None else Reviews(self.store, cast(Any, self.datasets))

    @cached_property
    def _graph(self) -> SeenGraph:
        assert self.horizon is not None
        return SeenGraph(self._parts.graph, self.horizon.of_id, self._parts.key)

    @cached_property
    def lineage(self) -> Lineage:
        parts = self._parts
        if self.horizon is None:
            return parts.lineage
        sliver = CatalogSliver(self.store, self._clusters)
        graph = cast(LineageGraph, self._graph)
        names = KnownNames(self._clusters.resolve, sliver.columns, sliver.fields)
        return Lineage(graph, names, parts.lineage_settings, sliver.dataset, sliver.known)

    @cached_property
    def producers(self) -> Producers:
        parts = self._parts
        return parts.producers if self.horizon is None else SeenProducers(parts.producers, self.horizon, self._graph)

    @cached_property
    def sql_lineage(self) -> SqlLineageSliver:
        parts = self._parts
        if self.horizon is None:
            return parts.sql_lineage
        sliver = CatalogSliver(self.store, self._clusters)
        return SqlLineageSliver(self.datasets, sliver, parts.sql_reader, parts.lineage_settings.sql_characters)

    @cached_property
    def _declared(self) -> SeenDeclared:
        parts = self._parts
        assert self.horizon is not None
        return SeenDeclared(parts.declared_views, parts.view_states, parts.view_facts, self.horizon)

    @cached_property
    def views(self) -> Views | SeenViews:
        views = self._parts.views()
        return views if self.horizon is None else SeenViews(views, self._declared, self.horizon)

    def sources_of(self, view: str, sources: Sequence[str]) -> Sequence[str] | None:
        """Those of a view's sources that the reader may know of; None where they may not know of the view."""
        if self.horizon is None:
            return sources
        return [each for each in sources if not self.mentions_hidden(each)] if self._declared.named(view) else None

    @cached_property
    def tables(self) -> TableSource:
        parts = self._parts
        if self.horizon is None:
            return parts.tables
        topics = cast(Tables, _SeenTopics(parts.topics, self.datasets))
        declared = cast(DeclaredViews, self._declared)
        return ViewTables(topics, declared, parts.view_states, parts.view_facts, parts.view_clusters)

    def named(self, text: str) -> str:
        """`CLUSTER/TOPIC` of a dataset or view as somebody writes it. Raises DatasetNotFound, InvalidInput."""
        try:
            return self.datasets.get(self.datasets.find(text)).reference
        except DatasetNotFound:
            declared = self._parts.declared_views if self.horizon is None else self._declared
            if declared.of_dataset(text) is None:  # its lineage, which makes it known, is on its way
                raise
            return text


class _SeenTopics:
    """`api.joins.query_tables.Tables` by names that the reader may know."""

    def __init__(self, topics: Tables, datasets: DatasetReader) -> None:
        self._topics, self._datasets = topics, datasets

    def find(self, name: str) -> QueryTable:
        return self._topics.find(self.reference(name))

    def reference(self, name: str) -> str:
        return self._datasets.get(self._datasets.find_in_any_case(name)).reference


class Readers:
    """Makes readers. Safe for threads."""

    def __init__(self, parts: Parts, horizons: Horizons, faces: Callable[[], bool]) -> None:
        """`faces`: whether documents may be in the index for those who know datasets in part."""
        self._parts, self._horizons, self._faces = parts, horizons, faces
        self._everything = {each: Reader(parts, None, each) for each in (False, True)}

    def of(self, subject: Subject) -> Reader:
        """Raises Unavailable."""
        horizon = self._horizons(subject)
        return self._everything[self._faces()] if horizon is None else Reader(self._parts, horizon)
