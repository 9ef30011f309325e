"""The services of `lineage`, joined: events are accepted, folded into the graph, and questions answered from it."""

from __future__ import annotations

from dataclasses import dataclass

from api.config.settings import Settings
from api.joins.cross_room import CatalogSliver
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from lineage.ingest.service import Ingest
from lineage.ports import EventLog, LineageGraph
from lineage.producers.catalog import ProducerCatalog
from lineage.questions.queries import Lineage
from lineage.settings import LineageSettings
from lineage.sql.flows import KnownNames
from lineage.worker.consume import LineageWorker
from lineage.worker.rebuild import rebuild


@dataclass(frozen=True, slots=True)
class LineageServices:
    settings: LineageSettings
    parts: Adapters
    known: CatalogSliver
    graph: LineageGraph
    log: EventLog
    ingest: Ingest
    names: KnownNames
    lineage: Lineage
    producers: ProducerCatalog

    def worker(self) -> LineageWorker:
        """A worker that folds events; only a process that runs one opens its source."""
        source, letters = self.parts.source, self.parts.letters
        return LineageWorker(source, self.graph, letters, self.settings, self.names, self.producers)

    def rebuild(self) -> dict[str, int]:
        """Fold all events again into an empty graph."""
        done = rebuild(self.log, self.graph, self.names, self.settings, producers=self.producers)
        return {"eventsFolded": done.folded, "messagesSkipped": done.skipped, "tombstones": done.tombstones}


def lineage_services(settings: Settings, parts: Adapters, catalog: CatalogServices) -> LineageServices:
    clusters = catalog.clusters
    known = CatalogSliver(catalog.store, clusters)
    graph = parts.graph
    log = parts.log
    names = KnownNames(clusters.resolve, known.columns, known.fields, known.learned)
    return LineageServices(
        settings=settings.lineage,
        parts=parts,
        known=known,
        graph=graph,
        log=log,
        ingest=Ingest(log, settings.lineage),
        names=names,
        lineage=Lineage(graph, names, settings.lineage, known.dataset, known.known),
        producers=ProducerCatalog(
            catalog.store, clusters, now, catalog.search.changed, settings.lineage.runs_kept, known.fields
        ),
    )
