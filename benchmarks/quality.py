"""Quality over time: how many planted faults are found and what else is reported; how long checks take.

    weir test --bench quality                100 seeds, 1,000 datasets of 20 fields
    weir test --bench quality --small        3 seeds, 100 datasets
    weir test --bench quality --only found   one of: found, datasets, scan, spark

Only spark needs servers: Kafka and Spark of its own, or the stack named by WEIR_TEST_STACK. The record store is SQLite. A seed
is 50 topics with days and weeks, six weeks of them as history; 24 hours are judged, in which 20 faults are planted. See
`tests/quality_world.py`. Times are of the processor.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import psutil

from benchmarks._servers import servers
from benchmarks.scan import NOWHERE, Topics, orders
from benchmarks.scan import scan as read_by_spark
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.store import SqlCatalogStore
from catalog.contracts.service import Contracts
from catalog.datasets.clusters import Clusters
from catalog.datasets.datasets import Datasets
from catalog.datasets.scan_checks import AllChecks
from catalog.model import DatasetId, DatasetScan, FieldProfile, ScanWindow, SchemaVersion
from catalog.ports import ScanChecks
from catalog.quality.layout import layout
from catalog.quality.measuring import measured
from catalog.quality.points import point, same_hours
from catalog.quality.service import Quality
from catalog.quality.usual import DAYS, HOURS, WEEKS
from catalog.quality_store import QualityState, Tier
from catalog.records import ClusterRecord, DeclaredDocument, rfc3339
from scanners.adapters.spark.worker import Task, job_text
from scanners.decode.batch import Batch
from scanners.model import SampleRequest
from scanners.ports import ProfileJob
from scanners.scan.to_schema import schema_of
from scanners.sketch.seal import seal
from scanners.sketch.topic import Sketch
from tests.quality_world import Outcome, run

NOW = datetime(2026, 6, 1, 12, 30, tzinfo=UTC)
NAMESPACE = "kafka://k:9092"
FIELDS, RECORDS = 20, 1000
MOST_S, MOST_SHARE = 20.0, 0.05


class Nothing:
    """Search, which is not measured here."""

    def changed(self, datasets: object) -> None:
        """Nothing."""


@contextmanager
def record_store() -> Iterator[SqlCatalogStore]:
    """An empty one."""
    with tempfile.TemporaryDirectory(prefix="weir-quality-") as folder:
        database = Database(f"sqlite:///{Path(folder) / 'weir'}.db")
        database.migrate()
        store = SqlCatalogStore(database)
        store.put_cluster(ClusterRecord("prod", NAMESPACE, ("k:9092",)))
        yield store
        database.close()


def found(seeds: int) -> bool:
    """All planted faults, and nothing else; True where both hold of every seed."""
    all_seeds, whole, silent = Outcome(), 0, 0
    for seed in range(seeds):
        one = run(seed)
        whole += one.detected == one.planted
        silent += not one.false
        all_seeds.add(one)
        print(f"seed {seed}: {one.detected} of {one.planted}, {sum(one.false.values())} false", flush=True)
    false = sum(all_seeds.false.values())
    print(f"{all_seeds.detected:,} of {all_seeds.planted:,} planted faults found; all 20 of {whole} of {seeds} seeds")
    print(
        f"{false} false alarms in {all_seeds.checks // 2:,} checks that were judged; none in {silent} of {seeds} seeds"
    )
    print(f"scans until it was an anomaly, median: {statistics.median(all_seeds.delays) + 1:.0f}")
    for each in all_seeds.missed:
        print(f"missed: {each}")
    for series, count in all_seeds.false.items():
        print(f"false: {series}, {count} times")
    return false == 0 and all_seeds.detected == all_seeds.planted


def profile(now: datetime, end: int) -> SchemaVersion:
    """A profile as a scan leaves it."""
    fields = tuple(
        FieldProfile(f"value.f{n}", {"string": 0.9, "null": 0.1}, RECORDS, 1.0, 0.1, distinct=40 * n + 2)
        for n in range(FIELDS)
    )
    partition = {"partition": 0, "begin": 0, "end": end, "first": end - RECORDS, "last": end - 1, "read": RECORDS}
    window = ScanWindow((partition,), RECORDS, rfc3339(now - timedelta(hours=1)), rfc3339(now - timedelta(seconds=9)))
    return SchemaVersion({"key": "string", "value": "json"}, fields, window=window)


def with_history(store: SqlCatalogStore, dataset: DatasetId, schema: SchemaVersion) -> None:
    """Hourly points of all the moments that a check looks at."""
    figures_of = measured(schema, 1000.0, 9.0)
    keys = tuple(each.key for each in figures_of)
    placed, nothing = layout(keys), np.zeros(len(keys), np.bool_)
    figures = placed.figures(figures_of)
    weeks, days = same_hours(NOW, WEEKS, DAYS, 0)
    hours = {NOW.replace(minute=0) - timedelta(hours=n) for n in range(1, HOURS + 1)}
    points = [point(Tier.HOUR, at, figures, nothing) for at in sorted({*weeks, *days, *hours})]
    before = NOW - timedelta(hours=1)
    facts = {"reach": {"at": rfc3339(before), "ends": {"0": 9000}, "span": 3600.0}}
    store.put_quality_state(QualityState(dataset, keys, b"", facts, before), points)


def datasets(count: int) -> bool:
    """Every dataset is checked by its last profile: what is usual of it, and a contract that promises all of its fields."""
    with record_store() as store:
        clusters = Clusters(store, lambda: NOW)
        contracts, quality = Contracts(store, lambda: NOW, clusters), Quality(store, lambda: NOW)
        of_datasets = Datasets(store, Nothing(), lambda: NOW - timedelta(hours=1), clusters)
        schema = profile(NOW, 10_000)
        records = []
        for n in range(count):
            id = DatasetId(NAMESPACE, f"topic-{n}")
            of_datasets.record_scan(DatasetScan(id, schema))
            with_history(store, id, schema)
            record = of_datasets.get(id)
            spec = {**contracts.draft(record), "status": "active"}
            store.put_document(DeclaredDocument("Contract", record.reference, {}, spec, NOW))
            contracts.applied(record.reference)
            records.append(record)
        checks = AllChecks(contracts, quality)
        began = time.process_time()
        for record in records:
            with store.transaction():
                checks.scanned(record, schema, None)
        took = time.process_time() - began
    print(f"{count:,} datasets of {FIELDS} fields checked in {took:.1f} s; limit {MOST_S * count / 1000:g} s")
    return took <= MOST_S * count / 1000


def scan(topics: int) -> bool:
    """What checks of quality add to a scan of 1,000 orders of 360 B with detection: decoding, profiles and the record."""
    values = orders(RECORDS)
    before: list[float] = []
    for _ in range(topics + 1):
        began = time.process_time()
        sketch_of(values)
        before.append(time.process_time() - began)
    with record_store() as store:
        added, recorded = _costs(store, topics)
    whole = statistics.median(before) + recorded
    print(
        f"a scan of {RECORDS:,} records takes {whole * 1000:.0f} ms without Spark, quality adds {added * 1000:.1f} ms:",
        end=" ",
    )
    print(f"{added / whole:.1%}; limit {MOST_SHARE:.0%}")
    return bool(added / whole <= MOST_SHARE)


def _costs(store: SqlCatalogStore, topics: int) -> tuple[float, float]:
    """Seconds of the processor that quality adds to recording a scan of orders, and those of recording without it: medians."""
    without: list[float] = []
    more: list[float] = []
    clock = [NOW]
    clusters = Clusters(store, lambda: clock[0])
    quality = Quality(store, lambda: clock[0])
    schema = replace(schema_of(sketch_of(orders(RECORDS)), ScanWindow()), window=profile(NOW, 10_000).window)
    for n in range(topics + 1):
        id = DatasetId(NAMESPACE, f"topic-{n}")
        clock[0] = NOW - timedelta(hours=1)
        Datasets(store, Nothing(), lambda: clock[0], clusters).record_scan(DatasetScan(id, schema))
        with_history(store, id, schema)
        for checks, taken in ((None, without), (quality, more)):
            clock[0] += timedelta(minutes=30)
            taken.append(_recorded(store, clusters, clock, id, schema, checks))
    return statistics.median(more) - statistics.median(without), statistics.median(without)


def on_spark(topics: int) -> bool:
    """The same share of whole scans on Spark: the processor time of all of Spark's processes, and of this one."""
    values = orders(RECORDS)
    with servers(["kafka", "spark"]) as addresses, record_store() as store:
        kafka = Topics(addresses.kafka)
        try:
            names = kafka.make([f"q{number:02}" for number in range(topics)], 1)
            for name in names:
                kafka.fill(name, values, RECORDS, 1)
            read_by_spark(addresses, names, SampleRequest(), True)  # warms it up
            busy = _spark_seconds(addresses.spark)
            read_by_spark(addresses, names, SampleRequest(), True)
            whole = _spark_seconds(addresses.spark) - busy
        finally:
            kafka.remove()
        added, recorded = _costs(store, topics)
    whole += recorded * topics
    share = added * topics / whole
    print(
        f"{topics} topics of {RECORDS:,} records take {whole:.1f} s on Spark, quality adds {added * topics:.2f} s:",
        end=" ",
    )
    print(f"{share:.1%}; limit {MOST_SHARE:.0%}")
    return share <= MOST_SHARE


def _spark_seconds(url: str) -> float:
    """Processor time of the Spark server on this machine that listens at such a `sc://host:port`, its children, and ours."""
    port = int(url.partition("://")[2].partition("/")[0].rpartition(":")[2])
    pids = {
        each.pid
        for each in psutil.net_connections("tcp")
        if each.laddr and each.laddr[1] == port and each.status == "LISTEN"
    }
    server = psutil.Process(pids.pop())
    tree = [server, *server.children(recursive=True), psutil.Process()]
    # Times of children that ended count too, else those of workers that come and go are lost.
    return sum(sum(process.cpu_times()[:4]) for process in tree)


def _recorded(
    store: SqlCatalogStore,
    clusters: Clusters,
    clock: list[datetime],
    id: DatasetId,
    schema: SchemaVersion,
    checks: ScanChecks | None,
) -> float:
    kept = Datasets(store, Nothing(), lambda: clock[0], clusters, None, checks)
    began = time.process_time()
    kept.record_scan(DatasetScan(id, schema))
    return time.process_time() - began


def sketch_of(values: Sequence[bytes]) -> Sketch:
    """As a task of a scan makes it."""
    job = ProfileJob(NOWHERE, (), schemas={}, detect=True, max_bytes=2**50, salt="bench")
    task, count = Task(job_text(job)), len(values)
    batch = Batch(
        keys=[None] * count,
        values=list(values),
        headers=[()] * count,
        partitions=[0] * count,
        offsets=[*range(count)],
        timestamps=[1_700_000_000_000] * count,
    )
    sketches = [*task.add("t", batch), *task.finish()]
    return seal(sketches[0])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run it; 1 when a limit was missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="3 seeds, 100 datasets")
    parser.add_argument("--only", choices=["found", "datasets", "scan", "spark"])
    given = parser.parse_args(arguments)
    works: dict[str, Callable[[], bool]] = {
        "found": lambda: found(3 if given.small else 100),
        "datasets": lambda: datasets(100 if given.small else 1000),
        "scan": lambda: scan(3 if given.small else 20),
        "spark": lambda: on_spark(3 if given.small else 40),
    }
    kept = [work() for name, work in works.items() if given.only in (None, name)]
    return int(not all(kept))


if __name__ == "__main__":
    sys.exit(main())
