"""Stream views of a whole instance, through the command line and HTTP, while its processes are killed."""

from __future__ import annotations

import json
import random
import time
import uuid
from collections import Counter
from collections.abc import Callable
from typing import Any

import httpx
import psutil
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.conftest import RunningWeir
from tests.effort import pace

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.slow, pytest.mark.tail]
VIEWS = """
apiVersion: weir/v1
kind: Role
metadata: {name: all-of-views}
spec: {read: [{dataset: "views-e2e/*"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: viewer}
spec: {roles: [all-of-views]}
---
apiVersion: weir/v1
kind: Cluster
metadata: {name: views-e2e}
spec: {bootstrapServers: "%(kafka)s"}
---
apiVersion: weir/v1
kind: View
metadata: {name: e2e.totals}
spec:
  sql: SELECT region, count(*) AS n, sum(amount) AS total FROM `%(topic)s` GROUP BY region
  runAs: {user: viewer}
---
apiVersion: weir/v1
kind: View
metadata: {name: e2e.newest}
spec:
  sql: SELECT id, region, amount FROM `%(topic)s` WHERE amount >= 10
  runAs: {user: viewer}
  key: [id]
  sink: {cluster: views-e2e, topic: %(topic)s-large}
"""


class Source:
    """Sends records, and knows what the views must have."""

    def __init__(self, kafka: str, topic: str) -> None:
        self._producer = Producer(
            {"bootstrap.servers": kafka, "message.timeout.ms": 120_000, "enable.idempotence": True}
        )
        self._topic, self._dice = topic, random.Random(17)
        self.counts: Counter[str] = Counter()
        self.totals: Counter[str] = Counter()
        self.newest: dict[str, list[Any]] = {}
        self.sent = 0

    def send(self, records: int) -> None:
        for _ in range(records):
            row: dict[str, Any] = {
                "id": f"c{self._dice.randrange(300)}",
                "region": f"r{self._dice.randrange(7)}",
                "amount": self.sent % 50,
            }
            self._producer.produce(self._topic, json.dumps(row).encode(), row["id"])
            self.counts[row["region"]] += 1
            self.totals[row["region"]] += row["amount"]
            if row["amount"] >= 10:
                self.newest[row["id"]] = [row["id"], row["region"], row["amount"]]
            self.sent += 1
        assert self._producer.flush(120) == 0


@pytest.mark.timeout(900)
def test_rows_are_right_after_every_kill(weir: RunningWeir) -> None:
    topic = f"killed-{uuid.uuid4().hex[:6]}"
    client = AdminClient({"bootstrap.servers": weir.stack.kafka})
    client.create_topics([NewTopic(topic, 3, 1)])[topic].result()
    source = Source(weir.stack.kafka, topic)
    source.send(1000)
    text = VIEWS % {"kafka": weir.stack.kafka, "topic": topic}
    file = weir.home / "views.yaml"
    file.write_text(text)
    weir.command("apply", "-f", str(file))
    weir.command("scan", "views-e2e", "--topics", topic)
    until(weir, lambda shown: shown["state"] == "running" and shown["lag"]["records"] == 0)
    for kill in (runner, server("spark"), runner, server("kafka"), server("weir-worker")):
        source.send(500)
        kill(weir)
        if kill is not runner:
            weir.command("up", "--detach", timeout=600)
        source.send(200)
    until(weir, lambda shown: shown["state"] == "running" and shown["lag"]["records"] == 0)
    with weir.client() as admin:
        token = admin.post("/api/v1/tokens", json={"user": "viewer"}).json()["token"]
    with httpx.Client(base_url=weir.url, headers={"Authorization": f"Bearer {token}"}, timeout=60) as viewer:
        totals = viewer.get("/api/v1/views/e2e.totals/rows", params={"limit": 100}).json()
        newest = viewer.get("/api/v1/views/e2e.newest/rows", params={"limit": 1000}).json()
    assert totals["rows"] == [[region, n, source.totals[region]] for region, n in sorted(source.counts.items())]
    assert sorted(newest["rows"]) == sorted(source.newest.values())
    shown = weir.command("view", "list").stdout
    assert "e2e.totals" in shown and "up to date" in shown
    (weir.home / "tokens").mkdir(exist_ok=True)
    (weir.home / "tokens" / "viewer").write_text(token)
    one = weir.command("view", "rows", "e2e.totals", "--key", "r3", "--as", "viewer").stdout
    assert str(source.totals["r3"]) in one and str(source.totals["r4"]) not in one
    for name in ("e2e.totals", "e2e.newest"):
        weir.command("view", "delete", name, "--yes")
    assert "e2e.totals" not in weir.command("view", "list").stdout


def until(weir: RunningWeir, holds: Callable[[dict[str, Any]], bool], seconds: float = 240) -> None:
    """Wait until both views are as wanted."""
    deadline = time.monotonic() + seconds * pace()
    with weir.client() as admin:
        while True:
            shown = admin.get("/api/v1/views").json()["views"]
            if shown and all(holds(each) for each in shown):
                return
            assert time.monotonic() < deadline, shown
            time.sleep(0.3)


def runner(weir: RunningWeir) -> None:
    """Kill the process that runs the views; the worker starts another."""
    worker = psutil.Process(_pid(weir, "weir-worker"))
    (process,) = [each for each in worker.children() if "view-runner" in each.cmdline()]
    process.kill()
    process.wait(10)


def server(name: str) -> Callable[[RunningWeir], None]:
    def kill(weir: RunningWeir) -> None:
        process = psutil.Process(_pid(weir, name))
        process.kill()
        process.wait(10)

    return kill


def _pid(weir: RunningWeir, name: str) -> int:
    rows = json.loads(weir.command("status", "-o", "json").stdout)["servers"]
    return int(next(row["pid"] for row in rows if row["name"] == name))
