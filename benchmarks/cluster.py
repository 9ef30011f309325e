"""A scan on a standalone Spark cluster of two workers of one core, against the same scan on one core. Their results must be equal.

    weir test --bench cluster                      1,000,000 records, three rounds
    weir test --bench cluster --records 100000 --rounds 1

Both clusters have executors with the archive of `weir cluster pack` alone, and run one after the other, in turn. Of the smaller
one all processes, its server included, are bound to one core. Processor seconds are of all processes of a cluster; on a machine
whose cores other work uses too, look at `share`: the processor seconds that a cluster got for each second that passed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from rich.console import Console
from rich.table import Table

from benchmarks._servers import servers
from benchmarks.scan import Topics, clicks
from catalog.model import DatasetScan
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark.executor_archive import pack
from scanners.adapters.spark.executor_watch import asked
from scanners.adapters.spark.sampler import SparkSampler
from scanners.model import ClusterConnection, SampleRequest, Strategy
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.spark_cluster import SparkCluster, spark_cluster

PARTITIONS = 8
console = Console(width=150)


@dataclass(frozen=True)
class Run:
    """What a scan took, and what it learned."""

    seconds: float
    busy: float
    results: list[dict[str, Any]]


def processor_seconds(cluster: SparkCluster) -> float:
    """Of all living processes of a cluster, and of those that they have waited for."""
    total = 0.0
    for root in cluster.processes():
        for each in (root, *root.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                total += sum(each.cpu_times()[:4])
    return total


def scanned(cluster: SparkCluster, kafka: str, topic: str) -> Run:
    sampler = SparkSampler(cluster.remote, executor_seconds=600)  # both have executors; a busy machine is slow
    at = ClusterConnection("bench", f"kafka://{kafka}", kafka)
    scanner = Scanner(sampler, KafkaOffsets(), HttpSchemaRegistry(), ScannerSettings(), salts=lambda: "same for each")
    begun, busy = time.monotonic(), processor_seconds(cluster)
    try:
        request = SampleRequest(Strategy.FULL, max_bytes=2**40, max_seconds=3600)
        results: list[DatasetScan] = list(scanner.scan(at, [topic], request))
        taken = time.monotonic() - begun, processor_seconds(cluster) - busy
    finally:
        sampler.close()
    return Run(*taken, [dataclasses.asdict(each) for each in results])


def differences(one: Any, other: Any, path: str = "") -> Iterator[str]:
    """Where two results differ, with what both have."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for name in one:
            yield from differences(one[name], other[name], f"{path}.{name}")
    elif isinstance(one, list | tuple) and isinstance(other, list | tuple) and len(one) == len(other):
        for number, (here, there) in enumerate(zip(one, other, strict=True)):
            yield from differences(here, there, f"{path}[{number}]")
    elif one != other:
        yield f"{path}: {str(one)[:100]} / {str(other)[:100]}"


@contextmanager
def cores(numbers: set[int]) -> Iterator[None]:
    """What is started meanwhile runs on these cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, numbers)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def clusters(folder: Path, closed: ExitStack) -> list[SparkCluster]:
    """One worker on one core, and two workers, with their executors ready."""
    archive = folder / "environment.tar.gz"
    pack(archive)
    properties = {
        "spark.archives": f"{archive}#environment",
        "spark.sql.execution.pyspark.python": "../environment/bin/python",
    }
    both: list[SparkCluster] = []
    for workers, numbers in ((1, {min(os.sched_getaffinity(0))}), (2, os.sched_getaffinity(0))):
        place = folder / f"workers{workers}"
        place.mkdir()
        with cores(numbers):
            both.append(closed.enter_context(spark_cluster(place, workers=workers, properties=properties)))
        asked(both[-1].remote, 600)
    return both


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="weir-bench-cluster-") as folder,
        servers(["kafka"]) as addresses,
        ExitStack() as closed,
    ):
        topics = Topics(addresses.kafka)
        closed.callback(topics.remove)
        rows = clicks(50_000)
        warm, topic = topics.make(["warm", "records"], PARTITIONS)
        topics.fill(warm, rows, min(50_000, options.records), PARTITIONS)
        topics.fill_elsewhere(topic, rows, options.records, PARTITIONS)
        both = clusters(Path(folder), closed)
        for cluster in both:
            scanned(cluster, addresses.kafka, warm)
        rounds = [[scanned(cluster, addresses.kafka, topic) for cluster in both] for _ in range(options.rounds)]
    return _report(options.records, rounds)


def _report(records: int, rounds: Sequence[Sequence[Run]]) -> int:
    table = Table("cluster", "seconds", "processor seconds", "share", "records/s, middle", box=None)
    for number, name in enumerate(("one core", "two workers")):
        runs = [each[number] for each in rounds]
        table.add_row(
            name,
            ", ".join(f"{run.seconds:.1f}" for run in runs),
            ", ".join(f"{run.busy:.1f}" for run in runs),
            ", ".join(f"{run.busy / run.seconds:.2f}" for run in runs),
            f"{records / statistics.median(run.seconds for run in runs):,.0f}",
        )
    console.print(table)
    ratios = [one.seconds / two.seconds for one, two in rounds]
    equal = all(run.results == rounds[0][0].results for both in rounds for run in both)
    for path in sorted(
        {path for both in rounds for run in both for path in differences(rounds[0][0].results, run.results)}
    ):
        console.print(f"Differs: {path}", highlight=False, markup=False)
    read = rounds[0][0].results[0]["schema"]["window"]["records"]
    console.print(f"Ratios: {', '.join(f'{ratio:.2f}' for ratio in ratios)}; middle {statistics.median(ratios):.2f}.")
    console.print(f"{read:,} records in each result; the results are {'equal' if equal else 'NOT equal'}.")
    console.print(f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.")
    return 0 if equal and read == records else 1


if __name__ == "__main__":
    sys.exit(main())
