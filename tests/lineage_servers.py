"""Lineage on real servers for tests: names of its own on the shared stack, removed at the end."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from lineage.adapters.kafka.log import KafkaEventLog
from lineage.adapters.kafka.source import KafkaEventSource
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.settings import KafkaClientSettings, LineageSettings, Neo4jSettings
from lineage.worker.consume import LineageWorker
from tests import waiting


@dataclass
class Servers:
    settings: LineageSettings
    kafka: KafkaClientSettings
    neo4j: Neo4jSettings
    graph: Neo4jGraph
    log: KafkaEventLog
    dead: KafkaEventLog

    def worker(self, graph: Neo4jGraph | None = None) -> LineageWorker:
        return LineageWorker(KafkaEventSource(self.kafka, self.settings), graph or self.graph, self.dead, self.settings)


@contextmanager
def servers_on(stack: Any) -> Iterator[Servers]:
    """The parts over one topic and one graph."""
    mark = uuid.uuid4().hex[:10]
    settings = LineageSettings(
        topic=f"_lineage.test.{mark}",
        dead_letter_topic=f"_lineage.test.{mark}.dlq",
        group=f"lineage-test-{mark}",
        graph_name=f"test-{mark}",
        partitions=3,
    )
    kafka = KafkaClientSettings(bootstrap_servers=stack.kafka)
    neo4j = Neo4jSettings(uri=stack.neo4j, user=stack.neo4j_auth[0], password=stack.neo4j_auth[1])
    driver = connect(neo4j)
    graph = Neo4jGraph(driver, neo4j, settings.graph_name)
    graph.prepare()
    servers = Servers(
        settings,
        kafka,
        neo4j,
        graph,
        KafkaEventLog(kafka, settings),
        KafkaEventLog(kafka, settings, settings.dead_letter_topic),
    )
    try:
        yield servers
    finally:
        _remove(servers, driver, stack)


def _remove(servers: Servers, driver: Any, stack: Any) -> None:
    from confluent_kafka.admin import AdminClient

    settings, graph = servers.settings, servers.graph
    servers.log.close()
    servers.dead.close()
    graph.clear()
    driver.execute_query("MATCH (g:LineageGraph {name: $name}) DELETE g", name=settings.graph_name)
    driver.close()
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    topics = [name for name in (settings.topic, settings.dead_letter_topic) if name in admin.list_topics().topics]
    for future in admin.delete_topics(topics).values() if topics else ():
        future.result(10)


class Running:
    """A worker in a thread, stopped at the end."""

    def __init__(self, worker: LineageWorker) -> None:
        self.worker, self._stop = worker, threading.Event()
        self._thread = threading.Thread(target=worker.run, args=(self._stop,))

    def __enter__(self) -> LineageWorker:
        self._thread.start()
        return self.worker

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(30)
        assert not self._thread.is_alive()


def until(condition: Any, seconds: float = 60.0) -> None:
    waiting.until(condition, seconds=seconds, every=0.05)
