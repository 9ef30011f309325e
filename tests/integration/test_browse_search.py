"""A search that passes over records as they were sent finds what the search by Spark alone finds, on real servers."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.text_scan import KafkaTextScan
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.browse.conditions import Filters
from policies.browse.needles import Needle
from policies.browse.service import Browser, RecordsQuery
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Subject
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery
from tests.query_world import ANA, KEEP, KEYS, World

pytestmark = pytest.mark.integration

RECORDS = 240
BLOCK = 40
ODD = {
    7: '{"id": "o7", "email": "\\u0061nna@escaped.eu", "city": "K\\u00f6ln"}',
    90: '{"id": "o90",\n  "email": "needle\\tinside",\n  "city": "Bonn"}',
    141: '{"id": "o141", "email": "ELVIN\u212aELVIN@example.eu", "city": "\u0130zmir"}',
    200: '{"id": "o200", "email": "a", "city": "needle in a field", "level": 1.50}',
    201: "needle {broken",
}


class Open(World):
    """Everything is shown as it was sent."""

    def __call__(self, subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
        columns = tuple(ColumnDecision(each.path, Effect.ALLOW) for each in facts.fields)
        return Decision(facts.id, facts.reference, Effect.ALLOW, columns)


@pytest.fixture(scope="module")
def world(stack: Any) -> Iterator[Open]:
    topic = f"browse-search-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    admin.create_topics([NewTopic(topic, 2, 1, config=KEEP)])[topic].result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for n in range(RECORDS):
        plain = json.dumps({"id": f"o{n}", "email": f"anna{n}@example{n % 3}.eu", "city": "Bonn", "level": n})
        headers = [("hidden", b"only-in-a-header")] if n % 50 == 0 else []
        value = ODD.get(n, plain).encode()
        producer.produce(topic, value, f"key-{n}", n % 2, timestamp=1_767_225_600_000 + n, headers=headers)
    assert producer.flush(30) == 0
    yield Open("a", stack.kafka, {"people": topic})
    admin.delete_topics([topic])[topic].result(30)


class Counting:
    """The scan, and the texts it was asked for."""

    def __init__(self, windows: KafkaWindows) -> None:
        self._scan = KafkaTextScan(windows)
        self.sought: list[bytes] = []

    def __call__(self, kafka: Any, topic: str, ranges: Any, needle: Needle, stop: Any) -> Any:
        self.sought.append(needle.text)
        return self._scan(kafka, topic, ranges, needle, stop)


def test_every_search_finds_what_spark_alone_finds(stack: Any, world: Open) -> None:
    sessions, windows = Sessions(stack.engine, 1), KafkaWindows()
    scan = Counting(windows)
    settings = QuerySettings(small_window_records=BLOCK)
    query = GovernedQuery(world, world, SparkEngine(sessions, windows=windows), KafkaOffsets(), world, KEYS, settings)
    try:
        ours = Browser(query, KafkaOffsets(), windows.largest, scan)
        spark = Browser(query, KafkaOffsets(), windows.largest)
        for text, sought in (
            ("anna77@", True),
            ("anna@escaped", True),
            ("needle", True),
            ("elvinkelvin", True),
            ("key-130", True),
            ("only-in-a-header", True),
            ("nothing-has-this", True),
            ("example1", True),
            ('"Bonn"', False),
            ("1.5", False),
            ("city", False),
        ):
            scan.sought.clear()
            assert found(ours, text) == found(spark, text), text
            assert bool(scan.sought) is sought, text
        assert [offset for _, offset in found(ours, "needle")[0]] == [100, 45]
        assert found(ours, "only-in-a-header") == ([], RECORDS)
    finally:
        sessions.close()
        windows.close()


def found(browser: Browser, text: str) -> tuple[list[tuple[int, int]], int]:
    """Places of all records that hold a text, in their order, and how many offsets were read."""
    places: list[tuple[int, int]] = []
    cursor, read = None, 0
    while True:
        page: Any = browser.page(ANA, "prod/people", RecordsQuery(filters=Filters(text), limit=500, cursor=cursor))
        places += [(each["partition"], each["offset"]) for each in page["records"]]
        read += page["searched"]["records"]
        cursor = page["older"]
        if cursor is None:
            return sorted(places, reverse=True), read
