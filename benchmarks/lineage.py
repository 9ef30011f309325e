"""How fast lineage is taken in, folded and asked, over HTTP, on real Kafka and Neo4j, over a synthetic layered world.

    weir test --bench lineage                  small (a minute)
    weir test --bench lineage --full           2,000 jobs, 5,000 datasets, 160,000 column edges, events of 14 KB
    weir test --bench lineage --million        8,000 jobs, 1,000,000 column edges: memory and latency

Starts Kafka and Neo4j, or uses those that WEIR_TEST_STACK names (a JSON file, see `benchmarks._servers`), and an API
process of its own; everything it makes has a name of its own and is removed at the end. Times are wall clock, with
clients and servers on the same machine. Each figure is beside its limit; a ratio above 1 misses it.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from confluent_kafka.admin import AdminClient

from benchmarks._lineage_world import NAMESPACE, World, ladder
from benchmarks._servers import servers
from lineage.adapters.kafka.log import KafkaEventLog
from lineage.adapters.kafka.source import KafkaEventSource
from lineage.adapters.neo4j.graph import Neo4jGraph
from lineage.adapters.neo4j.server import connect
from lineage.ingest.service import Ingest
from lineage.settings import KafkaClientSettings, LineageSettings, Neo4jSettings
from lineage.worker.consume import LineageWorker

_ENDS = ((0, "START"), (1, "COMPLETE"))


def main(arguments: Sequence[str]) -> None:
    options = _options(arguments)
    with servers(["kafka", "neo4j"]) as addresses:
        _run(options, addresses)


def _run(options: argparse.Namespace, addresses: Any) -> None:
    mark = uuid.uuid4().hex[:8]
    settings = LineageSettings(
        topic=f"_lineage.bench.{mark}",
        dead_letter_topic=f"_lineage.bench.{mark}.dlq",
        group=f"lineage-bench-{mark}",
        graph_name=f"bench-{mark}",
    )
    kafka = KafkaClientSettings(bootstrap_servers=addresses.kafka)
    neo4j = Neo4jSettings(uri=addresses.neo4j, user=addresses.neo4j_auth[0], password=addresses.neo4j_auth[1])
    driver = connect(neo4j)
    graph = Neo4jGraph(driver, neo4j, settings.graph_name)
    graph.prepare()
    log = KafkaEventLog(kafka, settings)
    log.ensure_topic()
    worker = LineageWorker(KafkaEventSource(kafka, settings), graph, log, settings)
    try:
        with _api(settings, kafka, neo4j) as client:
            _measure(options, settings, graph, log, worker, client)
    finally:
        log.close()
        if not options.keep:
            graph.clear()
            driver.execute_query("MATCH (g:LineageGraph {name: $name}) DELETE g", name=settings.graph_name)
            admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
            topics = [name for name in admin.list_topics(timeout=10).topics if name.startswith(settings.topic)]
            for future in admin.delete_topics(topics).values():
                future.result(10)
        driver.close()


def _measure(
    options: argparse.Namespace,
    settings: LineageSettings,
    graph: Neo4jGraph,
    log: KafkaEventLog,
    worker: LineageWorker,
    client: httpx.Client,
) -> None:
    ingest = Ingest(log, settings)
    ingest.post(World(1, 50, 4, 100).event(0, "START"))
    _drain(worker)  # joining the group takes Kafka some seconds, once
    world = World(options.jobs, options.datasets, options.columns, options.bytes)
    some = [world.event(at, kind, 0, second) for at in range(options.posts // 2) for second, kind in _ENDS]
    size = statistics.mean(len(json.dumps(event)) for event in some[:200])
    count = 2 * options.jobs
    print(f"{count} events of {size / 1000:.1f} KB, {options.jobs} jobs, load {os.getloadavg()[0]:.1f}")
    _accepted(client, some, options.threads)
    for start in range(options.posts // 2, options.jobs, 250):
        jobs = range(start, min(start + 250, options.jobs))
        ingest.post_batch([world.event(at, kind, 0, second) for at in jobs for second, kind in _ENDS])
    _folded("all new", count, worker, 150)
    print(f"{'':28} {_counted(graph)}")
    again = min(options.jobs, 2000)
    _send(ingest, world, again, "RUNNING", 0, 2)
    _folded("first RUNNING of each run", again, worker)
    for turn in range(1, 6):
        _send(ingest, world, again, "RUNNING", 0, 2 + 5 * turn)
    _folded("RUNNING repeats", again * 5, worker, 1000)
    _send(ingest, world, again, "COMPLETE", 1, 0)
    _folded("second runs", again, worker)
    ingest.post_batch(ladder(40))
    _drain(worker)
    _questions(client, world, options.questions)
    print(f"{'resident memory':28} this process (the worker's part) {_resident()} MB")


def _send(ingest: Ingest, world: World, jobs: int, kind: str, run: int, second: float) -> None:
    for start in range(0, jobs, 500):
        ingest.post_batch([world.event(at, kind, run, second) for at in range(start, min(start + 500, jobs))])


def _folded(name: str, count: int, worker: LineageWorker, limit: float | None = None) -> None:
    started, used = time.perf_counter(), time.process_time()
    rate = count / (_drain(worker) - started)
    used = (time.process_time() - used) / count * 1000
    beside = f"  limit {limit:.0f}, ratio {limit / rate:.2f}" if limit else ""
    print(f"{'folded: ' + name:34} {rate:8.0f} events/s{beside}  ({used:.1f} ms of this process's CPU each)")


def _accepted(client: httpx.Client, events: Sequence[dict[str, Any]], threads: int) -> None:
    """Posted over HTTP by so many clients; 201 means durable."""
    bodies = [json.dumps(event).encode() for event in events]
    times: list[float] = []
    lock = threading.Lock()

    def post(body: bytes) -> None:
        started = time.perf_counter()
        client.post("/api/v1/lineage", content=body).raise_for_status()
        with lock:
            times.append((time.perf_counter() - started) * 1000)

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(post, bodies))
    rate = len(bodies) / (time.perf_counter() - started)
    times.sort()
    p95 = times[int(len(times) * 0.95)]
    print(f"{'accepted over HTTP, 8 clients':34} {rate:8.0f} events/s  limit 300, ratio {300 / rate:.2f}")
    print(f"{'':34} p50 {times[len(times) // 2]:.0f} ms, p95 {p95:.0f} ms  limit 200, ratio {p95 / 200:.2f}")


def _questions(client: httpx.Client, world: World, count: int) -> None:
    dice = random.Random(3)
    used = sorted({name for _, inputs, _ in world.jobs for name in inputs})
    datasets = [f"dataset:{NAMESPACE}:{name}" for name in dice.sample(used, min(count, len(used)))]
    known = sorted(
        {(item["name"], item["field"]) for at in range(0, len(world.jobs), 7) for item in _sources(world, at)}
    )
    fields = [f"datasetField:{NAMESPACE}:{n}:value.{f}" for n, f in dice.sample(known, min(count, len(known)))]
    first = f"dataset:{NAMESPACE}:ladder00"

    def impact(node: str, depth: int = 20) -> Callable[[], int]:
        return lambda: len(_ask(client, "impact", nodeId=node, depth=depth)["affected"])

    def near(node: str) -> Callable[[], int]:
        return lambda: len(_ask(client, "lineage", nodeId=node, direction="both", depth=5)["edges"])

    def reach(node: str) -> Callable[[], int]:
        asked = {"from": node, "at": "2026-01-01T00:00:00Z"}
        return lambda: len(_ask(client, "lineage/reach", **asked)["reached"])

    asks: list[tuple[str, float | None, list[Callable[[], int]]]] = [
        ("impact, dataset, depth 20", 150, [impact(node) for node in datasets]),
        ("impact, column, depth 20", 300, [impact(node) for node in fields]),
        ("lineage both, depth 5", None, [near(node) for node in datasets]),
        ("reach, dataset", None, [reach(node) for node in datasets[:20]]),
        ("ladder of 40 diamonds", 1000, [impact(first, 100) for _ in range(6)]),
    ]
    for name, limit, calls in asks:
        times, sizes = [], []
        for call in calls:
            started = time.perf_counter()
            sizes.append(call())
            times.append((time.perf_counter() - started) * 1000)
        warm = sorted(times[1:])
        p95 = warm[int(len(warm) * 0.95)]
        beside = f"  limit {limit:.0f}, ratio {p95 / limit:.2f}" if limit else ""
        print(
            f"{name:28} p50 {statistics.median(warm):6.1f} ms  p95 {p95:6.1f} ms{beside}"
            f"  first {times[0]:.0f} ms  answer {statistics.mean(sizes):.0f} (largest {max(sizes)})"
        )


def _sources(world: World, at: int) -> Iterator[dict[str, str]]:
    for into in world.event(at, "COMPLETE")["outputs"][0]["facets"]["columnLineage"]["fields"].values():
        yield from into["inputFields"]


def _ask(client: httpx.Client, path: str, **asked: Any) -> Any:
    return client.get(f"/api/v1/{path}", params=asked).raise_for_status().json()


@contextmanager
def _api(settings: LineageSettings, kafka: KafkaClientSettings, neo4j: Neo4jSettings) -> Iterator[httpx.Client]:
    """An API process of its own on these servers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as home:
        environment = {
            **os.environ,
            "WEIR_HOME": home,
            "WEIR_API__PORT": str(port),
            "WEIR_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
            "WEIR_NEO4J__URI": neo4j.uri,
            "WEIR_NEO4J__PASSWORD": neo4j.password,
            "WEIR_LINEAGE__TOPIC": settings.topic,
            "WEIR_LINEAGE__GROUP": settings.group,
            "WEIR_LINEAGE__GRAPH_NAME": settings.graph_name,
            "WEIR_POLICIES__AUDIT_HEAD_TOPIC": f"{settings.topic}.head",
        }
        output = Path(home) / "api.log"
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", "api", "server", "api"], env=environment, stdout=stream, stderr=stream
            )
        try:
            base = f"http://127.0.0.1:{port}"
            deadline = time.monotonic() + 60
            while not _answers(f"{base}/healthz"):
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"the API did not start:\n{output.read_text()[-2000:]}")
                time.sleep(0.1)
            token = (Path(home) / "admin.token").read_text().strip()
            with httpx.Client(base_url=base, headers={"Authorization": f"Bearer {token}"}, timeout=60) as client:
                yield client
        finally:
            process.terminate()
            process.wait(20)


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=1).is_success
    except httpx.HTTPError:
        return False


def _counted(graph: Neo4jGraph) -> str:
    counts = graph.counts()
    return f"{counts.datasets} datasets, {counts.columns} columns, edges {dict(counts.edges)}"


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1_000_000


def _drain(worker: LineageWorker) -> float:
    """Fold all there is; gives the moment at which the last of it was done."""
    done = time.perf_counter()
    idle = 0
    while idle < 3:
        if worker.step(timeout=0.3):
            done, idle = time.perf_counter(), 0
        elif worker.lag() == 0:
            break
        else:
            idle += 1
    return done


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true", help="the large world")
    parser.add_argument("--million", action="store_true", help="1,000,000 column edges")
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--datasets", type=int, default=500)
    parser.add_argument("--columns", type=int, default=80, help="column edges a job")
    parser.add_argument("--bytes", type=int, default=14_000, help="size of an event")
    parser.add_argument("--posts", type=int, default=2000, help="events sent over HTTP; the rest goes in batches")
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--keep", action="store_true", help="leave graph and topic for a look")
    options = parser.parse_args(arguments)
    options.posts = min(options.posts, 2 * options.jobs)
    if options.full:
        options.jobs, options.datasets, options.posts = 2000, 5000, 2000
    if options.million:
        options.jobs, options.datasets, options.columns, options.bytes = 8000, 20_000, 126, 20_000
    return options


if __name__ == "__main__":
    main(sys.argv[1:])
