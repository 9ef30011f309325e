"""The whole way on real servers: HTTP body to Kafka to Neo4j, with servers that go away."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import NotFound, Unavailable
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.ingest.service import Ingest
from lineage.questions.queries import Lineage
from lineage.worker.rebuild import rebuild
from tests.lineage_answers import as_json
from tests.lineage_samples import content, graph_of, node, real_rows, run
from tests.lineage_servers import Running, Servers, servers_on, until

pytestmark = pytest.mark.integration


@pytest.fixture
def servers(stack: Any) -> Iterator[Servers]:
    with servers_on(stack) as lineage_servers:
        yield lineage_servers


def test_the_real_events_go_all_the_way_and_rebuild_to_the_same(servers: Servers, shared_data: Path) -> None:
    rows = real_rows(shared_data)
    result = Ingest(servers.log, servers.settings).post_batch([row["event"] for row in rows])
    assert [index for index, _ in result.failed] == [at for at, row in enumerate(rows) if row["id"] == "negative-06"]
    servers.log.append("junk", b'{"no": "event"}')
    with Running(servers.worker()) as worker:
        until(lambda: worker.lag() == 0)
        assert (worker.state.folded, worker.state.dead) == (166, 1)
        before = servers.graph.counts()
        lineage = Lineage(servers.graph, settings=servers.settings)
        apples = {row.id for row in lineage.impact("dataset:cupboard:sugar").affected}
        assert "dataset:grandmas.kitchen:apple.pie" in apples
        done = rebuild(servers.log, servers.graph, settings=servers.settings)
        assert (done.folded, done.skipped) == (166, 1)
        assert servers.graph.counts() == before
        Ingest(servers.log, servers.settings).post(run(0, ["after"], ["rebuild"]))
        until(lambda: worker.lag() == 0)
    assert servers.graph.node(node("rebuild")) is not None
    assert "postgres" not in str(as_json(lineage.job("job:dbz-jobs:debezium.0")).get("password", ""))
    (dead,) = [record for records in servers.dead.read() for record in records]
    assert dead.value == b'{"no":"event"}' and b"neither" in dict(dead.headers)["weir.error"]


@pytest.mark.tail
def test_events_are_taken_while_neo4j_is_away_and_folded_when_it_is_back(servers: Servers) -> None:
    gate = Gate(servers.neo4j.uri)
    behind = servers.neo4j.model_copy(update={"uri": f"bolt://127.0.0.1:{gate.port}"})
    driver = connect(behind)
    graph = Neo4jGraph(driver, behind, servers.settings.graph_name)
    ingest = Ingest(servers.log, servers.settings)
    try:
        with Running(servers.worker(graph)) as worker:
            ingest.post(run(0, ["first"], ["second"]))
            until(lambda: worker.state.folded == 1)
            gate.shut()
            started = time.monotonic()
            with ThreadPoolExecutor(8) as pool:
                posts = [run(at, [f"a{at}"], [f"b{at}"], job=f"j{at}", run_id=f"r{at}") for at in range(100)]
                list(pool.map(ingest.post, posts))
            assert time.monotonic() - started < 10
            until(lambda: worker.state.waiting_for == "neo4j")
            with pytest.raises(Unavailable, match="Neo4j at bolt://127"):
                graph.node(node("a0"))
            assert worker.lag() > 0
            gate.open()
            until(lambda: worker.lag() == 0)
            until(lambda: worker.state.folded == 101)
    finally:
        driver.close()
        gate.close()
    assert servers.graph.counts().edges["feeds"] == 101


def test_two_workers_share_the_work(servers: Servers, shared_data: Path) -> None:
    raw = [row["event"] for row in real_rows(shared_data) if row["valid"]]
    ingest = Ingest(servers.log, servers.settings)
    with Running(servers.worker()) as first, Running(servers.worker()) as second:
        for start in range(0, len(raw), 20):
            ingest.post_batch(raw[start : start + 20])
        until(lambda: first.lag() == 0)
        assert first.state.folded + second.state.folded >= len(raw)
    alone = content(graph_of(*raw))
    counts = servers.graph.counts()
    assert (counts.datasets, counts.columns, counts.jobs) == (
        len(alone["datasets"]),
        len(alone["columns"]),
        len(alone["jobs"]),
    )
    assert sum(counts.edges.values()) == len(alone["edges"])


def test_the_client_of_openlineage_itself_writes_to_the_topic(servers: Servers) -> None:
    """Its Kafka transport, unchanged, as an application would be set up."""
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
    from openlineage.client.transport.kafka import KafkaConfig, KafkaTransport
    from openlineage.client.uuid import generate_new_uuid

    servers.log.ensure_topic()
    config = KafkaConfig(
        config={"bootstrap.servers": servers.kafka.bootstrap_servers}, topic=servers.settings.topic, flush=True
    )
    client = OpenLineageClient(transport=KafkaTransport(config))
    client.emit(
        RunEvent(
            eventType=RunState.COMPLETE,
            eventTime="2026-01-01T00:00:00Z",
            producer="https://example.com",
            run=Run(runId=str(generate_new_uuid())),
            job=Job(namespace="jobs", name="client"),
            inputs=[InputDataset(namespace="kafka://k:9092", name="a")],
            outputs=[OutputDataset(namespace="kafka://k:9092", name="b")],
        )
    )
    with Running(servers.worker()) as worker:
        until(lambda: worker.state.folded == 1)
    answer = Lineage(servers.graph).lineage("dataset:kafka://k:9092:a", "downstream")
    assert [edge.target for edge in answer.edges] == ["dataset:kafka://k:9092:b"]


def test_as_of_and_hints_on_the_real_graph(servers: Servers) -> None:
    from tests.lineage_samples import T0, write

    write(servers.graph, run(0, ["a"], ["old"]), run(100, ["a"], ["new"], run_id="r2"))
    lineage = Lineage(servers.graph)
    assert {e.target for e in lineage.lineage(node("a"), "downstream", as_of=T0 + 1).edges} == {node("old")}
    assert {e.target for e in lineage.lineage(node("a"), "downstream").edges} == {node("new")}
    with pytest.raises(NotFound) as missing:
        lineage.lineage(node("od"))
    assert node("old") in missing.value.details["nearest"]


def test_a_wrong_password_is_one_sentence(servers: Servers) -> None:
    wrong = servers.neo4j.model_copy(update={"password": "not-the-password"})
    driver = connect(wrong)
    with pytest.raises(Unavailable) as refused:
        Neo4jGraph(driver, wrong, "test-wrong").prepare()
    driver.close()
    assert "refused the user name or password" in refused.value.message
    assert "not-the-password" not in json.dumps(refused.value.details) + refused.value.message


class Gate:
    """A port that passes everything to a server until it is shut; shutting cuts what is open, as a crash does."""

    def __init__(self, uri: str) -> None:
        host, port = uri.rsplit("/", 1)[1].split(":")
        self._target = (host, int(port))
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._is_open, self._pairs = True, list[socket.socket]()
        threading.Thread(target=self._accept, daemon=True).start()

    def shut(self) -> None:
        self._is_open = False
        for one in self._pairs:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()
        self._pairs.clear()

    def open(self) -> None:
        self._is_open = True

    def close(self) -> None:
        self.shut()
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._socket.accept()
            except OSError:
                return
            if not self._is_open:
                near.close()
                continue
            far = socket.create_connection(self._target)
            self._pairs += [near, far]
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(a, b), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
