"""The services of incidents: notices to owners downstream."""

from __future__ import annotations

from api.features.incidents.downstream_notices import DownstreamNotices
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.datasets.clusters import Clusters
from catalog.events.events import Events
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from lineage.questions.queries import Lineage


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what the worker asks for."""

    def notices() -> DownstreamNotices:
        def flows(dataset: DatasetId, path: str | None) -> list[str]:
            return [each.id for each in instance[Lineage].downstream_of(dataset, path)]

        return DownstreamNotices(instance[CatalogStore], flows, instance[Clusters], instance[Events], now, set())

    instance.provide(DownstreamNotices, notices)
