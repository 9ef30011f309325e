"""How the clusters of views are reached."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from api.joins.connections import Connections
from scanners.model import ClusterConnection


class ViewClusters:
    """Implements `views.ports.Clusters`."""

    def __init__(
        self, connections: Connections, spark_options: Callable[[ClusterConnection], Mapping[str, str]]
    ) -> None:
        self._connections, self._spark_options = connections, spark_options

    def client(self, cluster: str) -> Mapping[str, str]:
        connection = self._connections.connection(cluster)
        return {
            **{name: str(value) for name, value in connection.kafka.items()},
            "bootstrap.servers": connection.bootstrap,
        }

    def spark(self, cluster: str) -> Mapping[str, str]:
        return self._spark_options(self._connections.connection(cluster))
