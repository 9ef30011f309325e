"""The services of `catalog`, joined: datasets and search, declared views, connections to clusters, events and webhooks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from api.config.settings import Settings
from api.joins.connections import Connections
from api.joins.facts import Facts
from api.joins.views.clusters import ViewClusters
from api.joins.views.declared import DeclaredViews
from api.joins.views.facts import ViewFacts
from api.joins.views.seen import SeenStates
from api.webhooks.deliver import Webhooks
from api.webhooks.ssrf_guard import Guard
from api.wiring.adapters import Adapters
from api.wiring.clock import now
from catalog.contracts.service import Contracts
from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.datasets.scan_checks import AllChecks
from catalog.errors import DatasetNotFound
from catalog.events.events import Events
from catalog.incidents.service import Incidents
from catalog.model import DatasetId
from catalog.ports import CatalogStore
from catalog.quality.alarms import IncidentAlarms
from catalog.quality.service import Quality
from catalog.search.clicks import Clicks
from catalog.search.service import Search


@dataclass(frozen=True, slots=True)
class CatalogServices:
    store: CatalogStore
    events: Events
    guard: Guard
    webhooks: Webhooks
    clusters: Clusters
    clicks: Clicks
    search: Search
    datasets: Datasets
    incidents: Incidents
    contracts: Contracts
    quality: Quality
    discovery: Discovery
    connections: Connections
    declared_views: DeclaredViews
    seen_states: SeenStates
    view_clusters: ViewClusters
    facts: ViewFacts

    def references(self) -> list[str]:
        """`CLUSTER/TOPIC` of every dataset that can be queried."""
        clusters_there = {cluster.name for cluster in self.store.clusters()}
        return [f"{cluster}/{name}" for cluster, name in self.store.names() if cluster in clusters_there]

    def reference(self, dataset: DatasetId) -> str | None:
        """`CLUSTER/TOPIC` of a dataset; None for one that the catalog does not have on a cluster."""
        record = self.store.dataset(dataset)
        return record.reference if record is not None and record.cluster is not None else None

    def dataset_named(self, text: str) -> str:
        """`CLUSTER/TOPIC` of a dataset as callers may write it. Raises DatasetNotFound."""
        return self.datasets.get(self.datasets.find(text)).reference

    def named(self, text: str) -> str:
        """As `dataset_named`, of a view too. Raises DatasetNotFound."""
        try:
            return self.dataset_named(text)
        except DatasetNotFound:
            if self.declared_views.of_dataset(text) is None:  # its lineage, which makes it known, is on its way
                raise
            return text


def catalog_services(settings: Settings, parts: Adapters) -> CatalogServices:
    """Raises Unavailable when the record store cannot be opened."""
    store: CatalogStore = parts.store
    events = Events(store, now, settings.events)
    guard = Guard(settings.events.webhook_allowed_hosts)
    webhooks = Webhooks(store, parts.secrets.read, settings.events, guard)
    clusters = Clusters(store, now)
    clicks = Clicks(store, parts.click_secret(), now)
    search = Search(store, parts.index, clusters, parts.meaning, clicks)
    incidents = Incidents(store, now, events)
    contracts = Contracts(store, now, clusters, events, incidents)
    quality = Quality(store, now, IncidentAlarms(incidents))
    datasets = Datasets(store, search, now, clusters, events, AllChecks(contracts, quality))
    discovery = Discovery(parts.brokers, datasets)
    connections = Connections(
        datasets, parts.brokers, parts.client_config, parts.secrets, parts.own_servers(), store.changes, parts.servers
    )
    views = DeclaredViews(store)
    facts = ViewFacts(Facts(datasets, store.changes), views, parts.view_states, clusters.resolve, store.changes)
    return CatalogServices(
        store=store,
        events=events,
        guard=guard,
        webhooks=webhooks,
        clusters=clusters,
        clicks=clicks,
        search=search,
        datasets=datasets,
        incidents=incidents,
        contracts=contracts,
        quality=quality,
        discovery=discovery,
        connections=connections,
        declared_views=views,
        seen_states=SeenStates(parts.view_states, timedelta(seconds=settings.views.silent_seconds), views.applied),
        view_clusters=ViewClusters(connections, parts.spark_options),
        facts=facts,
    )
