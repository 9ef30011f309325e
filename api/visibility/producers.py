"""What producers report, as one reader may know of it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any

from api.visibility.graph import SeenGraph
from api.visibility.horizon import Horizon
from catalog.model import DatasetId, NodeId
from catalog.report_store import Fact
from lineage.producers.catalog import ProducerCatalog
from lineage.producers.facts import WAYS

_OF_SCHEMA = ("schema", "columns", "dataQuality", "inputStatistics", "outputStatistics", WAYS)
"""How keys of facts begin that name fields."""


class SeenProducers:
    """The reads of `lineage.producers.catalog.ProducerCatalog`."""

    def __init__(self, producers: ProducerCatalog, horizon: Horizon, graph: SeenGraph) -> None:
        self._producers, self._horizon, self._graph = producers, horizon, graph

    def facts_of(self, dataset: DatasetId) -> list[Fact]:
        return self.facts_by_home([dataset])[dataset]

    def facts_by_home(self, datasets: Collection[DatasetId], prefix: str = "") -> dict[DatasetId, list[Fact]]:
        results = self._producers.facts_by_home(datasets, prefix)
        return {home: [each for fact in facts if (each := self._fact(home, fact))] for home, facts in results.items()}

    def ways_of(self, datasets: Iterable[DatasetId]) -> dict[DatasetId, list[Fact]]:
        results = self.facts_by_home(list(datasets), WAYS)
        return {home: [fact for fact in facts if fact.value is not None] for home, facts in results.items()}

    def homes_of(self, written: Collection[DatasetId]) -> dict[DatasetId, DatasetId]:
        return self._producers.homes_of(written)

    def column(self, home: DatasetId, column: str) -> str:
        return self._producers.column(home, column)

    def of_runs(self, namespace: str, job: str) -> Mapping[str, Mapping[str, Any]]:
        """Nothing of a job that touches what is hidden: errors and queries of its runs may name it."""
        if self._graph.touches_hidden(str(NodeId("job", namespace, job))):
            return {}
        return self._producers.of_runs(namespace, job)

    def log_only(self, namespace: str, job: str) -> list[str]:
        return self._producers.log_only(namespace, job)

    def _fact(self, home: DatasetId, fact: Fact) -> Fact | None:
        """A fact of a dataset; None for what is hidden, and for how columns are made of such."""
        known = self._horizon.of_id(home)
        if not known.lineage or (not known.schema and fact.key.startswith(_OF_SCHEMA)):
            return None
        if fact.value is None or not fact.key.startswith(WAYS):
            return fact
        sources = [DatasetId(*pair) for pair in fact.value["sources"]]
        homes = self.homes_of(sources)
        shown = {at for at, each in enumerate(sources) if self._sees(homes[each])}
        if len(shown) == len(sources):
            return fact
        order = {old: new for new, old in enumerate(sorted(shown))}
        fields = {
            column: [[order[row[0]], *row[1:]] for row in rows if row[0] in shown]
            for column, rows in fact.value["fields"].items()
        }
        value = {
            **fact.value,
            "sources": [fact.value["sources"][at] for at in sorted(shown)],
            "fields": {column: rows for column, rows in fields.items() if rows},
            "dataset": [[order[row[0]], *row[1:]] for row in fact.value["dataset"] if row[0] in shown],
        }
        return replace(fact, value=value)

    def _sees(self, dataset: DatasetId) -> bool:
        known = self._horizon.of_id(dataset)
        return known.lineage and known.schema


Producers = ProducerCatalog | SeenProducers
"""What answers are made of."""
