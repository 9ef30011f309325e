"""Five hundred real webhook deliveries, in one topic and in one topic an event: scanned, distinguished, found."""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from tests.conftest import RunningWeir

pytestmark = [pytest.mark.e2e, pytest.mark.integration, pytest.mark.slow, pytest.mark.tail]

LOGIN = "payload.pull_request.head.repo.owner.login"


@pytest.fixture(scope="module")
def deliveries(shared_data: Path) -> list[dict[str, Any]]:
    with gzip.open(shared_data / "github-webhooks.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def scanned(weir: RunningWeir, deliveries: list[dict[str, Any]]) -> Iterator[dict[str, dict[str, Any]]]:
    """The datasets of a scan over all the topics, by name."""
    by_event: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for delivery in deliveries:
        by_event[delivery["event"]].append(delivery)
    names = ["hooks", *(f"hooks.{event}" for event in by_event)]
    with _topics(weir.stack.kafka, names):
        _deliver(weir.stack.kafka, deliveries)
        done = weir.command(
            "scan",
            "--bootstrap-servers",
            weir.stack.kafka,
            "--topics",
            "hooks",
            "--topics",
            "hooks.*",
            "-o",
            "json",
            timeout=900,
        )
        answer = json.loads(done.stdout)
        assert answer["state"] == "done"
        yield {dataset["name"]: dataset for dataset in answer["datasets"]}


@contextmanager
def _topics(kafka: str, names: list[str]) -> Iterator[None]:
    """The topics, for as long as the tests need them, also when their preparation fails."""
    admin = AdminClient({"bootstrap.servers": kafka})
    for future in admin.create_topics([NewTopic(name, 1) for name in names]).values():
        future.result(60)
    try:
        yield
    finally:
        for future in admin.delete_topics(names).values():
            future.result(60)


def _deliver(kafka: str, deliveries: list[dict[str, Any]]) -> None:
    producer = Producer({"bootstrap.servers": kafka, "message.max.bytes": 4_000_000})
    for delivery in deliveries:
        for topic in ("hooks", f"hooks.{delivery['event']}"):
            producer.produce(topic, json.dumps(delivery).encode(), key=delivery["event"])
            producer.poll(0)
    assert producer.flush(60) == 0


def test_every_topic_is_scanned_whole(scanned: dict[str, dict[str, Any]], deliveries: list[dict[str, Any]]) -> None:
    assert len(scanned) == 1 + len({d["event"] for d in deliveries})
    assert scanned["hooks"]["records"] == len(deliveries)
    assert sum(d["records"] for name, d in scanned.items() if name != "hooks") == len(deliveries)


def test_shapes_of_one_topic_are_told_apart_by_the_event(weir: RunningWeir, scanned: dict[str, dict[str, Any]]) -> None:
    cluster = _cluster(weir)
    with weir.client() as admin:
        schema = admin.get(f"/api/v1/datasets/{cluster}/hooks/schema").json()
    conditions = [shape["when"] for shape in schema["shapes"] if shape["when"]]
    assert len(schema["shapes"]) > 20
    assert len(conditions) > len(schema["shapes"]) / 2
    assert all(set(when) <= {"value.event", "key"} for when in conditions), conditions[:5]


def test_a_deep_field_is_found_by_its_path(weir: RunningWeir, scanned: dict[str, dict[str, Any]]) -> None:
    with weir.client() as admin:
        hits = admin.get("/api/v1/search", params={"q": LOGIN, "kind": "field"}).json()["hits"]
    assert hits[0]["path"] == f"value.{LOGIN}"
    assert {hit["name"] for hit in hits if hit["path"] == f"value.{LOGIN}"} >= {"hooks", "hooks.pull_request"}


def _cluster(weir: RunningWeir) -> str:
    with weir.client() as admin:
        return str(admin.get("/api/v1/clusters").json()["clusters"][0]["name"])
