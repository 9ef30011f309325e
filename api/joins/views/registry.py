"""The schema registries of clusters, as views use them."""

from __future__ import annotations

from api.joins.connections import Connections
from catalog.errors import Conflict
from scanners.model import ClusterConnection
from scanners.ports import SchemaRegistry


class ViewRegistry:
    """Implements `views.ports.Registry`."""

    def __init__(self, connections: Connections, registry: SchemaRegistry) -> None:
        self._connections, self._registry = connections, registry

    def has(self, cluster: str) -> bool:
        return self._connections.connection(cluster).registry is not None

    def newest(self, cluster: str, subject: str) -> tuple[str, str] | None:
        schema = self._registry.newest(self._reached(cluster), subject)
        return None if schema is None else (schema.type, schema.text)

    def accepts(self, cluster: str, subject: str, schema: str) -> tuple[bool, list[str]]:
        return self._registry.accepts(self._reached(cluster), subject, "AVRO", schema)

    def register(self, cluster: str, subject: str, schema: str) -> int:
        return self._registry.register(self._reached(cluster), subject, "AVRO", schema)

    def _reached(self, cluster: str) -> ClusterConnection:
        connection = self._connections.connection(cluster)
        if connection.registry is None:
            raise Conflict(f"The cluster {cluster} has no schema registry; declare schemaRegistry.url.")
        return connection
