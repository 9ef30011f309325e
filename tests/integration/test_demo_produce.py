"""The demo's topics on a real broker with a real registry."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import httpx
import pytest
from confluent_kafka import Consumer, TopicPartition
from confluent_kafka.admin import AdminClient

from api.demo.errors import DemoFailed
from api.demo.generator import topic_plans
from api.demo.plan import TopicPlan
from api.demo.produce import produce

if TYPE_CHECKING:
    from tests.conftest import Stack

pytestmark = pytest.mark.integration


@pytest.fixture
def plans(stack: Stack) -> Iterator[list[TopicPlan]]:
    prefix = f"demo-{uuid.uuid4().hex[:8]}-"
    topics = topic_plans(prefix=prefix)
    yield topics
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    there = [name for name in admin.list_topics(timeout=20).topics if name.startswith(prefix)]
    for gone in admin.delete_topics(there).values() if there else ():
        gone.result(20)
    for plan in topics:
        if plan.schema:
            httpx.delete(f"{stack.registry}/subjects/{plan.name}-value", timeout=20)


def held(stack: Stack, plan: TopicPlan) -> list[tuple[int, bytes | None, bytes | None]]:
    consumer = Consumer({"bootstrap.servers": stack.kafka, "group.id": "unused", "enable.partition.eof": True})
    records = []
    try:
        consumer.assign([TopicPartition(plan.name, n, 0) for n in range(plan.partitions)])
        open_partitions = plan.partitions
        while open_partitions:
            message = consumer.poll(20)
            assert message is not None, "the broker gave nothing"
            if message.error():
                open_partitions -= 1
                continue
            records.append((message.timestamp()[1], message.key(), message.value()))
    finally:
        consumer.close()
    return records


def test_every_record_arrives_and_a_second_run_adds_none(stack: Stack, plans: list[TopicPlan]) -> None:
    first = produce(plans, stack.kafka, stack.registry)
    assert [topic.topic for topic in first] == [plan.name for plan in plans]
    assert all(topic.added == topic.records for topic in first)
    again = produce(plans, stack.kafka, stack.registry)
    assert all(topic.added == 0 for topic in again)
    assert [topic.records for topic in again] == [topic.records for topic in first]
    orders = plans[0]
    sent = sorted((record.timestamp_ms, record.key, record.value) for record in orders.records())
    assert sorted(held(stack, orders)) == sent


def test_what_a_cut_off_run_left_out_is_added(stack: Stack, plans: list[TopicPlan]) -> None:
    whole = next(plan for plan in plans if plan.name.endswith("support-tickets"))
    half = replace(whole, make=lambda rng: iter(list(whole.make(rng))[:300]))
    assert produce([half], stack.kafka, stack.registry)[0].added == 300
    rest = produce([whole], stack.kafka, stack.registry)[0]
    assert (rest.records, rest.added) == (800, 500)
    assert len({value for _, _, value in held(stack, whole)}) == 800


def test_registered_schemas_carry_the_records(stack: Stack, plans: list[TopicPlan]) -> None:
    registered = [plan for plan in plans if plan.schema]
    produce(registered, stack.kafka, stack.registry)
    for plan in registered:
        known = httpx.get(f"{stack.registry}/subjects/{plan.name}-value/versions/latest", timeout=20).json()
        _, _, value = held(stack, plan)[0]
        assert value is not None
        assert value[:1] == b"\0"
        assert int.from_bytes(value[1:5], "big") == known["id"]
        assert known.get("schemaType", "AVRO") == (plan.schema.kind if plan.schema else None)


def test_a_broker_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.demo.produce.SECONDS", 1.0)
    with pytest.raises(DemoFailed, match=r"Kafka broker at 127\.0\.0\.1:1 did not take"):
        produce(topic_plans()[:1], "127.0.0.1:1", "http://127.0.0.1:1")
