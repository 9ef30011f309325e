"""Scans of a real cluster by real Spark: whole topics, real data, transactions, faults."""

from __future__ import annotations

import gzip
import json
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.errors import Unavailable
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark.sampler import SparkSampler
from scanners.model import ClusterConnection, SampleRequest, ScanProgress, Strategy
from scanners.scan.service import Scanner
from scanners.settings import ScannerSettings

pytestmark = pytest.mark.integration

Make = Callable[..., str]


@pytest.fixture(scope="module")
def admin(stack: Any) -> AdminClient:
    return AdminClient({"bootstrap.servers": stack.kafka})


@pytest.fixture(scope="module")
def make_topic(admin: AdminClient) -> Iterator[Make]:
    topics: list[str] = []
    prefix = f"scanner-{uuid.uuid4().hex[:8]}-"

    def make(name: str, partitions: int = 1, **config: str) -> str:
        topic = f"{prefix}{name}" if prefix + name not in topics else f"{prefix}{name}-{len(topics)}"  # asked once more
        admin.create_topics([NewTopic(topic, partitions, 1, config=config)])[topic].result(30)
        topics.append(topic)
        return topic

    yield make
    for gone in admin.delete_topics(topics).values():
        gone.result(30)


@pytest.fixture(scope="module")
def cluster(stack: Any) -> ClusterConnection:
    return ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka, registry=stack.registry)


@pytest.fixture(scope="module")
def sampler(stack: Any) -> Iterator[SparkSampler]:
    sampler = SparkSampler(stack.spark)
    yield sampler
    sampler.close()


@pytest.fixture(scope="module")
def scanner(sampler: SparkSampler) -> Scanner:
    return Scanner(sampler, KafkaOffsets(), HttpSchemaRegistry(), ScannerSettings())


def produce(stack: Any, topic: str, values: list[bytes], **settings: str) -> None:
    producer = Producer({"bootstrap.servers": stack.kafka, **settings})
    for value in values:
        try:
            producer.produce(topic, value)
        except BufferError:  # a broker that is slower than this loop
            assert producer.flush(60) == 0
            producer.produce(topic, value)
        producer.poll(0)
    assert producer.flush(60) == 0


@pytest.mark.tail
def test_real_webhooks_in_one_topic_are_told_apart_by_event(
    stack: Any, shared_data: Path, make_topic: Make, scanner: Scanner, cluster: ClusterConnection
) -> None:
    with gzip.open(shared_data / "github-webhooks.jsonl.gz") as lines:
        rows = [line.strip() for line in lines]
    topic = make_topic("webhooks", 3)
    produce(stack, topic, rows)
    (scan_result,) = scanner.scan(cluster, [topic])
    events = {json.loads(r)["event"] for r in rows}
    assert scan_result.schema.window.records == len(rows)
    assert {next(iter(s.when)) for s in scan_result.schema.shapes if s.when and "others" not in s.when} == {
        "value.event"
    }
    assert {s.when["value.event"] for s in scan_result.schema.shapes if s.when and "others" not in s.when} <= events
    paths = {f.path for f in scan_result.schema.fields}
    assert "value.payload.pull_request.head.repo.owner.login" in paths
    tagged = {(c.path, c.entity) for c in scan_result.classifications}
    assert ("value.payload.commits[].author.email", "EMAIL_ADDRESS") in tagged
    assert not {e for p, e in tagged if p.endswith(("url", "sha", "node_id"))} & {
        "CREDIT_CARD",
        "PHONE_NUMBER",
        "US_SSN",
    }


def test_transactions_leave_gaps_that_are_reported_and_aborted_records_unread(
    stack: Any, make_topic: Make, scanner: Scanner, cluster: ClusterConnection
) -> None:
    topic = make_topic("transactions")
    producer = Producer({"bootstrap.servers": stack.kafka, "transactional.id": topic})
    producer.init_transactions(30)
    for commit in (True, False, True):
        producer.begin_transaction()
        for i in range(5):
            producer.produce(topic, json.dumps({"kept": commit, "i": i}).encode())
        producer.flush(30)
        producer.commit_transaction(30) if commit else producer.abort_transaction(30)
    started = time.monotonic()
    (scan_result,) = scanner.scan(cluster, [topic])
    assert time.monotonic() - started < 60
    assert scan_result.schema.window.records == 10
    gap = next(p for p in scan_result.problems if p["reason"] == "offsets_without_record")
    assert gap["count"] == 8  # five aborted records and three markers


def test_a_compacted_topic_with_tombstones(
    stack: Any, make_topic: Make, scanner: Scanner, cluster: ClusterConnection
) -> None:
    topic = make_topic("compacted", **{"cleanup.policy": "compact"})
    producer = Producer({"bootstrap.servers": stack.kafka})
    for i in range(40):
        producer.produce(topic, None if i % 4 == 0 else b'{"n":%d}' % i, key=b"k%d" % (i % 10))
    assert producer.flush(30) == 0
    (scan_result,) = scanner.scan(cluster, [topic])
    value = next(f for f in scan_result.schema.fields if f.path == "value")
    assert value.presence == 0.75


def test_no_consumer_group_is_left_behind(
    stack: Any, admin: AdminClient, make_topic: Make, scanner: Scanner, cluster: ClusterConnection
) -> None:
    topic = make_topic("groups")
    produce(stack, topic, [b'{"a":1}'] * 10)
    list(scanner.scan(cluster, [topic]))
    groups = {g.group_id for g in admin.list_consumer_groups().result().valid}
    assert not {g for g in groups if "weir-scan" in g or "spark-kafka" in g}


@pytest.mark.tail
def test_progress_and_a_full_scan_of_a_hundred_thousand_records(
    stack: Any, make_topic: Make, scanner: Scanner, cluster: ClusterConnection
) -> None:
    topic = make_topic("full", 4)
    produce(
        stack, topic, [b'{"id":%d,"name":"n%d","tags":["a","b"],"x":%d.5}' % (i, i % 100, i) for i in range(100_000)]
    )
    seen: list[ScanProgress] = []
    (scan_result,) = scanner.scan(
        cluster, [topic], SampleRequest(Strategy.FULL, max_bytes=2**40), on_progress=seen.append
    )
    assert scan_result.schema.window.records == 100_000 and scan_result.schema.window.complete
    fields = {f.path: f for f in scan_result.schema.fields}
    assert fields["value.id"].count == 100_000
    assert abs((fields["value.id"].distinct or 0) / 100_000 - 1) < 0.15
    assert 90 <= (fields["value.name"].distinct or 0) <= 110
    assert [s.done for s in seen] == [0, 1]


def test_a_scan_that_is_cancelled_while_spark_works(
    stack: Any, make_topic: Make, scanner: Scanner, cluster: ClusterConnection
) -> None:
    topic = make_topic("cancelled", 2)
    produce(stack, topic, [b'{"id":%d,"text":"%s"}' % (i, b"some words of free text " * 20) for i in range(200_000)])
    started = time.monotonic()
    scan_result = list(
        scanner.scan(
            cluster,
            [topic],
            SampleRequest(Strategy.FULL, max_bytes=2**40),
            cancelled=lambda: time.monotonic() - started > 0.5,
        )
    )
    assert scan_result == []
    assert time.monotonic() - started < 30


def test_servers_that_do_not_answer_give_one_sentence(stack: Any, cluster: ClusterConnection) -> None:
    nowhere = ClusterConnection("gone", "kafka://127.0.0.1:1", "127.0.0.1:1")
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1"):
        KafkaOffsets(ScannerSettings(kafka_seconds=2)).topics(nowhere)
    answer = HttpSchemaRegistry(ScannerSettings(registry_seconds=1), sleep=lambda _: None).for_topics(
        ClusterConnection("gone", "kafka://x", "x:1", registry="http://127.0.0.1:1"), ["a"]
    )
    assert answer.problems == ({"part": "registry", "reason": "registry_unavailable"},)
