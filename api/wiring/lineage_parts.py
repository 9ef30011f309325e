"""The log and the graph of lineage, and the servers that show jobs without events."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from api.wiring.given import part
from api.wiring.server_parts import ServerParts

if TYPE_CHECKING:
    from api.joins.connectors.places import WorkersOf
    from api.joins.observing import GroupsOf
    from lineage.observed.connect import ConnectReader
    from lineage.observed.connect_engines import EngineReader
    from lineage.ports import EventLog, EventSource, LineageGraph
    from lineage.settings import KafkaClientSettings
    from lineage.sql.separate_process import SqlApart


class LineageParts(ServerParts):
    """Where events go, where they come from, and what answers questions about them."""

    def _kafka(self) -> KafkaClientSettings:
        from lineage.settings import KafkaClientSettings

        kafka = self._settings.kafka
        return KafkaClientSettings(bootstrap_servers=kafka.bootstrap_servers, options=kafka.client_options())

    @part
    def log(self) -> EventLog:
        from lineage.adapters.kafka.log import KafkaEventLog

        log = KafkaEventLog(self._kafka(), self._settings.lineage)
        self.closing.append(log.close)
        return log

    @part
    def letters(self) -> EventLog:
        """Where events that cannot be read are kept."""
        from lineage.adapters.kafka.log import KafkaEventLog

        log = KafkaEventLog(self._kafka(), self._settings.lineage, self._settings.lineage.dead_letter_topic)
        self.closing.append(log.close)
        return log

    @part
    def source(self) -> EventSource:
        return self._source()

    @part
    def lag_source(self) -> EventSource:
        """A reader of its own for how far behind the graph is: it joins no group."""
        return self._source()

    def _source(self) -> EventSource:
        from lineage.adapters.kafka.source import KafkaEventSource

        return KafkaEventSource(self._kafka(), self._settings.lineage)

    @part
    def graph(self) -> LineageGraph:
        from lineage.adapters.neo4j.graph import Neo4jGraph
        from lineage.adapters.neo4j.server import connect
        from lineage.settings import Neo4jSettings

        ours = self._settings.neo4j
        password = ours.password.get_secret_value() if ours.password else ""
        settings = Neo4jSettings(uri=ours.uri, user=ours.user, password=password)
        driver = connect(settings)
        self.closing.append(driver.close)
        return Neo4jGraph(driver, settings, self._settings.lineage.graph_name)

    @part
    def groups_of(self) -> GroupsOf:
        """Consumer groups of a cluster, by librdkafka's settings for it."""
        from lineage.adapters.kafka.consumer_groups import KafkaGroups

        return KafkaGroups

    def connect_of(self, url: str, auth: tuple[str, str] | None, ca: str | None) -> ConnectReader:
        """A Kafka Connect cluster."""
        from lineage.adapters.rest.connect import ConnectRest

        return ConnectRest(url, auth, ca, self.servers)

    @part
    def connect_workers(self) -> WorkersOf:
        """Kafka Connect's workers, for those who operate connectors."""
        from connectors.adapters.rest import ConnectRest

        return partial(ConnectRest, servers=self.servers)

    def engines_of(self, kind: str, url: str, auth: tuple[str, str] | None, ca: str | None) -> EngineReader:
        """A ksqlDB or Flink server."""
        from lineage.adapters.rest.flink import FlinkRest
        from lineage.adapters.rest.ksqldb import KsqldbRest

        match kind:
            case "ksqldb":
                return KsqldbRest(url, auth, ca, self.servers)
            case "flink":
                return FlinkRest(url, auth, ca, self.servers)
        raise ValueError(kind)

    @part
    def sql_reader(self) -> SqlApart:
        """Reads SQL in a process of its own."""
        from lineage.sql.separate_process import SqlApart

        reader = SqlApart(self._settings.lineage.sql_seconds)
        self.closing.append(reader.close)
        return reader
