"""Real brokers, and addresses where there are none."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from catalog.adapters.kafka.topics import KafkaBrokers
from catalog.datasets.discovery import Discovery
from catalog.declared.cluster_specs import ClusterSpec
from catalog.declared.secrets import Secrets
from catalog.errors import SettingsError, Unavailable
from catalog.model import DatasetId
from catalog.settings import SecretSettings
from catalog.topics import PartitionOffsets
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.model import ClusterConnection
from tests.catalog_samples import World
from tests.waiting import until

pytestmark = pytest.mark.integration


@pytest.fixture
def topic(stack: Any) -> Iterator[str]:
    name = f"catalog-test-{uuid.uuid4().hex[:8]}"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    config = {"retention.ms": "86400000", "cleanup.policy": "compact"}
    admin.create_topics([NewTopic(name, 2, 1, config=config)])[name].result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for n in range(3):
        producer.produce(name, b"v", key=str(n).encode(), partition=1)
    assert producer.flush(30) == 0
    yield name
    admin.delete_topics([name])[name].result(30)


def test_topics_are_listed_with_their_facts(stack: Any, topic: str) -> None:
    facts = {t.name: t for t in KafkaBrokers().topics({}, [stack.kafka])}[topic]
    assert (facts.partitions, facts.cleanup_policy, facts.retention_ms) == (2, "compact", 86_400_000)
    assert facts.offsets == (PartitionOffsets(0, 0, 0), PartitionOffsets(1, 0, 3))
    assert facts.retained == 3


@pytest.fixture
def churn(stack: Any) -> Iterator[None]:
    """Topics come and go all the time."""
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    ended = threading.Event()

    def create_and_delete() -> None:
        while not ended.is_set():
            names = [f"catalog-churn-{uuid.uuid4().hex[:8]}" for _ in range(5)]
            for future in admin.create_topics([NewTopic(name, 4, 1) for name in names]).values():
                future.result(30)
            for future in admin.delete_topics(names).values():
                future.result(30)

    thread = threading.Thread(target=create_and_delete)
    thread.start()
    yield
    ended.set()
    thread.join(60)


@pytest.mark.usefixtures("churn")
def test_topics_that_are_deleted_while_they_are_listed_harm_nobody(stack: Any, topic: str) -> None:
    for _ in range(40):
        facts = {t.name: t for t in KafkaBrokers().topics({}, [stack.kafka])}
        assert facts[topic].retained == 3


@pytest.mark.usefixtures("churn")
def test_topics_that_are_deleted_before_a_scan_do_not_stop_it(stack: Any, topic: str) -> None:
    lookup, cluster = KafkaOffsets(), ClusterConnection("dev", f"kafka://{stack.kafka}", stack.kafka)
    for _ in range(40):
        by_name = {t.name: t for t in lookup.offsets(cluster, lookup.topics(cluster))}
        assert [(p.partition, p.begin, p.end) for p in by_name[topic].partitions] == [(0, 0, 0), (1, 0, 3)]


def test_a_cluster_is_found_and_its_new_topic_recorded(stack: Any, topic: str) -> None:
    world = World()
    world.datasets.register_cluster("dev", ClusterSpec(bootstrapServers=stack.kafka))
    discovery = Discovery(KafkaBrokers(), world.datasets)
    assert topic in discovery.refresh("dev").new
    assert world.clusters.get("dev").cluster_id
    assert world.datasets.get(DatasetId("dev", topic)).topic["retained"] == 3
    until(lambda: _size(world, discovery, topic), "a broker gives its sizes in time")
    assert [t.name for t in discovery.select("dev", [topic[:-2] + "*"])] == [topic]


def _size(world: World, discovery: Discovery, topic: str) -> int:
    """A broker that does not answer in time is left out, so that of a busy one the size comes with a later listing."""
    discovery.refresh("dev")
    return world.datasets.get(DatasetId("dev", topic)).topic.get("size") or 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("address", "settings", "says"),
    [
        ("127.0.0.1:1", {}, "does not answer"),
        ("no-such-host.invalid:9092", {}, "host name that is not known"),
        (None, {"security": {"tls": {}}}, "Kafka at"),
        (None, {"properties": {"broker.address.family": "v9"}}, "these properties"),
    ],
)
def test_who_does_not_answer_is_named_in_time(stack: Any, address: str | None, settings: Any, says: str) -> None:
    address = address or stack.kafka
    start = time.monotonic()
    with pytest.raises(Unavailable) as caught:
        KafkaBrokers(timeout_s=3).describe(settings, [address])
    assert time.monotonic() - start < 5
    assert address in caught.value.message and says in caught.value.message


def test_a_wrong_password_is_not_told(stack: Any, tmp_path: Path) -> None:
    secrets = Secrets(SecretSettings(folder=tmp_path))
    secret = tmp_path / "password"
    secret.write_text("hunter2\n")
    sasl = {"mechanism": "PLAIN", "username": "ana", "password": {"file": str(secret)}}
    with pytest.raises(Unavailable) as caught:
        KafkaBrokers(timeout_s=3, secrets=secrets).describe({"security": {"sasl": sasl}}, [stack.kafka])
    assert "hunter2" not in caught.value.message + str(caught.value.details)


def test_a_secret_that_is_not_there_names_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WEIR_SECRET_KAFKA", raising=False)
    sasl = {"username": "ana", "password": {"env": "WEIR_SECRET_KAFKA"}}
    with pytest.raises(SettingsError, match="WEIR_SECRET_KAFKA, which is not set"):
        KafkaBrokers().describe({"security": {"sasl": sasl}}, ["localhost:9092"])
    sasl["password"] = {"file": "/no/such/file"}
    with pytest.raises(SettingsError, match="/no/such/file"):
        KafkaBrokers().describe({"security": {"sasl": sasl}}, ["localhost:9092"])
