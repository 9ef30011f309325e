"""No value of a record is kept anywhere but in Kafka itself: every store, index, graph, log and metric is searched."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import httpx
import neo4j
import pytest
from confluent_kafka import Consumer, TopicPartition

from api.demo.generator import topic_plans
from tests.conftest import RunningWeir

pytestmark = [pytest.mark.e2e, pytest.mark.integration]

MAIL = re.compile(rb"[A-Za-z0-9._+-]{3,}@[A-Za-z0-9.-]+\.(?:com|org|net|example|test)")


@pytest.fixture(scope="module")
def planted() -> set[bytes]:
    """E-mail addresses that the demo's generator put into keys, values and headers."""
    values: set[bytes] = set()
    for plan in topic_plans():
        for record in plan.records():
            parts = [record[0] or b"", record[1] or b"", *(body or b"" for _, body in record[2])]
            values.update(mail for part in parts for mail in MAIL.findall(part))
    assert len(values) > 200
    return values


@pytest.fixture(scope="module", autouse=True)
def provoked(demo: RunningWeir) -> None:
    """Queries that fail on stored values first, so that a message that quotes one would be in a log."""
    with demo.client("petra") as petra, demo.client("ana") as ana:
        for client in (petra, ana):
            for sql in (
                "SELECT CAST(customer.email AS INT) FROM orders",
                "SELECT date_format(customer.email, 'yyyy') FROM orders",
                "SELECT raise_error(customer.email) FROM orders",
                "SELECT * FROM orders WHERE customer.email = 'somebody@example.com'",
            ):
                client.post("/api/v1/query", json={"sql": sql})


def held(text: bytes, planted: set[bytes]) -> set[bytes]:
    return set(MAIL.findall(text)) & planted


def test_record_store_and_logs(demo: RunningWeir, planted: set[bytes]) -> None:
    for path in [*demo.home.glob("weir.db*"), *demo.home.glob("logs/**/*"), *demo.home.glob("run/**/*")]:
        if path.is_file():
            assert not held(path.read_bytes(), planted), f"{path.name} holds a planted value"


def test_search_index(demo: RunningWeir, planted: set[bytes]) -> None:
    answer = httpx.post(f"{demo.stack.elasticsearch}/_all/_search", json={"size": 10_000}, timeout=60)
    assert answer.json()["hits"]["total"]["value"] > 100
    assert not held(answer.content, planted)


def test_lineage_graph(demo: RunningWeir, planted: set[bytes]) -> None:
    with neo4j.GraphDatabase.driver(demo.stack.neo4j, auth=demo.stack.neo4j_auth) as driver:
        nodes = driver.execute_query("MATCH (n) RETURN properties(n) AS p").records
        edges = driver.execute_query("MATCH ()-[e]->() RETURN properties(e) AS p").records
    assert nodes and edges
    text = json.dumps([r["p"] for r in [*nodes, *edges]], default=str).encode()
    assert not held(text, planted)


def test_own_topics(demo: RunningWeir, planted: set[bytes]) -> None:
    read = 0
    for topic, body in _messages(demo.stack.kafka):
        read += 1
        assert not held(body, planted), f"{topic} holds a planted value"
    assert read > 10


def test_metrics_and_answers_of_the_catalog(demo: RunningWeir, planted: set[bytes]) -> None:
    with demo.client() as admin:
        paths = ["/metrics", "/api/v1/audit?limit=1000", "/api/v1/scans"]
        for dataset in admin.get("/api/v1/datasets", params={"limit": 1000}).json()["datasets"]:
            base = f"/api/v1/datasets/prod/{dataset['name']}"
            paths += [base, f"{base}/schema", f"{base}/classifications"]
        for path in paths:
            assert not held(admin.get(path).content, planted), path


def _messages(bootstrap: str) -> Iterator[tuple[str, bytes]]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "unused", "enable.auto.commit": False})
    try:
        for name, topic in consumer.list_topics(timeout=10).topics.items():
            if not name.startswith("_weir"):
                continue
            for number in topic.partitions:
                begin, end = consumer.get_watermark_offsets(TopicPartition(name, number), timeout=10)
                consumer.assign([TopicPartition(name, number, begin)])
                at = begin
                while at < end:
                    message = consumer.poll(10)
                    assert message is not None and message.error() is None, f"{name} could not be read to its end"
                    at = message.offset() + 1
                    yield name, (message.key() or b"") + b" " + (message.value() or b"")
    finally:
        consumer.close()
