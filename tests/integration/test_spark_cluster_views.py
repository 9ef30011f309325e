"""Stream views on a standalone Spark cluster: a worker is killed, the Connect server is started again, and no row differs.

The executors see the store of checkpoints, and nothing else of Weir: see `tests/spark_cluster.py`.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cluster_world import BASE, json_and_msgpack, packed, packed_cluster, record, send
from tests.conftest import ROOT, Stack
from tests.spark_cluster import SparkCluster
from tests.view_world import ViewWorld, view_world
from tests.waiting import until

pytestmark = [pytest.mark.integration, pytest.mark.own_servers, pytest.mark.tail, pytest.mark.timeout(1800)]
STEP = 20_000
BATCH = 2_000
TOTALS = "SELECT region, count(*) AS n, sum(amount) AS total FROM `{topic}` GROUP BY region ORDER BY region"
VIEWS = """
apiVersion: weir/v1
kind: View
metadata: {name: totals}
spec:
  sql: SELECT region, count(*) AS n, sum(amount) AS total FROM `%(msgpack)s` GROUP BY region
  runAs: {user: rep}
---
apiVersion: weir/v1
kind: View
metadata: {name: large}
spec:
  sql: SELECT id, mail, amount FROM `%(json)s` WHERE amount >= 90
  runAs: {user: rep}
  key: [id]
  sink: {cluster: prod, topic: %(json)s-large}
"""


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkCluster]:
    archive = tmp_path_factory.mktemp("archive") / "environment.tar.gz"
    packed(archive)
    with packed_cluster(tmp_path_factory.mktemp("cluster"), archive) as running:
        yield running


@pytest.fixture(scope="module")
def topics(stack: Stack) -> Iterator[tuple[str, str]]:
    with json_and_msgpack(stack.kafka) as names:
        yield names


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all nodes see."""
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def world(
    tmp_path_factory: pytest.TempPathFactory, stack: Stack, cluster: SparkCluster, store: Path
) -> Iterator[ViewWorld]:
    on_cluster = dataclasses.replace(stack, spark=cluster.remote, query=cluster.remote)
    folder = tmp_path_factory.mktemp("world")
    with view_world(folder, on_cluster, batch_records=BATCH, checkpoints=f"file://{store}") as inputs:
        inputs.apply(BASE % inputs.kafka)
        inputs.run()
        yield inputs


def rows(world: ViewWorld, name: str) -> list[list[Any]]:
    given = world.user("rep").get(f"/api/v1/views/{name}/rows", params={"limit": 1000})
    assert given.status_code == 200, given.text
    return sorted(given.json()["rows"])


def wait(world: ViewWorld, records: int) -> None:
    """Until both views have everything, each in its first generation: what follows was not begun again."""
    for name in ("totals", "large"):
        shown = world.current(name, records)
        assert shown["generation"] == 1, shown


def right(world: ViewWorld, topics: tuple[str, str], records: int) -> None:
    """Rows, and what the topic of the view has, are those of the records: each counted once."""
    everything = [record(number) for number in range(records)]
    amounts = {
        region: [each["amount"] for each in everything if each["region"] == region] for region in ("r0", "r1", "r2")
    }
    assert rows(world, "totals") == [[region, len(some), sum(some)] for region, some in amounts.items()]
    large = {each["id"]: each["amount"] for each in everything if each["amount"] >= 90}
    assert world.view("large")["rows"] == len(large)
    values = [json.loads(value or b"{}") for _, value, _ in world.records(f"{topics[0]}-large")]
    assert {each["id"]: each["amount"] for each in values} == large
    assert {each["mail"] for each in values} == {"xxxx@example.org"}


def finished(store: Path, name: str) -> set[int]:
    """The numbers of the batches that ended, by the view's checkpoint."""
    folders = store.glob(f"{name}/*/**/commits")
    return {int(each.name) for folder in folders for each in folder.iterdir() if each.name.isdigit()}


def lag(world: ViewWorld, name: str) -> int:
    return int(world.view(name)["lag"]["records"] or 0)


def ask(world: ViewWorld, topic: str) -> tuple[int, Any]:
    given = world.user("rep").post("/api/v1/query", json={"sql": TOTALS.format(topic=topic)})
    return given.status_code, given.json()


@pytest.fixture(scope="module")
def running(world: ViewWorld, topics: tuple[str, str]) -> tuple[str, str]:
    """The topics, over which both views run."""
    send(world.kafka, topics, range(STEP))
    world.scan(*topics)
    world.apply(VIEWS % {"json": topics[0], "msgpack": topics[1]})
    wait(world, STEP)
    return topics


def test_executors_see_nothing_of_weir_but_the_checkpoints(
    world: ViewWorld, running: tuple[str, str], cluster: SparkCluster, store: Path
) -> None:
    right(world, running, STEP)
    assert finished(store, "totals") and finished(store, "large")
    assert not (world.folder / "views" / "totals").exists()
    for each in cluster.executors():
        seen = (each.cwd(), *each.cmdline(), *each.environ().values())
        assert not [text for text in seen if str(ROOT) in text or str(world.folder) in text]


def test_a_worker_killed_beneath_views_loses_and_doubles_nothing(
    world: ViewWorld, running: tuple[str, str], cluster: SparkCluster, store: Path
) -> None:
    until(lambda: len(cluster.executors()) == 2, "two executors", 120, every=0.2)
    before = {name: finished(store, name) for name in ("totals", "large")}
    send(world.kafka, running, range(STEP, 2 * STEP))
    until(lambda: all(finished(store, name) - before[name] for name in before), "the middle of the views", 300)
    assert all(lag(world, name) for name in before), "a view had ended before a worker was killed"
    cluster.kill_worker(1)
    try:
        wait(world, 2 * STEP)
    finally:
        cluster.start_worker(1)
    right(world, running, 2 * STEP)


def test_a_connect_server_that_starts_again_is_met(
    world: ViewWorld, running: tuple[str, str], cluster: SparkCluster, store: Path
) -> None:
    until(lambda: len(cluster.executors()) == 2, "two executors", 120, every=0.2)
    assert ask(world, running[1])[0] == 200
    before = {name: finished(store, name) for name in ("totals", "large")}
    send(world.kafka, running, range(2 * STEP, 3 * STEP))
    until(lambda: all(finished(store, name) - before[name] for name in before), "the middle of the views", 300)
    assert all(lag(world, name) for name in before), "a view had ended before the server was killed"
    cluster.kill_connect()
    batches = {name: finished(store, name) for name in before}
    status, answer = ask(world, running[1])
    assert status == 503, answer
    cluster.start_connect()
    wait(world, 3 * STEP)
    right(world, running, 3 * STEP)
    for name, had in batches.items():
        after = finished(store, name)
        assert max(after) > max(had), "its checkpoint was continued"
    until(lambda: ask(world, running[1])[0] == 200, "a query", 120, every=1)
    status, answer = ask(world, running[1])
    assert status == 200 and [row[1] for row in answer["rows"]] == [STEP] * 3
