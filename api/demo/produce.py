"""The demo's topics onto a real broker: topics made, schemas registered, records produced.

A second run adds only what is missing: nothing as a rule, the rest where the first run was cut off.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from api.demo.errors import DemoFailed
from api.demo.plan import TopicPlan, framed

SECONDS = 20.0
"""How long the broker or the registry may take to answer one request."""


@dataclass(frozen=True, slots=True)
class Produced:
    """What became of one topic: `records` it holds now, `added` of them in this run."""

    topic: str
    records: int
    added: int


def client(login: tuple[str, str] | None) -> dict[str, object]:
    """librdkafka's settings for a user and password; none without."""
    if login is None:
        return {}
    user, password = login
    return {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "PLAIN",
        "sasl.username": user,
        "sasl.password": password,
    }


def produce(
    plans: Sequence[TopicPlan],
    bootstrap: str,
    registry: str,
    on_topic: Callable[[Produced], None] = lambda _: None,
    login: tuple[str, str] | None = None,
    registry_login: tuple[str, str] | None = None,
) -> list[Produced]:
    """Make the topics and fill them. `registry` is a Confluent-compatible URL; the logins are user and password.

    Raises DemoFailed when the broker or the registry does not answer or refuses.
    """
    settings = {
        "bootstrap.servers": bootstrap,
        "socket.timeout.ms": int(SECONDS * 1000),
        "log_level": 0,
        **client(login),
    }
    try:
        there = _make_topics(AdminClient(settings), plans)
        counts = {plan.name: [0] * plan.partitions for plan in plans}
        counts |= _held(settings, [plan for plan in plans if plan.name in there])
        ids = _register([plan for plan in plans if plan.schema], registry, registry_login)
        # Acknowledged by the broker's disk before the demo speaks of it; batches a little so that it is quick.
        producer = Producer(settings | {"acks": "all", "linger.ms": 20, "compression.type": "lz4"})
        done = []
        for plan in plans:
            added = _fill(producer, plan, ids.get(plan.name, 0), counts[plan.name])
            done.append(Produced(plan.name, sum(counts[plan.name]) + added, added))
            on_topic(done[-1])
        return done
    except KafkaException as error:
        fault = error.args[0]
        reason = fault.str() if isinstance(fault, KafkaError) else str(fault)
        raise DemoFailed(f"The Kafka broker at {bootstrap} did not take the demo's topics: {reason}.") from error


def _make_topics(admin: AdminClient, plans: Sequence[TopicPlan]) -> set[str]:
    """Make the topics that are missing; the names of those that were there."""
    there = set(admin.list_topics(timeout=SECONDS).topics)
    topics = [
        NewTopic(plan.name, num_partitions=plan.partitions, replication_factor=1, config=dict(plan.config))
        for plan in plans
        if plan.name not in there
    ]
    if topics:
        for future in admin.create_topics(topics, operation_timeout=SECONDS).values():
            future.result(SECONDS)
    return there


def _held(settings: dict[str, object], plans: Sequence[TopicPlan]) -> dict[str, list[int]]:
    """Per topic how many offsets each partition has given out since its begin."""
    consumer = Consumer(settings | {"group.id": "weir-demo-counting", "enable.auto.commit": False})
    try:
        return {
            plan.name: [
                consumer.get_watermark_offsets(TopicPartition(plan.name, number), timeout=SECONDS)[1]
                for number in range(plan.partitions)
            ]
            for plan in plans
        }
    finally:
        consumer.close()


def _register(plans: Sequence[TopicPlan], registry: str, login: tuple[str, str] | None = None) -> dict[str, int]:
    """Topic -> schema id; the subject is TOPIC-value, as Confluent's serializers name it by default."""
    ids: dict[str, int] = {}
    with httpx.Client(auth=login, timeout=SECONDS, trust_env=False) as client:
        for plan in plans:
            if plan.schema is None:
                continue
            url = f"{registry.rstrip('/')}/subjects/{plan.name}-value/versions"
            try:
                answer = client.post(url, json={"schemaType": plan.schema.kind, "schema": plan.schema.text})
                answer.raise_for_status()
                ids[plan.name] = int(answer.json()["id"])
            except (httpx.HTTPError, ValueError, KeyError) as error:
                raise DemoFailed(
                    f"The schema registry at {registry} did not take the schema of {plan.name}"
                    f" ({type(error).__name__}); see that it runs with `weir status`."
                ) from error
    return ids


def _fill(producer: Producer, plan: TopicPlan, schema_id: int, counts: Sequence[int]) -> int:
    failed: list[KafkaError] = []

    def delivered(error: KafkaError | None, _: object) -> None:
        if error is not None:
            failed.append(error)

    added = 0
    passed = [0] * plan.partitions
    for number, record in enumerate(plan.records()):
        # Placed by hand, so that the same seed fills the same partitions in the same order.
        partition = (number if record.key is None else zlib.crc32(record.key)) % plan.partitions
        passed[partition] += 1
        if passed[partition] <= counts[partition]:
            continue
        value = record.value
        if plan.schema is not None and value is not None:
            value = framed(plan.schema.kind, schema_id, value)
        added += 1
        while True:
            try:
                producer.produce(
                    plan.name,
                    key=record.key,
                    value=value,
                    headers=list(record.headers),
                    timestamp=record.timestamp_ms,
                    partition=partition,
                    on_delivery=delivered,
                )
                break
            except BufferError:
                producer.poll(0.1)
        producer.poll(0)
    if producer.flush(SECONDS) or failed:
        reason = failed[0].str() if failed else "no answer in time"
        raise DemoFailed(f"The Kafka broker did not take all records of {plan.name}: {reason}.")
    return added
