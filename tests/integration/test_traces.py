"""Traces on real servers: a query over HTTP, Spark and Kafka, lineage in Neo4j, and a scan, as a collector receives them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from pydantic import SecretStr

from api.app import create_app
from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.config.trace_settings import TraceSettings
from api.features.scans.runner import ScanRunner
from api.wiring import traces
from api.wiring.given import GivenAdapters
from api.wiring.instance import write_admin_token
from tests.answer_check import CheckedClient
from tests.lineage_servers import servers_on
from tests.otlp_receiver import Collector, ReceivedSpan, collector
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.policies.stores import MemoryHeadPublisher
from tests.waiting import until

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = pytest.mark.integration
TOPIC = f"traced{uuid.uuid4().hex[:8]}"
WORD = "Quetzalcoatlus"
"""A value of a record and a literal of a query; it may be in no span."""
DOCUMENTS = """
apiVersion: weir/v1
kind: Cluster
metadata: {{name: real}}
spec: {{bootstrapServers: "{kafka}"}}
---
apiVersion: weir/v1
kind: Role
metadata: {{name: analyst}}
spec: {{read: [{{dataset: "*"}}]}}
---
apiVersion: weir/v1
kind: Group
metadata: {{name: analysts}}
spec: {{members: [admin], roles: [analyst]}}
"""
TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
SQL = f"SELECT id, name FROM real.`{TOPIC}` WHERE name = '{WORD}' AND id + 1 > 0"  # noqa: S608


@pytest.fixture(scope="module")
def received() -> Iterator[Collector]:
    with collector() as running:
        end = traces.start(TraceSettings(endpoint=running.url, headers=SecretStr("x-team=data")), "api")
        yield running
        end()


@pytest.fixture(scope="module")
def client(stack: Stack, received: Collector, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckedClient]:
    """The API over the real engine and the real graph, with a topic that was scanned."""
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    for creation in admin.create_topics([NewTopic(TOPIC, 1, 1)]).values():
        creation.result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for number in range(20):
        producer.produce(TOPIC, json.dumps({"id": number, "name": WORD if number == 3 else "other"}))
    assert producer.flush(30) == 0
    folder: Path = tmp_path_factory.mktemp("traced")
    settings = Settings()
    settings.database.url = f"sqlite:///{folder}/weir.db"
    settings.kafka.bootstrap_servers = stack.kafka
    settings.spark.remote, settings.query.remote = SecretStr(stack.spark), SecretStr(stack.engine)
    with servers_on(stack) as servers:
        given = GivenAdapters(
            index=MemorySearchIndex(),
            log=servers.log,
            letters=servers.dead,
            graph=servers.graph,
            publisher=MemoryHeadPublisher(),
            event_topic=None,
        )
        built = build(settings, Home(folder), given)
        write_admin_token(built)
        token = (folder / "admin.token").read_text().strip()
        with CheckedClient(create_app(built), headers={"Authorization": f"Bearer {token}"}) as api:
            applied = api.post("/api/v1/apply", content=DOCUMENTS.format(kafka=stack.kafka))
            assert applied.status_code == 200, applied.text
            assert api.post("/api/v1/scans", json={"cluster": "real", "topics": [TOPIC]}).status_code in (200, 202)
            assert built[ScanRunner].run_next()
            yield api
    for gone in admin.delete_topics([TOPIC]).values():
        gone.result(30)


def only(received: Collector, name: str) -> ReceivedSpan:
    until(lambda: received.named(name), seconds=30)
    return received.named(name)[0]


def test_one_query_is_one_trace_from_the_request_to_spark(client: CheckedClient, received: Collector) -> None:
    answer = client.post("/api/v1/query", json={"sql": SQL}, headers={"traceparent": TRACEPARENT})
    assert answer.status_code == 200, answer.text
    assert answer.json()["rows"] == [[3, WORD]]
    request = only(received, "POST /api/v1/query")
    assert (request.service, request.trace, request.parent) == ("weir-api", *TRACEPARENT.split("-")[1:3])
    assert request.attributes == {
        "http.request.method": "POST",
        "http.route": "/api/v1/query",
        "http.response.status_code": 200,
    }
    assert "spark query" in received.below(request)
    spark = next(span for span in received.named("spark query") if span.trace == request.trace)
    assert spark.attributes["weir.sources"] == 1


def test_a_scan_is_a_trace_of_its_tasks(client: CheckedClient, received: Collector) -> None:
    assert "spark scan" in received.below(only(received, "scan"))


def test_a_question_about_lineage_is_a_trace_down_to_neo4j(client: CheckedClient, received: Collector) -> None:
    client.get("/api/v1/lineage", params={"nodeId": f"dataset:real:{TOPIC}"})
    assert "neo4j read" in received.below(only(received, "GET /api/v1/lineage"))


def test_a_refused_query_is_a_trace_without_its_words(client: CheckedClient, received: Collector) -> None:
    answer = client.post("/api/v1/query", json={"sql": f"SELECT cast('{WORD}' AS INT) FROM real.`{TOPIC}`"})  # noqa: S608
    assert answer.status_code >= 400
    until(lambda: any(s.attributes.get("http.response.status_code") == answer.status_code for s in received.spans))


def test_nothing_of_a_record_or_a_statement_reached_the_collector(client: CheckedClient, received: Collector) -> None:
    client.get("/api/v1/search", params={"q": WORD})
    only(received, "GET /api/v1/search")
    assert received.bodies
    assert [
        body for body in received.bodies if WORD.encode() in body or b"SELECT" in body or TOPIC.encode() in body
    ] == []
    assert {headers.get("x-team") or headers.get("X-Team") for headers in received.headers} == {"data"}
