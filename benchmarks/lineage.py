"""How fast lineage is taken in, folded and asked, on real Kafka and Neo4j, over a synthetic layered world.

    python -m benchmarks.lineage                  small (a minute)
    python -m benchmarks.lineage --full           2,000 jobs, 5,000 datasets, 160,000 column edges, 14 KB events

The servers are those of `WEIR_TEST_STACK` (a JSON file: kafka, neo4j, neo4j_auth). Everything it makes has a name of
its own and is removed at the end. Times are wall clock of this process with the servers on the same machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from confluent_kafka.admin import AdminClient

from lineage.adapters.kafka_events import KafkaEventLog, KafkaEventSource
from lineage.adapters.neo4j_graph import Neo4jGraph, connect
from lineage.consume import LineageWorker
from lineage.ingest import Ingest
from lineage.model import rfc3339
from lineage.queries import Lineage
from lineage.settings import KafkaClientSettings, LineageSettings, Neo4jSettings

NAMESPACE = "kafka://bench:9092"
START = 1_767_225_600_000


class World:
    """Jobs in layers; each reads two or three datasets of the layer above and writes one, with column lineage."""

    def __init__(self, jobs: int, datasets: int, columns: int, padding: int, layers: int = 12) -> None:
        self.dice = random.Random(7)
        self.columns, self.padding = columns, padding
        per_layer = max(3, datasets // (layers + 1))
        self.layers = [[f"d{layer:02}_{at:04}" for at in range(per_layer)] for layer in range(layers + 1)]
        self.jobs = []
        for at in range(jobs):
            layer = at % layers
            inputs = self.dice.sample(self.layers[layer], self.dice.choice([2, 3]))
            self.jobs.append((f"job{at:05}", inputs, self.layers[layer + 1][(at // layers) % per_layer]))

    def event(self, at: int, kind: str, run: int = 0, seconds: float = 0.0) -> dict[str, Any]:
        """An event of job `at`, with column lineage on all but START."""
        name, inputs, output = self.jobs[at]
        dice = random.Random(at)
        fields = {
            f"c{column}": {
                "inputFields": [
                    {"namespace": NAMESPACE, "name": source, "field": f"c{dice.randrange(self.columns // 2)}",
                     "transformations": [{"type": "DIRECT", "subtype": "IDENTITY", "masking": column % 7 == 0}]}
                    for source in dice.sample(inputs, 2)
                ]
            }
            for column in range(self.columns // 2)
        }  # fmt: skip
        facets: dict[str, Any] = {} if kind == "START" else {"columnLineage": {"fields": fields, "dataset": []}}
        event = {
            "eventType": kind,
            "eventTime": rfc3339(START + int((at + seconds + run * 10_000) * 1000)),
            "producer": "https://example.com/bench",
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": str(uuid.UUID(int=at * 1000 + run)), "facets": {}},
            "job": {"namespace": "bench", "name": name, "facets": {"jobType": {"processingType": "BATCH"}}},
            "inputs": [{"namespace": NAMESPACE, "name": source} for source in inputs],
            "outputs": [{"namespace": NAMESPACE, "name": output, "facets": facets}],
        }
        short = self.padding - len(json.dumps(event))
        if short > 0:
            event["run"]["facets"]["spark.logicalPlan"] = {"plan": "x " * (short // 2)}  # type: ignore[index]
        return event


def main(arguments: Sequence[str]) -> None:
    options = _options(arguments)
    servers = json.loads(Path(os.environ["WEIR_TEST_STACK"]).read_text())
    mark = uuid.uuid4().hex[:8]
    settings = LineageSettings(
        topic=f"_lineage.bench.{mark}", dead_letter_topic=f"_lineage.bench.{mark}.dlq",
        group=f"lineage-bench-{mark}", graph_name=f"bench-{mark}",
    )  # fmt: skip
    kafka = KafkaClientSettings(bootstrap_servers=servers["kafka"])
    neo4j = Neo4jSettings(uri=servers["neo4j"], user=servers["neo4j_auth"][0], password=servers["neo4j_auth"][1])
    driver = connect(neo4j)
    graph = Neo4jGraph(driver, neo4j, settings.graph_name)
    graph.prepare()
    log = KafkaEventLog(kafka, settings)
    log.ensure_topic()
    worker = LineageWorker(KafkaEventSource(kafka, settings), graph, log, settings)
    try:
        _measure(options, settings, graph, log, worker)
    finally:
        log.close()
        if not options.keep:
            graph.clear()
            driver.execute_query("MATCH (g:LineageGraph {name: $name}) DELETE g", name=settings.graph_name)
            admin = AdminClient({"bootstrap.servers": kafka.bootstrap_servers})
            for future in admin.delete_topics([settings.topic]).values():
                future.result(10)
        driver.close()


def _measure(
    options: argparse.Namespace, settings: LineageSettings, graph: Neo4jGraph, log: KafkaEventLog, worker: LineageWorker
) -> None:
    Ingest(log, settings).post(World(1, 50, 4, 100).event(0, "START"))
    _drain(worker)  # joining the group takes Kafka some seconds, once
    world = World(options.jobs, options.datasets, options.columns, options.bytes)
    ingest = Ingest(log, settings)
    events = [
        world.event(at, kind, 0, second)
        for at in range(options.jobs)
        for second, kind in ((0, "START"), (1, "COMPLETE"))
    ]
    size = statistics.mean(len(json.dumps(event)) for event in events[:200])
    print(f"{len(events)} events of {size / 1000:.1f} KB, {options.jobs} jobs, {options.threads} threads")

    _report_rate("accepted (durable)", *_timed_posts(ingest, events, options.threads))
    started = time.perf_counter()
    seconds = _drain(worker) - started
    print(f"{'folded into Neo4j':28} {len(events) / seconds:8.0f} events/s  in {worker.state.batches - 1} batches")
    counts = graph.counts()
    print(f"{'graph':28} {counts.datasets} datasets, {counts.columns} columns, edges {dict(counts.edges)}")

    repeats = [world.event(at % options.jobs, "RUNNING", 0, 2 + at / 10_000) for at in range(options.repeats)]
    ingest.post_batch(repeats)
    started = time.perf_counter()
    print(f"{'RUNNING repeats folded':28} {len(repeats) / (_drain(worker) - started):8.0f} events/s")
    again = [world.event(at, "COMPLETE", 1) for at in range(options.jobs)]
    ingest.post_batch(again)
    started = time.perf_counter()
    print(f"{'second runs folded':28} {len(again) / (_drain(worker) - started):8.0f} events/s")
    _ladder(ingest, 40)
    _drain(worker)
    _questions(Lineage(graph, settings=settings), world, options.questions)


def _questions(lineage: Lineage, world: World, count: int) -> None:
    dice = random.Random(11)
    used = sorted(
        {source for _, inputs, _ in world.jobs for source in inputs if source.startswith(("d00", "d01", "d02"))}
    )
    datasets = [f"dataset:{NAMESPACE}:{dice.choice(used)}" for _ in range(count)]
    known = sorted(
        {
            (source["name"], source["field"])
            for at in range(len(world.jobs))
            for source in _sources(world.event(at, "COMPLETE"))
        }
        & {(name, f"c{column}") for name in used for column in range(world.columns)}
    )
    fields = [
        f"datasetField:{NAMESPACE}:{name}:value.{field}" for name, field in dice.sample(known, min(count, len(known)))
    ]
    first = f"dataset:{NAMESPACE}:ladder00"
    asks: dict[str, list[Callable[[], int]]] = {
        "impact, dataset, depth 20": [lambda n=n: len(lineage.impact(n, 20).affected) for n in datasets],  # type: ignore[misc]
        "impact, column, depth 20": [lambda n=n: len(lineage.impact(n, 20).affected) for n in fields],  # type: ignore[misc]
        "lineage both, depth 5": [lambda n=n: len(lineage.lineage(n, "both", 5).edges) for n in datasets],  # type: ignore[misc]
        "ladder of 40 diamonds": [lambda: len(lineage.impact(first, 100).affected) for _ in range(5)],
    }
    for name, calls in asks.items():
        times, sizes = [], []
        for call in calls:
            started = time.perf_counter()
            try:
                sizes.append(call())
            except Exception as error:
                print(f"  {name}: {error}")
                continue
            times.append((time.perf_counter() - started) * 1000)
        if times:
            cold, warm = times[0], sorted(times[1:]) or times
            print(
                f"{name:28} p50 {statistics.median(warm):6.1f} ms  p95 {warm[int(len(warm) * 0.95)]:6.1f} ms"
                f"  first {cold:6.0f} ms  answer {statistics.mean(sizes):.0f} (largest {max(sizes)})"
            )


def _sources(event: dict[str, Any]) -> Iterator[dict[str, str]]:
    for into in event["outputs"][0]["facets"]["columnLineage"]["fields"].values():
        yield from into["inputFields"]


def _ladder(ingest: Ingest, rungs: int) -> None:
    """Diamonds in a row: 2^rungs paths, 3 x rungs nodes."""

    def event(source: str, targets: list[str]) -> dict[str, Any]:
        return {
            "eventType": "COMPLETE", "eventTime": rfc3339(START), "producer": "x", "schemaURL": "x",
            "run": {"runId": uuid.uuid4().hex}, "job": {"namespace": "bench", "name": f"ladder {source}"},
            "inputs": [{"namespace": NAMESPACE, "name": source}],
            "outputs": [{"namespace": NAMESPACE, "name": name} for name in targets],
        }  # fmt: skip

    raw = []
    for at in range(rungs):
        raw.append(event(f"ladder{at:02}", [f"left{at:02}", f"right{at:02}"]))
        raw += [event(f"{side}{at:02}", [f"ladder{at + 1:02}"]) for side in ("left", "right")]
    ingest.post_batch(raw)


def _timed_posts(ingest: Ingest, events: list[dict[str, Any]], threads: int) -> tuple[int, float, list[float]]:
    times: list[float] = []
    lock = threading.Lock()

    def post(event: dict[str, Any]) -> None:
        started = time.perf_counter()
        ingest.post(event)
        with lock:
            times.append((time.perf_counter() - started) * 1000)

    started = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(post, events))
    return len(events), time.perf_counter() - started, times


def _report_rate(name: str, count: int, seconds: float, times: list[float]) -> None:
    times.sort()
    print(
        f"{name:28} {count / seconds:8.0f} events/s  p50 {times[len(times) // 2]:.1f}  p95 {times[int(len(times) * 0.95)]:.1f} ms"
    )


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
    parser.add_argument("--jobs", type=int, default=200)
    parser.add_argument("--datasets", type=int, default=500)
    parser.add_argument("--columns", type=int, default=80, help="column edges a job")
    parser.add_argument("--bytes", type=int, default=14_000, help="size of an event")
    parser.add_argument("--repeats", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=8)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--keep", action="store_true", help="leave graph and topic for a look")
    options = parser.parse_args(arguments)
    if options.full:
        options.jobs, options.datasets = 2000, 5000
    return options


if __name__ == "__main__":
    main(sys.argv[1:])
