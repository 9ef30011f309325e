"""The demo's jobs on a real broker: what they write, and the OpenLineage events they really send."""

from __future__ import annotations

import json
import os
import sys
import threading
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from api.demo.errors import DemoFailed
from api.demo.generator import DERIVED_TOPICS, topic_plans
from api.demo.jobs import run_jobs
from api.demo.produce import produce
from stack.installed import artifacts, java
from stack.progress import Silent

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = pytest.mark.integration

TOKEN = "token-that-must-not-show"


@dataclass
class Receiver:
    """A server that keeps every event and where its token was."""

    events: list[dict[str, Any]] = field(default_factory=list)
    bearers: set[str | None] = field(default_factory=set)
    url: str = ""


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    kept = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            kept.events.append(json.loads(body))
            kept.bearers.add(self.headers["authorization"])
            self.send_response(201)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    kept.url = f"http://127.0.0.1:{server.server_port}"
    yield kept
    server.shutdown()
    server.server_close()


@pytest.fixture
def prefix(stack: Stack) -> Iterator[str]:
    prefix = f"demo-{uuid.uuid4().hex[:8]}-"
    wanted = {prefix + name for name in ("orders", "clicks", "users")}
    produce([plan for plan in topic_plans(prefix=prefix) if plan.name in wanted], stack.kafka, stack.registry)
    yield prefix
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    there = [name for name in admin.list_topics(timeout=20).topics if name.startswith(prefix)]
    for gone in admin.delete_topics(there).values():
        gone.result(20)
    httpx.delete(f"{stack.registry}/subjects/{prefix}users-value", timeout=20)


def job_environment(tmp_path: Path) -> dict[str, str]:
    hit = java.find("", tmp_path / "java.log", Silent())
    home = java.spark_java_home(hit, tmp_path / "java")
    return {"JAVA_HOME": str(home), "PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}


def values(stack: Stack, topic: str) -> list[dict[str, Any]]:
    consumer = Consumer({"bootstrap.servers": stack.kafka, "group.id": "unused", "enable.partition.eof": True})
    documents = []
    try:
        consumer.assign([TopicPartition(topic, 0, 0)])
        while (message := consumer.poll(20)) is not None and not message.error():
            documents.append(json.loads(message.value()))
    finally:
        consumer.close()
    return documents


@pytest.mark.tail
def test_the_jobs_work_and_tell_where_data_went(stack: Stack, receiver: Receiver, prefix: str, tmp_path: Path) -> None:
    jars = artifacts.jars("spark-kafka", "openlineage-spark")
    done = run_jobs(
        stack.kafka,
        receiver.url,
        TOKEN,
        jars,
        job_environment(tmp_path),
        tmp_path / "data",
        tmp_path / "logs",
        sys.executable,
        prefix=prefix,
    )
    assert {job.name for job in done} == {"daily_revenue", "clean_clicks", "newsletter_export"}

    # What they wrote.
    orders = [json.loads(r.value or b"") for r in topic_plans()[0].records()]
    revenue = values(stack, f"{prefix}revenue-by-region")
    assert round(sum(row["revenue"] for row in revenue), 2) == round(sum(order["amount"] for order in orders), 2)
    clean = values(stack, f"{prefix}clicks.clean")
    assert len(clean) == 2000
    assert not any("?" in row["url"] or "ip" in row for row in clean)
    mails = values(stack, f"{prefix}order-mails")
    assert sorted(row["to"] for row in mails) == sorted(order["customer"]["email"] for order in orders)
    audience = values(stack, f"{prefix}newsletter-audience")
    assert audience
    assert all(len(row["email_hash"]) == 64 and "@" not in json.dumps(row) for row in audience)

    # What they told.
    assert receiver.bearers == {f"Bearer {TOKEN}"}
    namespace = f"kafka://{stack.kafka}"
    flows = {
        (i["name"].removeprefix(prefix), o["name"].removeprefix(prefix))
        for event in receiver.events
        if event["eventType"] == "COMPLETE"
        for i in event["inputs"]
        for o in event["outputs"]
        if i["namespace"] == o["namespace"] == namespace
    }
    assert flows == {
        ("orders", "revenue-by-region"),
        ("clicks", "clicks.clean"),
        ("orders", "order-mails"),
        ("users", "newsletter-audience"),
        ("order-mails", "newsletter-audience"),
    }
    assert {event["job"]["namespace"] for event in receiver.events} == {"shop"}
    kinds = {
        event["job"]["name"].split(".")[0]: event["job"]["facets"]["jobType"]["processingType"]
        for event in receiver.events
        if event["outputs"]
    }
    assert kinds["clean_clicks"] == "STREAMING"
    assert kinds["daily_revenue"] == "BATCH"
    hashed = next(
        event["outputs"][0]["facets"]["columnLineage"]["fields"]["value.email_hash"]
        for event in receiver.events
        if event["job"]["name"] == "newsletter_export"
    )
    assert all(way["masking"] for source in hashed["inputFields"] for way in source["transformations"])

    # What they must not tell.
    assert TOKEN not in json.dumps(receiver.events)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and TOKEN.encode() in path.read_bytes()]

    # A second run of the stream has nothing left to do.
    run_jobs(
        stack.kafka,
        receiver.url,
        TOKEN,
        jars,
        job_environment(tmp_path),
        tmp_path / "data",
        tmp_path / "logs",
        sys.executable,
        prefix=prefix,
    )
    assert len(values(stack, f"{prefix}clicks.clean")) == 2000
    assert len(values(stack, f"{prefix}order-mails")) == len(orders)


def test_a_job_that_fails_is_named_with_its_log_and_ends_the_others(stack: Stack, tmp_path: Path) -> None:
    prefix = f"demo-{uuid.uuid4().hex[:8]}-"
    environment = {**job_environment(tmp_path), "JAVA_HOME": str(tmp_path / "no-java")}
    try:
        with pytest.raises(DemoFailed, match=r"The job \w+ ended with exit code \d+; its log is .*demo-\w+\.log"):
            run_jobs(
                stack.kafka,
                "http://127.0.0.1:1",
                TOKEN,
                [],
                environment,
                tmp_path / "data",
                tmp_path / "logs",
                sys.executable,
                prefix=prefix,
            )
        assert not _processes_naming(prefix)
    finally:
        admin = AdminClient({"bootstrap.servers": stack.kafka})
        for gone in admin.delete_topics([prefix + name for name in DERIVED_TOPICS]).values():
            gone.result(20)


def _processes_naming(word: str) -> list[str]:
    commands = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if word in command and path.parent.name != str(os.getpid()):
            commands.append(command)
    return commands
