"""Consumer groups and Kafka Connect as they really answer: a real broker, real consumers, a real Connect worker."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import uuid
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.model import DatasetId
from lineage.adapters.kafka.consumer_groups import KafkaGroups
from lineage.adapters.rest.connect import ConnectRest
from lineage.fold.writer import GraphWriter
from lineage.ingest.parse import parse
from lineage.observed.connect import event_of, worker_name
from lineage.observed.groups import ConsumerGroup, GroupWatch
from lineage.questions.queries import Lineage
from stack.installed import artifacts, java
from stack.installed.versions import COMPONENTS, KAFKA, Component
from stack.progress import Silent
from tests.lineage_answers import as_json
from tests.twins.lineage import MemoryGraph
from tests.waiting import until

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = pytest.mark.integration

CLUSTER = "kafka://observed:9092"
CONNECT = Component(
    "kafka-connect", (f"org.apache.kafka:connect-runtime:{KAFKA}", f"org.apache.kafka:connect-file:{KAFKA}")
)


@pytest.fixture
def topic(stack: Stack) -> Iterator[str]:
    name = f"observed-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    for future in admin.create_topics([NewTopic(name, 2, 1), NewTopic(f"{name}-lines", 1, 1)]).values():
        future.result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for n in range(10):
        producer.produce(name, value=b"{}", partition=n % 2)
    producer.flush(30)
    yield name
    admin.delete_topics([name, f"{name}-lines"])


def test_groups_as_brokers_see_them(stack: Stack, topic: str) -> None:
    group, gone = f"{topic}-readers", f"{topic}-gone"
    config = {"bootstrap.servers": stack.kafka, "auto.offset.reset": "earliest", "enable.auto.commit": False}
    active = Consumer({**config, "group.id": group, "client.id": "billing-7"})
    past = Consumer({**config, "group.id": gone})
    reader = KafkaGroups({"bootstrap.servers": stack.kafka})
    try:
        for consumer in (active, past):
            consumer.subscribe([topic])
            read = [until(partial(consumer.poll, 0.2), "a record") for _ in range(4)]
            consumer.commit(message=read[-1], asynchronous=False)
        past.close()

        def described(name: str) -> ConsumerGroup:
            return next(iter(reader.describe([g for g in reader.names() if g.name == name], lag=True)))

        now = described(group)
        assert (now.state, now.members, now.clients) == ("STABLE", 1, ("billing-7",))
        assert [t.topic for t in now.topics] == [topic]
        assert now.topics[0].partitions == 2
        # One partition was committed up to the last record read; the other has no offset, and so no lag that is known.
        assert now.topics[0].lag is not None and 1 <= now.topics[0].lag <= 5
        left = described(gone)
        assert (left.state, left.members) == ("EMPTY", 0)

        watch = GroupWatch(hidden={gone})
        events = [event for batch in watch.events(CLUSTER, reader) for event in batch]
        mine = [event for event in events if event["job"]["name"].startswith(topic)]
        assert [event["job"]["name"] for event in mine] == [group]
        again = [event for batch in watch.events(CLUSTER, reader) for event in batch]
        assert not [event for event in again if event["job"]["name"].startswith(topic)]

        graph = MemoryGraph()
        GraphWriter(graph).write([parse(event) for event in mine])
        lineage = Lineage(graph)
        (seen,) = lineage.readers_of(DatasetId(CLUSTER, topic))
        assert (seen.name, seen.kind, seen.origin) == (group, "consumer_group", "observed")
        affected = as_json(lineage.impact(f"dataset:{CLUSTER}:{topic}"))["affected"]
        assert [row["id"] for row in affected] == [f"job:{CLUSTER}:{group}"]
    finally:
        active.close()


@pytest.fixture
def connect(stack: Stack, topic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A Connect worker of one process with a file source and a file sink."""
    monkeypatch.setitem(COMPONENTS, "kafka-connect", CONNECT)
    hit = java.find("", tmp_path / "java.log", Silent())
    artifacts.ensure(["kafka-connect"], hit, tmp_path / "fetch.log")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (tmp_path / "in.txt").write_text("one\ntwo\n")
    (tmp_path / "worker.properties").write_text(
        f"bootstrap.servers={stack.kafka}\nlisteners=http://127.0.0.1:{port}\noffset.storage.file.filename={tmp_path}/offsets\n"
        "key.converter=org.apache.kafka.connect.storage.StringConverter\noffset.flush.interval.ms=1000\n"
        "value.converter=org.apache.kafka.connect.storage.StringConverter\nplugin.discovery=only_scan\n"
    )
    (tmp_path / "source.properties").write_text(
        f"name={topic}-from-file\nconnector.class=org.apache.kafka.connect.file.FileStreamSourceConnector\ntasks.max=1\n"
        f"file={tmp_path}/in.txt\ntopic={topic}-lines\nmy.password=secret-4711\n"
    )
    (tmp_path / "sink.properties").write_text(
        f"name={topic}-to-file\nconnector.class=org.apache.kafka.connect.file.FileStreamSinkConnector\ntasks.max=1\n"
        f"file={tmp_path}/out.txt\ntopics={topic}-lines\n"
    )
    command = [
        hit.program,
        "-Xmx256m",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        artifacts.class_path("kafka-connect"),
        "org.apache.kafka.connect.cli.ConnectStandalone",
        *(str(tmp_path / f"{name}.properties") for name in ("worker", "source", "sink")),
    ]
    with (tmp_path / "connect.log").open("wb") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env={**os.environ, "LC_ALL": "C.UTF-8"}
        )
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.tail
def test_connectors_on_the_map(connect: str, topic: str, tmp_path: Path) -> None:
    rest = ConnectRest(connect)

    def both() -> bool:
        try:
            connectors = rest.connectors()
        except Exception:
            return False
        return len(connectors) == 2 and all(c.state == "RUNNING" and c.topics for c in connectors)

    until(both, "both connectors run and have used their topic", 120)
    until(lambda: (tmp_path / "out.txt").exists() and "two" in (tmp_path / "out.txt").read_text(), "the sink writes")
    events = [event_of(connector, worker_name(connect), CLUSTER) for connector in rest.connectors()]
    assert "secret-4711" not in json.dumps(events)
    graph = MemoryGraph()
    GraphWriter(graph).write([parse(event) for event in events])
    shown = as_json(Lineage(graph).lineage(f"dataset:{CLUSTER}:{topic}-lines"))
    flows = {(edge["source"], edge["target"], edge["job"]) for edge in shown["edges"] if edge["kind"] == "feeds"}
    worker = worker_name(connect)
    assert flows == {
        (f"dataset:file:{tmp_path}/in.txt", f"dataset:{CLUSTER}:{topic}-lines", f"job:{worker}:{topic}-from-file"),
        (f"dataset:{CLUSTER}:{topic}-lines", f"dataset:file:{tmp_path}/out.txt", f"job:{worker}:{topic}-to-file"),
    }
