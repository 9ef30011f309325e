"""How fast scans are, beside Spark's own readers in the same run, and how time, memory and sketches grow.

    weir test --bench scan                        everything (some ten minutes)
    weir test --bench scan --only json            one of: json, avro, detect, size, topics

json, avro and detect run on a Spark of their own with one task slot, bound to one core; each pair of figures is taken in
turn, after a round that warms both up, and the middle one of the rounds counts. Records a second are given twice: of
time passed, and of processor time of all of Spark's processes, which other work on the machine changes less. size and
topics run on Kafka and Spark of the machine's all cores, or on the stack named by WEIR_TEST_STACK.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import multiprocessing
import os
import random
import statistics
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from api.demo.generator import topic_plans
from benchmarks._servers import servers
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark import headers_text
from scanners.adapters.spark.sampler import SparkSampler, _connect
from scanners.adapters.spark.worker import COLUMNS, SKETCH_SCHEMA, job_text, profile_batches
from scanners.model import ClusterConnection, RegisteredSchema, SampleRequest, Strategy
from scanners.ports import ProfileJob
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from stack import Instance, StackSettings

ROUNDS = 5
NOWHERE = ClusterConnection("bench", "kafka://bench", "bench")
console = Console(width=150)

# --- records ----------------------------------------------------------------------------------------------------------


def orders(count: int) -> list[bytes]:
    """The demo's orders of as many seeds as are needed."""
    values: list[bytes] = []
    seed = 7
    while len(values) < count:
        (plan,) = (plan for plan in topic_plans(seed) if plan.name == "orders")
        values += [record.value for record in plan.make(random.Random(plan.seed)) if record.value]
        seed += 1
    return values[:count]


def clicks(count: int) -> list[bytes]:
    """Flat records of twelve fields."""
    draw = random.Random(1)
    return [json.dumps(_click(draw, number), separators=(",", ":")).encode() for number in range(count)]


def _click(draw: random.Random, number: int) -> dict[str, Any]:
    return {
        "event_id": str(uuid.UUID(int=draw.getrandbits(128), version=4)),
        "ts": 1_700_000_000_000 + number * 37,
        "user_id": draw.randrange(100_000),
        "session": f"s{draw.getrandbits(32):08x}",
        "page": f"/p/{draw.randrange(5000)}",
        "action": draw.choice(["view", "click", "scroll"]),
        "x": draw.randrange(1900),
        "y": draw.randrange(1080),
        "dwell": round(draw.random() * 60, 3),
        "referrer": draw.choice([None, "https://www.example.com/a", "https://news.example.org/x"]),
        "bot": draw.random() < 0.02,
        "lang": draw.choice(["en", "de", "fr"]),
    }


def webhooks(count: int) -> list[bytes]:
    """GitHub's example deliveries when the shared data is there, else nothing."""
    folder = Path(os.environ.get("WEIR_SHARED_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    file = folder / "github-webhooks.jsonl.gz"
    if not file.exists():
        return []
    rows = [line.strip() for line in gzip.decompress(file.read_bytes()).splitlines()]
    return [rows[number % len(rows)] for number in range(count)]


KINDS: dict[str, tuple[Callable[[int], list[bytes]], int]] = {
    "orders, nested, 360 B": (orders, 100_000),
    "clicks, flat, 230 B": (clicks, 100_000),
    "webhooks, deep, 10 KB": (webhooks, 6_000),
}

AVRO = {
    "type": "record",
    "name": "Click",
    "fields": [
        {"name": "event_id", "type": "string"},
        {"name": "ts", "type": "long"},
        {"name": "user_id", "type": "int"},
        {"name": "session", "type": "string"},
        {"name": "page", "type": "string"},
        {"name": "action", "type": "string"},
        {"name": "x", "type": "int"},
        {"name": "y", "type": "int"},
        {"name": "dwell", "type": "double"},
        {"name": "referrer", "type": ["null", "string"]},
        {"name": "bot", "type": "boolean"},
        {"name": "lang", "type": "string"},
    ],
}

# --- one core ---------------------------------------------------------------------------------------------------------


class OneCore:
    """A Spark with one task slot whose processes all run on one core."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._instance = Instance(folder / "home", StackSettings(spark_cores="1", spark_port=0, spark_memory="1g"))

    def __enter__(self) -> OneCore:
        cores = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {min(cores)})
        try:
            self._instance.up(detach=True, only=["spark"])
        finally:
            os.sched_setaffinity(0, cores)
        self.spark = _connect(self._instance.addresses().spark)
        self._pid = next(row["pid"] for row in self._instance.status() if row["name"] == "spark")
        return self

    def __exit__(self, *_: object) -> None:
        self.spark.stop()
        self._instance.down()

    def processor_seconds(self) -> float:
        server = psutil.Process(self._pid)
        return sum(sum(p.cpu_times()[:2]) for p in [server, *server.children(recursive=True)])

    def records(self, source: Any) -> Any:
        """Records as a scan gets them, of a frame with the column `value`."""
        return (
            source.selectExpr(
                "'t' topic",
                "0 partition",
                "monotonically_increasing_id() offset",
                "1700000000000L timestamp",
                "CAST(NULL AS BINARY) key",
                "CAST(value AS BINARY) value",
                "CAST(NULL AS ARRAY<STRUCT<key: STRING, value: BINARY>>) headers",
            )
            .selectExpr(*COLUMNS[:-1], headers_text.SQL)
            .coalesce(1)
        )

    def profile(self, source: Any, detect: bool = False, schemas: dict[int, RegisteredSchema] | None = None) -> None:
        job = ProfileJob(NOWHERE, (), schemas=schemas or {}, detect=detect, max_bytes=2**50, salt="bench")
        self.records(source).mapInArrow(profile_batches(job_text(job)), SKETCH_SCHEMA).toArrow()

    def race(self, count: int, one: Callable[[], Any], other: Callable[[], Any]) -> list[tuple[float, float]]:
        """Records a second of both: [(of time passed), (of processor time)], the middle of the rounds."""
        taken: list[tuple[float, float, float, float]] = []
        for _ in range(ROUNDS + 1):
            row: list[float] = []
            for run in (one, other):
                begun, busy = time.monotonic(), self.processor_seconds()
                run()
                row += [time.monotonic() - begun, self.processor_seconds() - busy]
            taken.append((row[0], row[1], row[2], row[3]))
        middle = [count / statistics.median(column) for column in list(zip(*taken[1:], strict=True))]
        return [(middle[0], middle[2]), (middle[1], middle[3])]


def show(table: Table, name: str, raced: list[tuple[float, float]], limit: str) -> None:
    (passed, ours), (busy, ours_busy) = raced
    table.add_row(
        name,
        f"{passed:,.0f}/s",
        f"{ours:,.0f}/s",
        f"{ours / passed:.2f}",
        f"{busy:,.0f}/s",
        f"{ours_busy:,.0f}/s",
        f"{ours_busy / busy:.2f}",
        limit,
    )


def head(name: str, theirs: str, ours: str) -> Table:
    return Table(name, theirs, ours, "ratio", f"{theirs}, CPU", f"{ours}, CPU", "ratio, CPU", "limit", box=None)


def bench_json(core: OneCore, folder: Path) -> None:
    table = head("JSON", "spark.read.json", "decode + infer")
    for name, (make, count) in KINDS.items():
        rows = make(count)
        if not rows:
            continue
        file = folder / f"{make.__name__}.jsonl"
        file.write_bytes(b"\n".join(rows) + b"\n")

        def theirs(file: Path = file) -> Any:
            return core.spark.read.json(str(file))

        def ours(file: Path = file) -> None:
            core.profile(core.spark.read.text(str(file)))

        show(table, f"{name}: schema alone", core.race(len(rows), lambda: theirs().schema, ours), "")
        read = core.race(len(rows), lambda: theirs().write.format("noop").mode("overwrite").save(), ours)
        show(table, f"{name}: schema, then rows", read, "0.8")
    console.print(table)


def bench_avro(core: OneCore, folder: Path) -> None:
    import fastavro
    import pyarrow
    import pyarrow.parquet
    from pyspark.sql.connect.avro.functions import from_avro

    draw, count = random.Random(1), 100_000
    bodies = []
    for number in range(count):
        out = io.BytesIO()
        fastavro.schemaless_writer(out, AVRO, _click(draw, number))
        bodies.append(out.getvalue())
    wire = [b"\x00\x00\x00\x00\x07" + body for body in bodies]
    pyarrow.parquet.write_table(pyarrow.table({"body": bodies, "value": wire}), folder / "avro.parquet")
    frame = core.spark.read.parquet(str(folder / "avro.parquet"))
    schemas = {7: RegisteredSchema(7, "AVRO", json.dumps(AVRO))}
    read = frame.select(from_avro("body", json.dumps(AVRO)).alias("r")).select("r.*")
    raced = core.race(
        count,
        lambda: read.write.format("noop").mode("overwrite").save(),
        lambda: core.profile(frame, schemas=schemas),
    )
    table = head("Avro", "from_avro", "decode + infer")
    show(table, "clicks, 12 fields", raced, "0.5")
    console.print(table)


def bench_detect(core: OneCore, folder: Path) -> None:
    table = head("personal data", "not looked for", "looked for")
    for name, (make, count) in KINDS.items():
        rows = make(count // 2)
        if not rows:
            continue
        file = folder / f"{make.__name__}-detect.jsonl"
        file.write_bytes(b"\n".join(rows) + b"\n")
        raced = core.race(
            len(rows),
            lambda file=file: core.profile(core.spark.read.text(str(file))),  # type: ignore[misc]
            lambda file=file: core.profile(core.spark.read.text(str(file)), detect=True),  # type: ignore[misc]
        )
        show(table, name, raced, "0.5")
    console.print(table)


# --- whole scans ------------------------------------------------------------------------------------------------------


class Memory:
    """The most memory this process has while the block runs, in bytes."""

    def __enter__(self) -> Memory:
        self.most = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        me = psutil.Process()
        while not self._over.wait(0.02):
            self.most = max(self.most, me.memory_info().rss)

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()


class Counting(SparkSampler):
    """Notes the largest sketch that came."""

    largest = 0

    def profile(self, job: ProfileJob, cancelled: Callable[[], bool]) -> Iterator[tuple[str, bytes]]:
        for topic, sketch in super().profile(job, cancelled):
            self.largest = max(self.largest, len(sketch))
            yield topic, sketch


def _fill(kafka: str, topic: str, rows: list[bytes], count: int, partitions: int) -> None:
    Topics(kafka).fill(topic, rows, count, partitions)


class Topics:
    """Topics of our own on the broker, removed at the end."""

    def __init__(self, kafka: str) -> None:
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient

        self.kafka = kafka
        self.admin = AdminClient({"bootstrap.servers": kafka})
        self.producer = Producer({"bootstrap.servers": kafka, "linger.ms": 20, "queue.buffering.max.messages": 50_000})
        self.prefix = f"bench-{uuid.uuid4().hex[:8]}-"
        self.made: list[str] = []

    def make(self, names: list[str], partitions: int) -> list[str]:
        from confluent_kafka.admin import NewTopic

        full = [self.prefix + name for name in names]
        for future in self.admin.create_topics([NewTopic(name, partitions, 1) for name in full]).values():
            future.result(60)
        self.made += full
        return full

    def fill(self, topic: str, rows: list[bytes], count: int, partitions: int) -> None:
        for number in range(count):
            while True:
                try:
                    self.producer.produce(topic, rows[number % len(rows)], partition=number % partitions)
                    break
                except BufferError:
                    self.producer.poll(0.1)
        self.producer.flush(300)

    def fill_elsewhere(self, topic: str, rows: list[bytes], count: int, partitions: int) -> None:
        """Fill from another process: a million records that wait for Kafka are not memory of the scan's."""
        child = multiprocessing.get_context("spawn").Process(
            target=_fill, args=(self.kafka, topic, rows, count, partitions)
        )
        child.start()
        child.join()
        if child.exitcode:
            raise SystemExit("the records could not be sent")

    def remove(self) -> None:
        for gone in self.admin.delete_topics(self.made).values() if self.made else ():
            gone.result(60)


def scan(addresses: Any, names: list[str], request: SampleRequest, detect: bool) -> dict[str, float]:
    cluster = ClusterConnection("bench", f"kafka://{addresses.kafka}", addresses.kafka)
    sampler = Counting(addresses.spark)
    scanner = Scanner(sampler, KafkaOffsets(), HttpSchemaRegistry(), ScannerSettings(detect=detect))
    begun = time.monotonic()
    with Memory() as memory:
        results = list(scanner.scan(cluster, names, request))
    took = time.monotonic() - begun
    sampler.close()
    records = sum(result.schema.window.records for result in results)
    return {
        "seconds": took,
        "records": records,
        "memory": memory.most,
        "sketch": sampler.largest,
        "topics": len(results),
    }


def bench_size(addresses: Any) -> None:
    topics = Topics(addresses.kafka)
    table = Table("records of 12 partitions, in full", "time", "records/s", "driver's memory", "sketch", box=None)
    try:
        rows = orders(20_000)
        (warm,) = topics.make(["warm"], 1)
        topics.fill(warm, rows, 1000, 1)
        scan(addresses, [warm], SampleRequest(), True)
        for count in (10_000, 100_000, 1_000_000):
            (name,) = topics.make([f"size-{count}"], 12)
            topics.fill_elsewhere(name, rows, count, 12)
            got = scan(addresses, [name], SampleRequest(Strategy.FULL, max_bytes=2**40, max_seconds=3600), True)
            assert got["records"] == count, got
            table.add_row(
                f"{count:,}",
                f"{got['seconds']:.1f} s",
                f"{count / got['seconds']:,.0f}",
                f"{got['memory'] / 1e6:.0f} MB",
                f"{got['sketch'] / 1e3:.1f} KB",
            )
    finally:
        topics.remove()
    console.print(table)


def bench_topics(addresses: Any) -> None:
    topics = Topics(addresses.kafka)
    try:
        rows = orders(3000)
        names = topics.make([f"t{number:03}" for number in range(200)], 1)
        for name in names:
            topics.fill(name, rows, 3000, 1)
        got = scan(addresses, names, SampleRequest(max_records=1000), True)
    finally:
        topics.remove()
    table = Table("topics", "records", "time", "limit", box=None)
    table.add_row(f"{got['topics']:.0f}", f"{got['records']:,.0f}", f"{got['seconds']:.0f} s", "240 s")
    console.print(table)


ONE_CORE = {"json": bench_json, "avro": bench_avro, "detect": bench_detect}
WHOLE = {"size": bench_size, "topics": bench_topics}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=[*ONE_CORE, *WHOLE], action="append")
    chosen = parser.parse_args().only or [*ONE_CORE, *WHOLE]
    with tempfile.TemporaryDirectory(prefix="weir-bench-") as text:
        folder = Path(text)
        if any(name in ONE_CORE for name in chosen):
            with OneCore(folder) as core:
                for name in chosen:
                    if name in ONE_CORE:
                        ONE_CORE[name](core, folder)
        if any(name in WHOLE for name in chosen):
            with servers(["kafka", "spark"]) as addresses:
                for name in chosen:
                    if name in WHOLE:
                        WHOLE[name](addresses)
    return 0


if __name__ == "__main__":
    sys.exit(main())
