"""A cluster of two workers with the archive of `weir cluster pack`, and what is asked of a Weir over it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgpack
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from typer.testing import CliRunner

from api.cli import app
from scanners.adapters.spark.executor_watch import asked
from tests.spark_cluster import SparkCluster, spark_cluster

PARTITIONS = 4
BASE = """
apiVersion: weir/v1
kind: Cluster
metadata: {name: prod}
spec: {bootstrapServers: "%s"}
---
apiVersion: weir/v1
kind: Role
metadata: {name: reporting}
spec: {read: [{dataset: "prod/*"}]}
---
apiVersion: weir/v1
kind: Role
metadata: {name: european}
spec: {read: [{dataset: "prod/*"}], rowFilters: [{dataset: "prod/*", where: "region = 'r1'"}]}
---
apiVersion: weir/v1
kind: User
metadata: {name: rep}
spec: {roles: [reporting]}
---
apiVersion: weir/v1
kind: User
metadata: {name: eva}
spec: {roles: [european]}
---
apiVersion: weir/v1
kind: Policy
metadata: {name: hide-mail}
spec: {type: mask, match: {tags: [EMAIL_ADDRESS]}, mask: {type: EMAIL_DOMAIN}}
"""


def record(number: int) -> dict[str, Any]:
    return {"id": number, "region": f"r{number % 3}", "amount": number % 100, "mail": f"canary{number}@example.org"}


def packed(file: Path) -> dict[str, Any]:
    """The report of `weir cluster pack` about the archive that it wrote."""
    done = CliRunner().invoke(app, ["cluster", "pack", str(file), "-o", "json"])
    assert done.exit_code == 0, done.output
    report: dict[str, Any] = json.loads(done.stdout)
    return report


@contextmanager
def packed_cluster(folder: Path, archive: Path) -> Iterator[SparkCluster]:
    """Each executor fetches the archive when it starts."""
    properties = {
        "spark.archives": f"{archive}#environment",
        "spark.sql.execution.pyspark.python": "../environment/bin/python",
    }
    with spark_cluster(folder, properties=properties) as running:
        asked(running.remote, 600)  # a busy machine takes minutes to unpack the archive twice
        yield running


@contextmanager
def json_and_msgpack(kafka: str) -> Iterator[tuple[str, str]]:
    """Two topics for the same records: as JSON, which the JVM decodes, and as MessagePack, which Python decodes."""
    prefix = f"cluster-{uuid.uuid4().hex[:8]}"
    names = (f"{prefix}-json", f"{prefix}-msgpack")
    admin = AdminClient({"bootstrap.servers": kafka})
    for future in admin.create_topics([NewTopic(name, PARTITIONS, 1) for name in names]).values():
        future.result(30)
    yield names
    for future in admin.delete_topics(list(names)).values():
        future.result(30)


def send(kafka: str, topics: Sequence[str], numbers: range) -> None:
    """The records of these numbers, to the topic of JSON and to that of MessagePack."""
    producer = Producer({"bootstrap.servers": kafka, "linger.ms": 50})
    for number in numbers:
        for name, value in zip(topics, (json.dumps(record(number)), msgpack.packb(record(number))), strict=True):
            producer.produce(name, value, str(number), partition=number % PARTITIONS)
        if number % 1000 == 0:
            producer.poll(0)
    assert producer.flush(120) == 0
