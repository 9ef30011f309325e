"""Nothing acknowledged is lost and nothing is doubled: a worker killed again and again, a rebuild under load."""

from __future__ import annotations

import multiprocessing
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lineage.adapters.kafka.log import KafkaEventLog
from lineage.adapters.kafka.source import KafkaEventSource
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.ingest.service import Ingest
from lineage.settings import KafkaClientSettings, LineageSettings, Neo4jSettings
from lineage.worker.consume import LineageWorker
from lineage.worker.rebuild import rebuild
from tests.lineage_samples import content, graph_of, real_rows, run
from tests.lineage_servers import Running, Servers, servers_on, until

pytestmark = [pytest.mark.integration, pytest.mark.tail]


@pytest.fixture
def servers(stack: Any) -> Iterator[Servers]:
    with servers_on(stack) as lineage_servers:
        yield lineage_servers


def work(kafka: dict[str, Any], neo4j: dict[str, Any], settings: dict[str, Any]) -> None:
    """A worker in a process of its own; it is only ever killed."""
    where, graph_at, how = KafkaClientSettings(**kafka), Neo4jSettings(**neo4j), LineageSettings(**settings)
    graph = Neo4jGraph(connect(graph_at), graph_at, how.graph_name)
    LineageWorker(KafkaEventSource(where, how), graph, KafkaEventLog(where, how, how.dead_letter_topic), how).run(
        threading.Event()
    )


def load(shared_data: Path) -> list[dict[str, Any]]:
    """The real events and some of our own: jobs that change what they write, so that edges close."""
    events = [
        run(n, [f"in{n % 7}"], [f"out{n % 7}{'b' if n > 150 else ''}"], job=f"j{n % 7}", run_id=f"r{n}")
        for n in range(300)
    ]
    return [row["event"] for row in real_rows(shared_data) if row["valid"]] + events


def same(graph: Neo4jGraph, raw: list[dict[str, Any]]) -> None:
    alone, counts = content(graph_of(*raw)), graph.counts()
    assert (counts.datasets, counts.columns, counts.jobs) == (
        len(alone["datasets"]),
        len(alone["columns"]),
        len(alone["jobs"]),
    )
    assert sum(counts.edges.values()) == len(alone["edges"])


def test_a_worker_killed_at_random_moments_loses_and_doubles_nothing(servers: Servers, shared_data: Path) -> None:
    raw, dice = load(shared_data), random.Random(5)
    ingest, spawn = Ingest(servers.log, servers.settings), multiprocessing.get_context("spawn")
    small = servers.settings.model_copy(update={"batch_events": 20})
    arguments = tuple(part.model_dump() for part in (servers.kafka, servers.neo4j, small))
    process = spawn.Process(target=work, args=arguments, daemon=True)
    process.start()
    try:
        ingest.post_batch(raw[:100])
        until(lambda: sum(servers.graph.counts().edges.values()) > 0)
        for start in (100, 280):
            ingest.post_batch(raw[start : start + 180])
            time.sleep(dice.random())  # the moment is to be anywhere in its work
            process.kill()
            process.join(10)
            process = spawn.Process(target=work, args=arguments, daemon=True)
            process.start()
        ingest.post_batch(raw[460:])
        worker = servers.worker()
        started = time.monotonic()
        until(lambda: worker.lag() == 0, 120)
        assert time.monotonic() - started < 120
        same(servers.graph, raw)
    finally:
        process.kill()
        process.join(10)


def test_a_rebuild_under_load_loses_and_doubles_nothing(servers: Servers, shared_data: Path) -> None:
    raw = load(shared_data)
    ingest, done = Ingest(servers.log, servers.settings), threading.Event()
    ingest.post_batch(raw[:200])

    def sending() -> None:
        for start in range(200, len(raw), 10):
            ingest.post_batch(raw[start : start + 10])
        done.set()

    with Running(servers.worker()) as worker:
        sender = threading.Thread(target=sending)
        sender.start()
        while not done.is_set():  # rebuilt again and again while events keep coming
            rebuild(servers.log, servers.graph, settings=servers.settings)
            assert servers.graph.counts().jobs > 0, "the old graph serves until the new one does"
        sender.join(30)
        until(lambda: worker.lag() == 0)
    same(servers.graph, raw)
