"""A standalone Spark cluster of two workers with a clean Python: scans and queries, and workers that are killed.

The executors have their packages from the archive of `weir cluster pack` alone, see `tests/spark_cluster.py`.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from catalog.errors import Unavailable
from catalog.model import DatasetScan
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark.checkpoints import FileCheckpoints
from scanners.adapters.spark.executor_watch import asked
from scanners.adapters.spark.executors import require_packages
from scanners.adapters.spark.sampler import SparkSampler
from scanners.model import ClusterConnection, SampleRequest, Strategy
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.cluster_world import BASE, json_and_msgpack, packed, packed_cluster, record, send
from tests.conftest import Stack
from tests.effort import pace
from tests.spark_cluster import SparkCluster, spark_cluster
from tests.view_world import ViewWorld, view_world
from tests.waiting import until

pytestmark = [pytest.mark.integration, pytest.mark.own_servers, pytest.mark.timeout(1800)]
RECORDS = 60_000
TOTALS = "SELECT region, count(*) AS n, sum(amount) AS total FROM `{topic}` GROUP BY region ORDER BY region"
QUESTIONS = {
    "mask": ("rep", "SELECT id, mail FROM `{topic}` ORDER BY id LIMIT 50"),
    "row filter": ("eva", "SELECT id, amount, region FROM `{topic}` ORDER BY id LIMIT 50"),
    "aggregate": ("rep", TOTALS),
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("archive") / "environment.tar.gz"
    report = packed(file)
    assert report["bytes"] == file.stat().st_size and report["python"].startswith("cpython-3")
    assert {"orjson", "pyarrow", "spacy"} <= {each.split()[0].lower() for each in report["packages"]}
    return file


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory, archive: Path) -> Iterator[SparkCluster]:
    with packed_cluster(tmp_path_factory.mktemp("cluster"), archive) as running:
        yield running


@pytest.fixture(scope="module")
def topics(stack: Stack) -> Iterator[tuple[str, str]]:
    with json_and_msgpack(stack.kafka) as names:
        send(stack.kafka, names, range(RECORDS))
        yield names


def scans(remote: str, stack: Stack, topics: tuple[str, str], home: Path) -> list[DatasetScan]:
    sampler = SparkSampler(remote, checkpoints=FileCheckpoints(home, "secret"), wave_records=RECORDS // 2)
    at = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka)
    try:
        request = SampleRequest(Strategy.FULL, max_bytes=2**40, max_seconds=3600)
        scanner = Scanner(
            sampler, KafkaOffsets(), HttpSchemaRegistry(), ScannerSettings(), salts=lambda: "same for each"
        )
        return sorted(scanner.scan(at, list(topics), request, resume="here"), key=lambda each: str(each.schema))
    finally:
        sampler.close()


@pytest.fixture(scope="module")
def local(stack: Stack, topics: tuple[str, str], tmp_path_factory: pytest.TempPathFactory) -> list[DatasetScan]:
    """What the Spark of one machine learns of them."""
    return scans(stack.spark, stack, topics, tmp_path_factory.mktemp("local"))


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory, stack: Stack, cluster: SparkCluster, topics: tuple[str, str]
) -> Iterator[ViewWorld]:
    """A Weir whose scans, queries and views are all on the cluster."""
    on_cluster = dataclasses.replace(stack, spark=cluster.remote, query=cluster.remote)
    with view_world(tmp_path_factory.mktemp("world"), on_cluster, batch_records=2_000) as inputs:
        inputs.apply(BASE % inputs.kafka)
        inputs.scan(*topics)
        inputs.run()
        yield inputs


def killed_in_the_middle(cluster: SparkCluster, work: Callable[[], Any], begun: Callable[[], Any]) -> Any:
    """The answer of the work, of which one of two workers was killed once it had begun; there are two again afterwards."""
    until(lambda: len(cluster.executors()) == 2, "two executors", 120, every=0.2)
    with ThreadPoolExecutor(1) as pool:
        answer: Future[Any] = pool.submit(work)
        until(lambda: begun() or answer.done(), "the work", 300, every=0.01)
        assert not answer.done(), "it ended before a worker was killed"
        cluster.kill_worker(1)
        try:
            return answer.result(600)
        finally:
            cluster.start_worker(1)


def equal(answers: list[DatasetScan], expected: list[DatasetScan]) -> None:
    assert [dataclasses.asdict(each) for each in answers] == [dataclasses.asdict(each) for each in expected]
    assert [each.schema.window.records for each in answers] == [RECORDS, RECORDS]


def test_executors_have_the_packages_from_the_archive_alone(cluster: SparkCluster) -> None:
    reports = asked(cluster.remote, 110, imports=True)
    require_packages(reports)
    assert len(reports) == 2


def test_a_scan_gives_what_one_machine_gives(
    cluster: SparkCluster, stack: Stack, topics: tuple[str, str], local: list[DatasetScan], tmp_path: Path
) -> None:
    equal(scans(cluster.remote, stack, topics, tmp_path), local)


def test_a_worker_killed_in_a_scan_costs_no_record(
    cluster: SparkCluster, stack: Stack, topics: tuple[str, str], local: list[DatasetScan], tmp_path: Path
) -> None:
    equal(
        killed_in_the_middle(
            cluster,
            lambda: scans(cluster.remote, stack, topics, tmp_path),
            lambda: list(tmp_path.glob("*.checkpoint")),
        ),
        local,
    )


def answer(world: ViewWorld, topic: str, question: str) -> Any:
    user, sql = QUESTIONS[question]
    given = world.user(user).post("/api/v1/query", json={"sql": sql.format(topic=topic)})
    assert given.status_code == 200, given.text
    return given.json()["rows"]


def expected(question: str) -> list[list[Any]]:
    everything = [record(number) for number in range(RECORDS)]
    if question == "mask":
        return [[each["id"], "xxxx@example.org"] for each in everything[:50]]
    if question == "row filter":
        return [[each["id"], each["amount"], "r1"] for each in everything if each["region"] == "r1"][:50]
    amounts = {
        region: [each["amount"] for each in everything if each["region"] == region] for region in ("r0", "r1", "r2")
    }
    return [[region, len(some), sum(some)] for region, some in amounts.items()]


@pytest.mark.parametrize("question", QUESTIONS)
def test_governed_queries(world: ViewWorld, topics: tuple[str, str], question: str) -> None:
    for topic in topics:
        assert answer(world, topic, question) == expected(question)


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_worker_killed_in_a_query_changes_no_row(
    world: ViewWorld, cluster: SparkCluster, topics: tuple[str, str], question: str
) -> None:
    running = lambda: world.admin.get("/api/v1/queries").json()["queries"]  # noqa: E731
    rows = killed_in_the_middle(cluster, lambda: answer(world, topics[1], question), running)
    assert rows == expected(question)


@pytest.mark.parametrize("master", ["without workers", "away"])
def test_a_master_that_gives_no_executors_is_named_within_a_minute(tmp_path: Path, master: str) -> None:
    with spark_cluster(tmp_path, workers=0) as alone:
        if master == "away":
            alone.kill_master()
        begun = time.monotonic()
        with pytest.raises(Unavailable, match="No executors of Spark"):
            asked(alone.remote, 20)
        assert time.monotonic() - begun < 40 * pace()
