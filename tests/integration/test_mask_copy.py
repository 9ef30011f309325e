"""Masked copies: the records of a topic as an audience may see them, for ordinary consumers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource
from confluent_kafka.schema_registry.avro import AvroDeserializer, AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

from api.features.views import commands
from tests.integration.test_view_avro import world as shared_world
from tests.integration.test_views import MASK
from tests.view_world import ViewWorld, registry_client

pytestmark = [pytest.mark.integration, pytest.mark.slow]
world = shared_world
AUDIENCE = """
apiVersion: weir/v1
kind: Group
metadata: {name: analysts}
spec: {roles: [reporting]}
"""


class Api:
    """The command line's client, without a server."""

    def __init__(self, world: ViewWorld) -> None:
        self._client = world.admin

    def get(self, path: str) -> Any:
        return self._client.get(path).json()

    def post_text(self, path: str, text: str) -> Any:
        answer = self._client.post(path, content=text.encode())
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def audience(world: ViewWorld) -> Iterator[ViewWorld]:
    world.apply(AUDIENCE + "---" + MASK)
    yield world


def copy(world: ViewWorld, source: str, to: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "api", lambda user: Api(world))
    commands.mask_copy(f"prod/{source}", audience="analysts", to=f"prod/{to}")


def placed(world: ViewWorld, topic: str) -> dict[tuple[int, bytes | None], list[tuple[bytes | None, dict[str, bytes]]]]:
    """(partition, key) -> its values and headers, in order."""
    consumer = Consumer({"bootstrap.servers": world.kafka, "group.id": f"{topic}-reader", "enable.auto.commit": False})
    parts = consumer.list_topics(topic, 10).topics[topic].partitions
    ends = {p: consumer.get_watermark_offsets(TopicPartition(topic, p), 10)[1] for p in parts}
    consumer.assign([TopicPartition(topic, p, 0) for p in parts])
    by_place: dict[tuple[int, bytes | None], list[tuple[bytes | None, dict[str, bytes]]]] = {}
    for message in consumer.consume(sum(ends.values()), 20):
        headers = {name: value for name, value in message.headers() or () if not name.startswith("weir-")}
        by_place.setdefault((message.partition(), message.key()), []).append((message.value(), headers))
    consumer.close()
    return by_place


def test_keys_partitions_and_tombstones_stay_and_values_are_masked(
    audience: ViewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = audience
    topic = world.topic("clients", 3)
    to = f"{topic}-analysts"
    producer = Producer({"bootstrap.servers": world.kafka})
    for n in range(30):
        value = json.dumps({"id": n, "email": f"canary{n}@example.org"})
        producer.produce(topic, value, f"k{n % 7}", headers={"trace": f"t{n}"})
    assert producer.flush(30) == 0
    world.scan(topic)
    producer.produce(topic, None, "k3")
    assert producer.flush(30) == 0
    copy(world, topic, to, monkeypatch)
    world.until(to, lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    source, copied = placed(world, topic), placed(world, to)
    assert {key: len(each) for key, each in copied.items()} == {key: len(each) for key, each in source.items()}
    for key, records in source.items():
        for (body, headers), (masked, seen) in zip(records, copied[key], strict=True):
            if body is None:
                assert masked is None
                continue
            assert json.loads(masked or b"") == {**json.loads(body), "email": "xxxx@example.org"} and seen == headers
    assert world.view(to)["rows"] == 0 and {each["name"] for each in world.view(to)["columns"]} == {"id", "email"}
    world.admin.delete(f"/api/v1/declared/View/{to}")


def test_a_copy_of_avro_is_avro(audience: ViewWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    world = audience
    topic = world.topic("members", 2)
    to = f"{topic}-analysts"
    client = registry_client(world.registry)
    fields = [{"name": "id", "type": "long"}, {"name": "email", "type": "string"}]
    serializer = AvroSerializer(client, json.dumps({"type": "record", "name": "Member", "fields": fields}))
    producer = Producer({"bootstrap.servers": world.kafka})
    for n in range(10):
        context = SerializationContext(topic, MessageField.VALUE)
        producer.produce(topic, serializer({"id": n, "email": f"canary{n}@example.org"}, context), f"k{n}")
    assert producer.flush(30) == 0
    world.scan(topic)
    copy(world, topic, to, monkeypatch)
    world.until(to, lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    deserializer = AvroDeserializer(client)
    context = SerializationContext(to, MessageField.VALUE)
    copied = placed(world, to)
    assert copied.keys() == placed(world, topic).keys()
    assert sorted(deserializer(each[0][0], context)["id"] for each in copied.values()) == list(range(10))
    assert {deserializer(each[0][0], context)["email"] for each in copied.values()} == {"xxxx@example.org"}
    world.admin.delete(f"/api/v1/declared/View/{to}")


def test_a_record_that_leaves_the_filter_and_one_that_is_deleted_go_from_a_compacted_copy(
    audience: ViewWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = audience
    topic = world.topic("places", 2)
    to = f"{topic}-analysts"
    admin = AdminClient({"bootstrap.servers": world.kafka})
    compacted = AlterConfigOpType.SET
    change = ConfigResource(
        ConfigResource.Type.TOPIC,
        topic,
        incremental_configs=[ConfigEntry("cleanup.policy", "compact", incremental_operation=compacted)],
    )
    for future in admin.incremental_alter_configs([change]).values():
        future.result()
    world.send(topic, [{"region": "EU", "n": n} for n in range(3)], keys=["stays", "leaves", "goes"])
    world.scan(topic)
    world.apply(
        "apiVersion: weir/v1\nkind: Policy\nmetadata: {name: eu-only}\n"
        f"spec: {{type: row-filter, match: {{datasets: [prod/{topic}]}}, where: \"region = 'EU'\"}}\n"
    )
    world.send(topic, [{"region": "US", "n": 9}, None], keys=["leaves", "goes"])
    copy(world, topic, to, monkeypatch)
    world.until(to, lambda v: v["state"] == "running" and v["lag"]["records"] == 0)
    newest = {key: values[-1] for (_, key), values in placed(world, to).items()}
    assert {key: value is not None for key, (value, _) in newest.items()} == {
        b"stays": True,
        b"leaves": False,
        b"goes": False,
    }
    assert b"US" not in b"".join(value or b"" for values in placed(world, to).values() for value, _ in values)
    world.admin.delete(f"/api/v1/declared/View/{to}")
