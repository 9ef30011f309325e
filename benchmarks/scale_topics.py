"""Scans of a Kafka with very many small topics: the first one, one when nothing is new, one when a few topics are.

    weir test --bench scale_topics                        10,000 topics of 10 records with 100 fields (1,000,000 fields)
    weir test --bench scale_topics --topics 200           fewer

A worker's scan runner in this process, the record store in SQLite, Kafka and Spark of their own (or of WEIR_TEST_STACK), and an
index that keeps nothing. Memory is the most that this process had: what a worker has. `weir test --bench scale` has the questions
to a catalog of this size.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
from fastapi.testclient import TestClient
from rich.console import Console
from rich.table import Table

from api.app import create_app
from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.features.scans.runner import ScanRunner
from api.wiring.given import GivenAdapters
from api.wiring.instance import Instance, write_admin_token
from benchmarks._servers import servers
from benchmarks.scan import Memory, Topics
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.twins.policies.stores import MemoryHeadPublisher

_AT_ONCE = 250
"""Topics that are created in one request."""
_FEW = 20
"""Topics that get new records before the third scan."""
_CLUSTER = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "%s"}
"""


def values(draw: random.Random, topic: int, records: int, fields: int) -> list[bytes]:
    """JSON objects: an id, an e-mail in every tenth topic, and numbers, words and times."""
    named = [f"{('count', 'state', 'at', 'note')[number % 4]}_{number}" for number in range(fields - 2)]
    return [json.dumps(_record(draw, topic, number, named)).encode() for number in range(records)]


def _record(draw: random.Random, topic: int, number: int, names: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": number}
    row["email" if topic % 10 == 0 else "label"] = (
        f"person{draw.randrange(10**6)}@example.org" if topic % 10 == 0 else "x"
    )
    for name in names:
        kind = name.split("_")[0]
        row[name] = {
            "count": draw.randrange(1000),
            "state": draw.choice(["new", "open", "closed"]),
            "at": f"2026-03-{draw.randrange(1, 29):02}T10:00:00Z",
            "note": f"word {draw.randrange(100)}",
        }[kind]
    return row


@dataclass(frozen=True)
class Scanned:
    """One scan: seconds that passed, processor seconds of this process, the most memory of it, and what the scan counted."""

    name: str
    seconds: float
    busy: float
    memory: int
    state: str
    datasets: int
    fields: int


class NoIndex(MemorySearchIndex):
    """Takes documents as the server would, and has none in this process."""

    def write(self, entries: Sequence[Any], gone: Sequence[tuple[str, int]]) -> None: ...


class World:
    """A Weir with a runner of scans in this process."""

    def __init__(self, folder: Path, addresses: Any) -> None:
        settings = Settings()
        settings.database.url = f"sqlite:///{folder / 'weir.db'}"
        settings.kafka.bootstrap_servers = addresses.kafka
        settings.spark.remote = type(settings.spark.remote)(addresses.spark)
        log = MemoryEventLog()
        self.weir: Instance = build(
            settings,
            Home(folder),
            GivenAdapters(
                index=NoIndex(),
                meaning=None,
                log=log,
                source=MemoryEventSource(log),
                letters=MemoryEventLog(),
                graph=MemoryGraph(),
                publisher=MemoryHeadPublisher(),
                event_topic=None,
            ),
        )
        write_admin_token(self.weir)
        token = (folder / "admin.token").read_text().strip()
        self._client = TestClient(create_app(self.weir), headers={"Authorization": f"Bearer {token}"})
        self._apply(_CLUSTER % addresses.kafka)

    def _apply(self, text: str) -> None:
        answer = self._client.post("/api/v1/apply", content=text.encode())
        assert answer.status_code == 200, answer.text[:500]

    def scan(self, name: str, prefix: str) -> Scanned:
        begun, busy = time.monotonic(), _busy()
        with Memory() as memory:
            answer = self._client.post("/api/v1/scans", json={"cluster": "prod", "topics": [f"{prefix}*"]})
            assert answer.status_code == 202, answer.text[:500]
            address = f"/api/v1/scans/{answer.json()['id']}"
            while self._client.get(address).json()["state"] in ("queued", "running"):
                assert self.weir[ScanRunner].run_next()
        shown = self._client.get(address).json()
        datasets = shown["datasets"]
        if shown["state"] != "done":
            print(json.dumps({**shown, "datasets": datasets[:3]})[:2000], flush=True)
        fields = sum(each["fields"] or 0 for each in datasets)
        return Scanned(
            name, time.monotonic() - begun, _busy() - busy, memory.most, shown["state"], len(datasets), fields
        )


def _busy() -> float:
    return sum(psutil.Process().cpu_times()[:2])


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--topics", type=int, default=10_000)
    parser.add_argument("--records", type=int, default=10)
    parser.add_argument("--fields", type=int, default=100)
    options = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory(prefix="weir-bench-topics-") as folder,
        servers(["kafka", "spark"], kafka_memory="2g") as addresses,
    ):
        topics = Topics(addresses.kafka)
        try:
            names = [f"t{number:05}" for number in range(options.topics)]
            begun = time.monotonic()
            filled = [
                name
                for first in range(0, len(names), _AT_ONCE)
                for name in topics.make(names[first : first + _AT_ONCE], 1)
            ]
            _fill(topics, filled, options.records, options.fields)
            print(f"{len(filled):,} topics were filled in {time.monotonic() - begun:.0f} s.", flush=True)
            world = World(Path(folder), addresses)
            try:
                scans = [world.scan("first scan", topics.prefix), world.scan("nothing new", topics.prefix)]
                _fill(topics, filled[:_FEW], options.records, options.fields)
                scans.append(world.scan(f"{_FEW} topics with new records", topics.prefix))
            finally:
                world.weir.close()
        finally:
            topics.remove()
    return _report(options.topics, scans)


def _fill(topics: Topics, names: Sequence[str], records: int, fields: int) -> None:
    draw = random.Random(5)
    for number, name in enumerate(names):
        for value in values(draw, number, records, fields):
            topics.producer.produce(name, value)
        topics.producer.poll(0)
        if number % 100 == 99:
            topics.producer.flush(300)
    assert topics.producer.flush(300) == 0


def _report(topics: int, scans: Sequence[Scanned]) -> int:
    table = Table("scan", "seconds", "processor seconds", "memory", "state", "topics", "fields", box=None)
    for each in scans:
        table.add_row(
            each.name,
            f"{each.seconds:.1f}",
            f"{each.busy:.1f}",
            f"{each.memory / 1e6:.0f} MB",
            each.state,
            f"{each.datasets:,}",
            f"{each.fields:,}",
        )
    console = Console(width=150)
    console.print(table)
    console.print(f"Load of the machine at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors.")
    return 0 if scans[0].datasets == topics and all(each.state == "done" for each in scans) else 1


if __name__ == "__main__":
    sys.exit(main())
