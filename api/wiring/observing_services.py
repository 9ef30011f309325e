"""What is asked of a declared cluster, joined: its groups and connectors, their lags, its topics, and the trial of a new one."""

from __future__ import annotations

from dataclasses import dataclass

from api.config.settings import Settings
from api.features.clusters.cluster_trial import ClusterTrial
from api.features.topics.group_lags import GroupLags
from api.joins.observing import Observing
from api.features.topics.topic_pages import TopicPages
from api.wiring.adapters import Adapters
from api.wiring.catalog_services import CatalogServices
from api.wiring.clock import now
from api.wiring.declared_services import DeclaredServices
from catalog.adapters.port_check import port_state
from lineage.ingest.service import Ingest


@dataclass(frozen=True, slots=True)
class ObservingServices:
    observing: Observing
    cluster_trial: ClusterTrial
    group_lags: GroupLags
    topic_pages: TopicPages


def observing_services(
    settings: Settings, parts: Adapters, catalog: CatalogServices, declared: DeclaredServices, ingest: Ingest
) -> ObservingServices:
    clusters, connections = catalog.clusters, catalog.connections
    most_groups = settings.lineage.observe_groups_limit
    observing = Observing(
        clusters,
        connections,
        ingest,
        settings.lineage,
        parts.groups_of,
        parts.connect_of,
        parts.engines_of,
        parts.secrets,
        declared.connectors.workers,
    )
    return ObservingServices(
        observing=observing,
        cluster_trial=ClusterTrial(
            parts.brokers,
            connections,
            parts.registry,
            parts.secrets,
            declared.second,
            port_state,
            observing.count_connectors,
        ),
        group_lags=GroupLags(catalog.store, clusters, observing.reader, observing.is_hidden, most_groups, now),
        topic_pages=TopicPages(
            parts.topic_details, clusters, connections, parts.registry, now, observing.is_hidden, most_groups
        ),
    )
