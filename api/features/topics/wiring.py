"""The services of topics: what brokers and registries know of one, and the lag of its groups over time."""

from __future__ import annotations

from api.config.settings import Settings
from api.features.topics.group_lags import GroupLags
from api.features.topics.topic_pages import TopicPages
from api.joins.connections import Connections
from api.joins.observing import Observing
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.ports import CatalogStore


def provide(instance: Instance, parts: Adapters) -> None:
    """Add what this feature's routes and the worker ask for."""

    def group_lags() -> GroupLags:
        observing = instance[Observing]
        most = instance[Settings].lineage.observe_groups_limit
        clusters = instance[Datasets].clusters
        return GroupLags(instance[CatalogStore], clusters, observing.reader, observing.is_hidden, most, now)

    def topic_pages() -> TopicPages:
        return TopicPages(
            parts.topic_details,
            instance[Datasets].clusters,
            instance[Connections],
            parts.registry,
            now,
            instance[Observing].is_hidden,
            instance[Settings].lineage.observe_groups_limit,
        )

    instance.provide(GroupLags, group_lags)
    instance.provide(TopicPages, topic_pages)
