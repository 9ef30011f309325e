"""Changes of producers, undecodable records and vanishing ones, on a real cluster by real Spark."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from api.bootstrap import Services, build
from api.home import Home
from api.settings import Settings
from catalog.adapters.memory_index import MemorySearchIndex
from catalog.event_model import EventFilter
from catalog.kinds import ClusterSpec
from catalog.model import DatasetScan
from lineage.adapters.memory import MemoryEventLog, MemoryEventSource, MemoryGraph
from policies.adapters.memory import MemoryHeadPublisher
from scanners.adapters.dead_letters import SparkDeadLetters
from scanners.adapters.kafka_offsets import KafkaOffsets
from scanners.adapters.memory import MemoryRegistry
from scanners.adapters.spark_sampler import SparkSampler
from scanners.letters import PREFIX
from scanners.model import ClusterConnection, SampleRequest, Strategy, Topic
from scanners.scan import Scanner
from scanners.settings import ScannerSettings

pytestmark = pytest.mark.integration

UNIQUE = uuid.uuid4().hex[:8]


@pytest.fixture(scope="module")
def admin(stack: Any) -> AdminClient:
    return AdminClient({"bootstrap.servers": stack.kafka})


@pytest.fixture(scope="module")
def make_topic(admin: AdminClient) -> Iterator[Callable[..., str]]:
    made: list[str] = []

    def make(name: str, partitions: int = 1, **config: str) -> str:
        topic = f"{name}-{UNIQUE}"
        admin.create_topics([NewTopic(topic, partitions, 1, config=config)])[topic].result(30)
        made.append(topic)
        return topic

    yield make
    gone = [*made, f"_dead-{UNIQUE}", f"_events-{UNIQUE}"]
    for name, future in admin.delete_topics(gone).items():
        if name not in made:
            future.exception(30)


@pytest.fixture(scope="module")
def sampler(stack: Any) -> Iterator[SparkSampler]:
    made = SparkSampler(stack.spark)
    yield made
    made.close()


@pytest.fixture(scope="module")
def services(stack: Any, sampler: SparkSampler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    folder: Path = tmp_path_factory.mktemp("drift")
    settings = Settings()
    settings.database.url = f"sqlite:///{folder}/weir.db"
    settings.kafka.bootstrap_servers = stack.kafka
    settings.events.topic = f"_events-{UNIQUE}"
    settings.scanners.detect = False
    log = MemoryEventLog()
    made = build(
        settings, Home(folder), index=MemorySearchIndex(), log=log, source=MemoryEventSource(log),
        letters=MemoryEventLog(), graph=MemoryGraph(), publisher=MemoryHeadPublisher(), sampler=sampler,
        registry=MemoryRegistry(),
    )  # fmt: skip
    made.datasets.register_cluster("real", ClusterSpec.model_validate({"bootstrapServers": stack.kafka}))
    yield made
    made.close()


def produce(stack: Any, topic: str, values: Sequence[bytes], partition: int = 0) -> None:
    producer = Producer({"bootstrap.servers": stack.kafka})
    for value in values:
        producer.produce(topic, value, partition=partition, headers=[("from", b"test")])
        producer.poll(0)
    assert producer.flush(60) == 0


def consumed(stack: Any, topic: str, count: int) -> list[Any]:
    consumer = Consumer({"bootstrap.servers": stack.kafka, "group.id": UNIQUE, "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found: list[Any] = []
    until = time.monotonic() + 30
    while len(found) < count and time.monotonic() < until:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            found.append(message)
    consumer.close()
    return found


def scan(services: Services, topic: str, **sample: Any) -> dict[str, Any]:
    asked = services.scans.request("real", [topic], sample)
    assert services.scan_runner.run_next()
    done = services.scans.get(asked.id).to_json()
    assert done["state"] == "done", done
    return done


def test_a_producer_that_changes_at_a_known_offset_is_named_with_it(
    stack: Any, make_topic: Callable[..., str], services: Services
) -> None:
    topic = make_topic("orders", 3)
    for partition in range(3):
        produce(stack, topic, [b'{"id":%d,"region":"EU"}' % n for n in range(100)], partition)
    scan(services, topic, strategy="full")
    changed = [b'{"id":"%d","region":"EU","coupon":"C"}' % n for n in range(100, 150)]
    produce(stack, topic, [*changed[:20], b'{"id":', b"\xff\xfe\xfd", *changed[20:]], partition=1)
    done = scan(services, topic, strategy="since-last", dead_letter=f"_dead-{UNIQUE}")

    diff = services.datasets.diff(services.datasets.find(f"real/{topic}")).to_json()
    changes = {(c["change"], c["path"]): c for c in diff["changes"]}
    first = {"partition": 1, "offset": 100}
    for key in (("added", "value.coupon"), ("type", "value.id")):
        assert {k: changes[key]["first_seen"][k] for k in first} == first, key
    assert changes["type", "value.id"]["after"] == ["int32", "string"]
    assert diff["compatibility"] == {"backward": True, "forward": False, "full": False}

    letters = consumed(stack, f"_dead-{UNIQUE}", 2)
    assert [m.value() for m in letters] == [b'{"id":', b"\xff\xfe\xfd"]
    headers = dict(letters[0].headers())
    assert headers["from"] == b"test"
    assert (headers[PREFIX + "topic"], headers[PREFIX + "partition"]) == (topic.encode(), b"1")
    assert headers[PREFIX + "offset"] == b"120" and headers[PREFIX + "reason"] == b"value:not_json"
    assert {p["message"] for p in done["problems"]} >= {"dead_letters", "not_json"}
    assert topic in {t.name for t in services.discovery.select("real", ["*"])}
    assert f"_dead-{UNIQUE}" not in {t.name for t in services.discovery.select("real", ["*"])}


def test_events_are_in_the_topic_in_order(stack: Any, services: Services) -> None:
    kept = services.events.list(EventFilter(after=0), 1000)
    assert "weir.schema.changed" in {e.type for e in kept}
    services.deliveries.step(wait=True)
    messages = consumed(stack, f"_events-{UNIQUE}", len(kept))
    told = [json.loads(m.value()) for m in messages]
    assert [t["id"] for t in told] == [e.id for e in kept]
    assert dict(messages[0].headers())["content-type"].startswith(b"application/cloudevents+json")
    (state,) = services.events.deliveries()
    assert (state["receiver"], state["behind"], state["problem"]) == ("kafka", 0, None)


class Meddling(KafkaOffsets):
    """Something happens to the topics right after their offsets were asked."""

    def __init__(self, meddle: Callable[[], None]) -> None:
        super().__init__()
        self._meddle = meddle

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        found = super().offsets(cluster, topics)
        meddle, self._meddle = self._meddle, lambda: None
        meddle()
        return found


def meddled(stack: Any, sampler: SparkSampler, topics: list[str], meddle: Callable[[], None]) -> dict[str, DatasetScan]:
    cluster = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka)
    scanner = Scanner(
        sampler, Meddling(meddle), MemoryRegistry(), ScannerSettings(detect=False), letters=SparkDeadLetters(sampler)
    )
    return {d.dataset.name: d for d in scanner.scan(cluster, topics, SampleRequest(Strategy.FULL))}


def reasons(found: DatasetScan) -> set[str]:
    return {str(p["reason"]) for p in found.problems}


def test_records_that_expire_meanwhile_are_a_gap(
    stack: Any, admin: AdminClient, make_topic: Callable[..., str], sampler: SparkSampler
) -> None:
    topic = make_topic("expiring")
    produce(stack, topic, [b'{"a":1}'] * 50)
    place = TopicPartition(topic, 0, 30)
    found = meddled(stack, sampler, [topic], lambda: [f.result(30) for f in admin.delete_records([place]).values()])
    assert found[topic].schema.window.records == 20
    (gap,) = [p for p in found[topic].problems if p["reason"] == "offsets_without_record"]
    assert gap["count"] == 30


def test_a_topic_deleted_or_made_anew_meanwhile_is_told_and_the_others_are_scanned(
    stack: Any, admin: AdminClient, make_topic: Callable[..., str], sampler: SparkSampler
) -> None:
    kept, gone, anew = make_topic("kept"), make_topic("gone"), make_topic("anew")
    for topic in (kept, gone, anew):
        produce(stack, topic, [b'{"a":1}'] * 50)

    def meddle() -> None:
        for future in admin.delete_topics([gone, anew]).values():
            future.result(30)
        until = time.monotonic() + 30
        while time.monotonic() < until:
            made = admin.create_topics([NewTopic(anew, 1, 1)])[anew]
            if made.exception(30) is None:
                break
        produce(stack, anew, [b'{"b":1}'] * 5)

    started = time.monotonic()
    found = meddled(stack, sampler, [kept, gone, anew], meddle)
    assert time.monotonic() - started < 120
    assert found[kept].schema.window.records == 50 and not reasons(found[kept])
    assert "topic_gone" in reasons(found[gone])
    assert reasons(found[anew]) & {"offsets_without_record", "topic_recreated"}
