"""Declared clusters as clients reach them: for Kafka's own client, for Spark, and one met by its address alone."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from catalog.change_cache import ChangeCache
from catalog.datasets.datasets import Datasets
from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.secrets import Secrets, credentials
from catalog.declared.server_addresses import ServerAddresses
from catalog.errors import InvalidInput, SettingsError
from catalog.namespaces import addresses
from catalog.ports import Brokers
from catalog.records import ClusterRecord
from scanners.model import ClusterConnection

ClientConfig = Callable[[Mapping[str, Any], Sequence[str]], dict[str, object]]
"""librdkafka's settings of a declared cluster, secrets read from where they are."""


@dataclass(frozen=True, slots=True)
class OwnServers:
    """The Kafka and the registry that Weir itself signs in to. A scan of the same addresses signs in likewise, by the
    variables with which a secured local stack starts Weir."""

    bootstrap: str = ""
    kafka_user: str | None = None
    registry: str = ""
    registry_user: str | None = None

    def spec(self, bootstrap: str, registry: str | None) -> dict[str, object]:
        """A cluster's spec for what is met at these addresses."""
        spec: dict[str, object] = {"bootstrapServers": bootstrap}
        if self.kafka_user and bootstrap == self.bootstrap:
            password = {"env": "WEIR_SECRET_STACK_KAFKA"}
            spec["security"] = {"sasl": {"mechanism": "PLAIN", "username": self.kafka_user, "password": password}}
        if registry:
            spec["schemaRegistry"] = {"url": registry}
            if self.registry_user and registry == self.registry:
                password = {"env": "WEIR_SECRET_STACK_REGISTRY"}
                spec["schemaRegistry"] = {"url": registry, "username": self.registry_user, "password": password}
        return spec


class Connections:
    """How each cluster is reached. Secrets are read when they are needed and kept nowhere."""

    def __init__(
        self,
        datasets: Datasets,
        brokers: Brokers,
        client_config: ClientConfig,
        secrets: Secrets,
        own: OwnServers | None = None,
        changes: Callable[[], int | None] = lambda: None,
        servers: ServerAddresses | None = None,
    ) -> None:
        """`changes`: see `catalog.ports.CatalogStore.changes`; while it is the same, the list of clusters is kept."""
        self._datasets = datasets
        self._brokers = brokers
        self._client_config = client_config
        self._secrets = secrets
        self._servers = servers or ServerAddresses()
        self._own = own or OwnServers()
        self._kept: ChangeCache[list[ClusterRecord]] = ChangeCache(changes)

    def connection(self, cluster: str) -> ClusterConnection:
        """Raises NotFound naming the clusters there are, SettingsError for a secret that is not there, or an
        address that may not be called."""
        return self.reach(self._datasets.clusters.get(cluster))

    def reach(self, record: ClusterRecord) -> ClusterConnection:
        """How a known cluster is reached. Raises SettingsError as `connection`."""
        config = self._client_config(record.settings, record.bootstrap)
        bootstrap = str(config.pop("bootstrap.servers"))
        registry = record.settings.get("schemaRegistry") or {}
        if record.registry_url:
            self._servers.require_url(record.registry_url, "schemaRegistry.url")
        return ClusterConnection(
            name=record.name,
            namespace=record.namespace,
            bootstrap=bootstrap,
            kafka={name: str(value) for name, value in config.items()},
            registry=record.registry_url,
            registry_auth=credentials(self._secrets, registry, "schemaRegistry"),
        )

    def client_settings(self, bootstrap: str) -> Mapping[str, str]:
        """librdkafka's settings of the cluster with these bootstrap servers; none for an unknown one."""
        for cluster in self._kept.get("", self._datasets.clusters.all):
            if ",".join(cluster.bootstrap) == bootstrap:
                return self.reach(cluster).kafka
        return {}

    def from_address(self, name: str | None, bootstrap: str, registry: str | None) -> str:
        """The cluster at an address: the known one with the same cluster id, or a new one; gives its name.

        A new one is named after its host (`localhost`), with a suffix where that name is taken. Raises InvalidInput,
        Unavailable naming the address when no broker answers: then nothing was recorded.
        """
        known = addresses(bootstrap)
        spec = self._own.spec(bootstrap, registry)
        try:
            self._servers.require_cluster(spec, known)
        except SettingsError as refused:
            raise InvalidInput(refused.message, details=refused.details) from None
        described = self._brokers.describe(spec, known)
        for cluster in self._datasets.clusters.all():
            if described.cluster_id and cluster.cluster_id == described.cluster_id:
                return cluster.name
        taken = {cluster.name for cluster in self._datasets.clusters.all()}
        cluster_name = name or re.sub(r"[^A-Za-z0-9-]+", "-", known[0].rpartition(":")[0]).strip("-") or "kafka"
        if cluster_name in taken:
            if name is not None:
                raise InvalidInput(f"Cluster {name!r} is another one already; give this one another name.")
            cluster_name = f"{cluster_name}-{hashlib.sha256(bootstrap.encode()).hexdigest()[:6]}"
        self._datasets.register_cluster(cluster_name, ClusterSpec.model_validate(spec), described)
        return cluster_name
