"""Lineage as a user has it: clients post while the fold runs beside them, on fresh servers; then the first questions.

    python -m benchmarks.lineage_together                    8 clients, 4,000 events of 14 KB, one fold
    python -m benchmarks.lineage_together --folds 2          two folding processes beside each other

API and fold are processes of their own, on Kafka and Neo4j that were just started (or those of WEIR_TEST_STACK). Times
are wall clock, with clients, servers and processes on the same machine.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import psutil
from confluent_kafka.admin import AdminClient

from benchmarks._lineage_world import NAMESPACE, World
from benchmarks._servers import servers
from catalog.model import NodeId
from lineage.adapters.kafka.source import group_lag
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.settings import KafkaClientSettings, LineageSettings, Neo4jSettings

_CLIENTS = 8


def main(arguments: Sequence[str]) -> None:
    options = _options(arguments)
    with servers(["kafka", "neo4j"]) as addresses, tempfile.TemporaryDirectory(prefix="weir-bench-") as home:
        bench = _Bench(addresses, Path(home), options)
        try:
            bench.run()
        finally:
            bench.close()


class _Bench:
    def __init__(self, addresses: Any, home: Path, options: argparse.Namespace) -> None:
        mark = uuid.uuid4().hex[:8]
        self.options, self._home = options, home
        self.settings = LineageSettings(
            topic=f"_bench.{mark}",
            group=f"bench-{mark}",
            graph_name=f"bench-{mark}",
            dead_letter_topic=f"_bench.{mark}.dlq",
        )
        self.kafka = KafkaClientSettings(bootstrap_servers=addresses.kafka)
        neo4j = Neo4jSettings(uri=addresses.neo4j, user=addresses.neo4j_auth[0], password=addresses.neo4j_auth[1])
        self._driver = connect(neo4j)
        self.graph = Neo4jGraph(self._driver, neo4j, self.settings.graph_name)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self._environment = {
            **os.environ,
            "WEIR_HOME": str(home),
            "WEIR_API__PORT": str(self.port),
            "WEIR_KAFKA__BOOTSTRAP_SERVERS": addresses.kafka,
            "WEIR_NEO4J__URI": neo4j.uri,
            "WEIR_NEO4J__PASSWORD": neo4j.password,
            "WEIR_LINEAGE__TOPIC": self.settings.topic,
            "WEIR_LINEAGE__GROUP": self.settings.group,
            "WEIR_LINEAGE__GRAPH_NAME": self.settings.graph_name,
            "WEIR_LINEAGE__DEAD_LETTER_TOPIC": self.settings.dead_letter_topic,
            "WEIR_POLICIES__AUDIT_HEAD_TOPIC": f"{self.settings.topic}.head",
        }
        self._processes: list[subprocess.Popen[bytes]] = []
        self._servers = _listening(addresses.kafka, addresses.neo4j)
        self.token = ""

    # -- processes ----------------------------------------------------------------------------------------------------

    def _start(self, name: str, *words: str) -> subprocess.Popen[bytes]:
        with (self._home / f"{name}.log").open("wb") as output:
            process = subprocess.Popen(
                [*self._profiled(name), *words], env=self._environment, stdout=output, stderr=output
            )
        self._processes.append(process)
        return process

    def _profiled(self, name: str) -> list[str]:
        if self.options.profile and name in ("api", "fold0"):
            return [sys.executable, "-m", "cProfile", "-o", f"{self.options.profile}.{name}"]
        return [sys.executable]

    def close(self) -> None:
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            process.wait(30)
        if self.options.keep:
            return
        self.graph.clear()
        for statement in (
            "MATCH (g:LineageGraph {name: $name}) DELETE g",
            "MATCH (t:LineageTurn {graph: $name}) DELETE t",
        ):
            self._driver.execute_query(statement, name=self.settings.graph_name)
        self._driver.close()
        admin = AdminClient({"bootstrap.servers": self.kafka.bootstrap_servers})
        topics = [name for name in admin.list_topics(timeout=10).topics if name.startswith(self.settings.topic)]
        for future in (admin.delete_topics(topics) if topics else {}).values():
            future.result(10)

    # -- the run ------------------------------------------------------------------------------------------------------

    def run(self) -> None:
        options = self.options
        began = time.perf_counter()
        api = self._start("api", "-m", "api", "server", "api")
        self._until(lambda: self._ready(), f"the API did not start, see {self._home}/api.log", api)
        print(f"API ready after {time.perf_counter() - began:.1f} s, load {os.getloadavg()[0]:.1f}")
        self.token = (self._home / "admin.token").read_text().strip()
        for at in range(options.folds):
            self._start(f"fold{at}", "-m", "benchmarks._fold_process")
        warm = World(20, 50, 4, 100)
        for at in range(20):
            self._post(self._client(), json.dumps(warm.event(at, "COMPLETE")).encode())
        self._drained()  # joining the group takes Kafka some seconds, once
        world = World(options.jobs, options.datasets, options.columns, options.bytes)
        self._together(world)
        self._questions(world)
        if not options.quick:
            self._latency()
        print(f"{self.graph.counts()}")

    def _together(self, world: World) -> None:
        bodies = [
            json.dumps(world.event(at, kind, 0, second)).encode()
            for at in range(self.options.jobs)
            for second, kind in ((0, "START"), (1, "COMPLETE"))
        ]
        times: list[float] = []
        queue = iter(bodies)
        lock = threading.Lock()

        def client() -> None:
            connection = self._client()
            while True:
                with lock:
                    body = next(queue, None)
                if body is None:
                    return
                started = time.perf_counter()
                self._post(connection, body)
                times.append((time.perf_counter() - started) * 1000)

        pids = [*(process.pid for process in self._processes), *self._servers]
        before, started = _cpu(pids), time.perf_counter()
        threads = [threading.Thread(target=client) for _ in range(_CLIENTS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        posted = time.perf_counter() - started
        behind = self._lag()
        checked = time.perf_counter() - started
        self._drained()
        took = time.perf_counter() - started
        count = len(bodies)
        print(
            f"{count} events of {len(bodies[1]) / 1000:.1f} KB, {_CLIENTS} clients, {self.options.folds} folding, load"
            f" {os.getloadavg()[0]:.1f}"
        )
        print(f"accepted {count / posted:.0f}/s   p50 {_at(times, 0.5):.0f} ms  p95 {_at(times, 0.95):.0f} ms")
        print(
            f"folded   {(count - behind) / checked:.0f}/s while they posted, {count / took:.0f}/s from first post to last fold"
        )
        alone = f", then {behind / (took - checked):.0f}/s alone" if behind else ""
        used = [(after - was) * 1000 / count for after, was in zip(_cpu(pids), before, strict=True)]
        names = ["API", *["fold"] * self.options.folds, "Kafka", "Neo4j"]
        listed = ", ".join(f"{name} {each:.2f}" for name, each in zip(names, used, strict=True))
        print(f"processor time an event, ms: {listed}{alone}")

    def _questions(self, world: World) -> None:
        dice = random.Random(3)
        used = sorted({name for _, inputs, _ in world.jobs for name in inputs})
        asked = [str(NodeId("dataset", NAMESPACE, name)) for name in dice.sample(used, 30)]
        fields = sorted(
            {
                (item["name"], item["field"])
                for at in range(0, len(world.jobs), 7)
                for field in world.event(at, "COMPLETE")["outputs"][0]["facets"]["columnLineage"]["fields"].values()
                for item in field["inputFields"]
            }
        )
        columns = [str(NodeId("field", NAMESPACE, name, f"value.{field}")) for name, field in dice.sample(fields, 30)]
        for name, nodes in (("dataset", asked), ("column", columns)):
            connection, times, sizes = self._client(), [], []
            for node in nodes:
                started = time.perf_counter()
                answer = self._ask(connection, f"/api/v1/impact?{urlencode({'nodeId': node, 'depth': 20})}")
                times.append((time.perf_counter() - started) * 1000)
                sizes.append(len(answer["affected"]))
            print(
                f"first 30 {name} impacts at depth 20: p50 {_at(times, 0.5):.0f} ms  p95 {_at(times, 0.95):.0f} ms"
                f"  first {times[0]:.0f} ms  affected {sum(sizes) / 30:.0f} (most {max(sizes)})"
            )

    def _latency(self, rate: float = 100.0, seconds: float = 10.0) -> None:
        """From 201 to the job in the graph, at a steady rate."""
        world = World(int(rate * seconds), 1000, self.options.columns, self.options.bytes)
        sent: dict[str, float] = {}
        done: list[float] = []
        stop = threading.Event()

        def watch() -> None:
            while not stop.is_set() or sent:
                now, waiting = time.perf_counter(), list(sent)
                for node_id in self.graph.nodes(waiting) if waiting else ():
                    done.append(now - sent.pop(node_id))
                time.sleep(0.02)
                if stop.is_set() and time.perf_counter() - ended > 60:
                    return

        watcher = threading.Thread(target=watch)
        watcher.start()
        bodies = []
        for at in range(len(world.jobs)):
            event = world.event(at, "COMPLETE")
            event["job"]["name"] = f"late {event['job']['name']}"
            bodies.append((str(NodeId("job", "bench", event["job"]["name"])), json.dumps(event).encode()))
        started = time.perf_counter()
        lock, queue = threading.Lock(), iter(enumerate(bodies))

        def client() -> None:
            connection = self._client()
            while True:
                with lock:
                    at, (job, body) = next(queue, (0, ("", b"")))
                if not job:
                    return
                time.sleep(max(0.0, started + at / rate - time.perf_counter()))
                self._post(connection, body)
                sent[job] = time.perf_counter()

        threads = [threading.Thread(target=client) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        ended = time.perf_counter()
        stop.set()
        watcher.join()
        print(
            f"201 to visible at {len(bodies) / (ended - started):.0f} events/s: p50 {_at(done, 0.5):.2f} s  p95"
            f" {_at(done, 0.95):.2f} s  ({len(done)} of {len(bodies)})"
        )

    # -- steps --------------------------------------------------------------------------------------------------------

    def _client(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def _post(self, connection: http.client.HTTPConnection, body: bytes) -> None:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request("POST", "/api/v1/lineage", body, headers)
        answer = connection.getresponse()
        answer.read()
        if answer.status != 201:
            raise SystemExit(f"an event was not accepted: {answer.status}")

    def _ask(self, connection: http.client.HTTPConnection, path: str) -> Any:
        connection.request("GET", path, headers={"Authorization": f"Bearer {self.token}"})
        answer = connection.getresponse()
        document = json.loads(answer.read())
        if answer.status != 200:
            raise SystemExit(f"a question was not answered: {answer.status} {document}")
        return document

    def _ready(self) -> bool:
        try:
            connection = self._client()
            connection.request("GET", "/readyz")
            return connection.getresponse().status == 200
        except OSError:
            return False

    def _lag(self) -> int:
        return group_lag(self.kafka, self.settings)

    def _drained(self) -> None:
        self._until(lambda: self._lag() == 0, "the fold does not come to an end", None, 600)

    @staticmethod
    def _until(condition: Callable[[], bool], trouble: str, process: Any, seconds: float = 120) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline or (process is not None and process.poll() is not None):
                raise SystemExit(trouble)
            time.sleep(0.1)


def _at(times: Sequence[float], share: float) -> float:
    return sorted(times)[min(len(times) - 1, int(len(times) * share))] if times else float("nan")


def _cpu(pids: Sequence[int]) -> list[float]:
    """Seconds of processor time each has used."""
    times = [psutil.Process(pid).cpu_times() for pid in pids]
    return [each.user + each.system for each in times]


def _listening(*addresses: str) -> list[int]:
    """The processes behind these host:port addresses of this machine."""
    ports = [int(address.rpartition(":")[2]) for address in addresses]
    listening = [each for each in psutil.net_connections("tcp") if each.status == psutil.CONN_LISTEN and each.laddr]
    processes = {each.laddr.port: each.pid for each in listening if each.laddr}
    return [pid for port in ports if (pid := processes.get(port)) is not None]


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=2000)
    parser.add_argument("--datasets", type=int, default=5000)
    parser.add_argument("--columns", type=int, default=80, help="column edges a job")
    parser.add_argument("--bytes", type=int, default=14_000, help="size of an event")
    parser.add_argument("--folds", type=int, default=1, help="folding processes beside each other")
    parser.add_argument("--quick", action="store_true", help="without the latency at a steady rate")
    parser.add_argument("--profile", help="write profiles of API and first fold to FILE.api and FILE.fold0")
    parser.add_argument("--keep", action="store_true", help="leave graph and topic for a look")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
