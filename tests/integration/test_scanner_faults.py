"""Scans continue after a kill: of Spark's Python workers, and of the process that asked for the scan."""

from __future__ import annotations

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.model import DatasetScan
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark.checkpoints import FileCheckpoints
from scanners.adapters.spark.sampler import SparkSampler
from scanners.model import ClusterConnection, SampleRequest, Strategy
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings
from tests.conftest import ROOT

pytestmark = [pytest.mark.integration, pytest.mark.tail]

RECORDS = int(os.environ.get("WEIR_FAULT_RECORDS", "60000"))
"""The full measure is 1000000."""
WAVE = max(10_000, RECORDS // 5)
SETTINGS = ScannerSettings(detect=False)


@pytest.fixture(scope="module")
def topic(stack: Any) -> Iterator[str]:
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    name = f"faults-{uuid.uuid4().hex[:8]}"
    admin.create_topics([NewTopic(name, 12, 1)])[name].result(30)
    producer = Producer({"bootstrap.servers": stack.kafka, "linger.ms": 50})
    for i in range(RECORDS):
        value = {"id": i, "kind": ("a", "b")[i % 2], "nested": {"n": i % 7}, **({"more": "x"} if i % 2 else {})}
        producer.produce(name, json.dumps(value).encode(), str(i % 1000).encode(), partition=i % 12)
        if i % 1000 == 0:
            producer.poll(0)
    assert producer.flush(120) == 0
    yield name
    admin.delete_topics([name])[name].result(30)


def scan(stack: Any, topic: str, home: Path, resume: str) -> DatasetScan:
    sampler = SparkSampler(stack.spark, checkpoints=FileCheckpoints(home, "secret"), wave_records=WAVE)
    cluster = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka)
    try:
        (scan_result,) = Scanner(sampler, KafkaOffsets(), HttpSchemaRegistry(), SETTINGS).scan(
            cluster, [topic], SampleRequest(Strategy.FULL, max_bytes=2**40, max_seconds=3600), resume=resume
        )
        return scan_result
    finally:
        sampler.close()


@pytest.fixture(scope="module")
def undisturbed(stack: Any, topic: str, tmp_path_factory: pytest.TempPathFactory) -> DatasetScan:
    return scan(stack, topic, tmp_path_factory.mktemp("undisturbed"), "calm")


def python_workers(stack: Any) -> list[psutil.Process]:
    """The Python workers of the Spark server that the tests use, and of no other."""
    port = int(re.search(r":(\d+)", stack.spark.removeprefix("sc:"))[1])  # type: ignore[index]
    server = next(
        psutil.Process(c.pid)
        for c in psutil.net_connections("tcp")
        if c.status == psutil.CONN_LISTEN and c.laddr and c.laddr.port == port and c.pid
    )
    return [child for daemon in server.children() for child in daemon.children() if child.is_running()]


def test_a_python_worker_that_is_killed_costs_a_wave(
    stack: Any, topic: str, undisturbed: DatasetScan, tmp_path: Path
) -> None:
    killed: list[int] = []
    over = threading.Event()

    def kill() -> None:
        # After the first checkpoint the scan is in the middle of its second wave.
        while not over.wait(0.05):
            if list(tmp_path.glob("*.checkpoint")):
                for worker in python_workers(stack):
                    worker.kill()
                    killed.append(worker.pid)
                if killed:
                    return

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        scan_result = scan(stack, topic, tmp_path, "killed")
    finally:
        over.set()
        killer.join()
    assert killed
    assert_equal(scan_result, undisturbed)


SCRIPT = """
import sys
from types import SimpleNamespace
from pathlib import Path
from tests.integration.test_scanner_faults import scan
scan(SimpleNamespace(spark=sys.argv[1], kafka=sys.argv[2]), sys.argv[3], Path(sys.argv[4]), "resumed")
"""


def test_a_scan_goes_on_where_a_killed_process_left_it(
    stack: Any, topic: str, undisturbed: DatasetScan, tmp_path: Path
) -> None:
    started = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, stack.spark, stack.kafka, topic, str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    deadline = time.monotonic() + 120
    while not list(tmp_path.glob("*.checkpoint")):
        assert started.poll() is None and time.monotonic() < deadline, "no checkpoint was written"
        time.sleep(0.05)
    os.kill(started.pid, signal.SIGKILL)
    assert started.wait(30) == -signal.SIGKILL
    kept = FileCheckpoints(tmp_path, "secret").load("resumed", topic)
    assert kept is not None
    assert 0 < sum(r.length for r in kept.done) < RECORDS
    (file,) = tmp_path.glob("*.checkpoint")
    assert file.stat().st_mode & 0o077 == 0
    assert b"nested" not in file.read_bytes()

    scan_result = scan(stack, topic, tmp_path, "resumed")
    assert_equal(scan_result, undisturbed)
    assert not list(tmp_path.glob("*.checkpoint")), "a finished scan leaves nothing behind"


def assert_equal(dataset_scan: DatasetScan, undisturbed: DatasetScan) -> None:
    assert dataset_scan.schema.window.records == RECORDS and dataset_scan.schema.window.complete
    assert dataset_scan.schema == undisturbed.schema
    assert dataclasses.asdict(dataset_scan) == dataclasses.asdict(undisturbed)
