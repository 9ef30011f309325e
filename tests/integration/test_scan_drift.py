"""Changes of producers, undecodable records and vanishing ones, on a real cluster by real Spark."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import httpx
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.features.scans.runner import ScanRunner
from api.wiring.given import GivenAdapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.datasets.discovery import Discovery
from catalog.declared.cluster_specs import ClusterSpec
from catalog.event_model import EventFilter
from catalog.events.deliveries import Deliveries
from catalog.events.events import Events
from catalog.model import DatasetScan, ScanWindow
from catalog.scans.scans import Scans
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark.dead_letters import SparkDeadLetters
from scanners.adapters.spark.sampler import SparkSampler
from scanners.decode.dead_letters import PREFIX
from scanners.export.formats import export
from scanners.model import ClusterConnection, RawRecord, SampleRequest, Strategy, Topic
from scanners.scan.service import Scanner
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from scanners.worker.profile import TopicProfiler
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.twins.policies.stores import MemoryHeadPublisher
from tests.twins.scanners import MemoryRegistry, sealed

pytestmark = pytest.mark.integration

UNIQUE = uuid.uuid4().hex[:8]


@pytest.fixture(scope="module")
def admin(stack: Any) -> AdminClient:
    return AdminClient({"bootstrap.servers": stack.kafka})


@pytest.fixture(scope="module")
def make_topic(admin: AdminClient) -> Iterator[Callable[..., str]]:
    topics: list[str] = []

    def make(name: str, partitions: int = 1, **config: str) -> str:
        topic = f"{name}-{UNIQUE}"
        admin.create_topics([NewTopic(topic, partitions, 1, config=config)])[topic].result(30)
        topics.append(topic)
        return topic

    yield make
    gone = [*topics, f"_dead-{UNIQUE}", f"_events-{UNIQUE}"]
    for name, future in admin.delete_topics(gone).items():
        if name not in topics:
            future.exception(30)


@pytest.fixture(scope="module")
def sampler(stack: Any) -> Iterator[SparkSampler]:
    sampler = SparkSampler(stack.spark)
    yield sampler
    sampler.close()


@pytest.fixture(scope="module")
def services(stack: Any, sampler: SparkSampler, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder: Path = tmp_path_factory.mktemp("drift")
    settings = Settings()
    settings.database.url = f"sqlite:///{folder}/weir.db"
    settings.kafka.bootstrap_servers = stack.kafka
    settings.events.topic = f"_events-{UNIQUE}"
    settings.scanners.detect = False
    log = MemoryEventLog()
    services = build(
        settings,
        Home(folder),
        GivenAdapters(
            index=MemorySearchIndex(),
            log=log,
            source=MemoryEventSource(log),
            letters=MemoryEventLog(),
            graph=MemoryGraph(),
            publisher=MemoryHeadPublisher(),
            sampler=sampler,
            registry=MemoryRegistry(),
        ),
    )
    services[Datasets].register_cluster("real", ClusterSpec.model_validate({"bootstrapServers": stack.kafka}))
    yield services
    services.close()


def produce(stack: Any, topic: str, values: Sequence[bytes], partition: int = 0) -> None:
    producer = Producer({"bootstrap.servers": stack.kafka})
    for value in values:
        producer.produce(topic, value, partition=partition, headers=[("from", b"test")])
        producer.poll(0)
    assert producer.flush(60) == 0


def consumed(stack: Any, topic: str, count: int) -> list[Any]:
    consumer = Consumer({"bootstrap.servers": stack.kafka, "group.id": UNIQUE, "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    messages: list[Any] = []
    until = time.monotonic() + 30
    while len(messages) < count and time.monotonic() < until:
        message = consumer.poll(1)
        if message is not None and message.error() is None:
            messages.append(message)
    consumer.close()
    return messages


def scan(services: Instance, topic: str, **sample: Any) -> dict[str, Any]:
    asked = services[Scans].request("real", [topic], sample)
    assert services[ScanRunner].run_next()
    done = asdict(services[Scans].get(asked.id))
    assert done["state"] == "done", done
    return done


@pytest.mark.tail
def test_a_producer_that_changes_at_a_known_offset_is_named_with_it(
    stack: Any, make_topic: Callable[..., str], services: Instance
) -> None:
    topic = make_topic("orders", 3)
    for partition in range(3):
        produce(stack, topic, [b'{"id":%d,"region":"EU"}' % n for n in range(100)], partition)
    scan(services, topic, strategy="full")
    changed = [b'{"id":"%d","region":"EU","coupon":"C"}' % n for n in range(100, 150)]
    produce(stack, topic, [*changed[:20], b'{"id":', b"\xff\xfe\xfd", *changed[20:]], partition=1)
    done = scan(services, topic, strategy="since-last", deadLetter=f"_dead-{UNIQUE}")

    diff = services[Datasets].diff(services[Datasets].find(f"real/{topic}"))
    changes: dict[tuple[str, str | None], Any] = {(c.change, c.path): c.to_json() for c in diff.changes}
    first = {"partition": 1, "offset": 100}
    for key in (("added", "value.coupon"), ("type", "value.id")):
        assert {k: changes[key]["firstSeen"][k] for k in first} == first, key
    assert changes["type", "value.id"]["after"] == ["int32", "string"]
    assert diff.compatibility.to_json() == {"backward": True, "forward": False, "full": False}

    letters = consumed(stack, f"_dead-{UNIQUE}", 2)
    assert [m.value() for m in letters] == [b'{"id":', b"\xff\xfe\xfd"]
    headers = dict(letters[0].headers())
    assert headers["from"] == b"test"
    assert (headers[PREFIX + "topic"], headers[PREFIX + "partition"]) == (topic.encode(), b"1")
    assert headers[PREFIX + "offset"] == b"120" and headers[PREFIX + "reason"] == b"value:not_json"
    assert {p["reason"] for p in done["problems"]} >= {"dead_letters", "not_json"}
    assert topic in {t.name for t in services[Discovery].select("real", ["*"])}
    assert f"_dead-{UNIQUE}" not in {t.name for t in services[Discovery].select("real", ["*"])}


@pytest.mark.tail
def test_events_are_in_the_topic_in_order(stack: Any, services: Instance) -> None:
    kept = services[Events].list(EventFilter(after=0), 1000)
    assert "weir.schema.changed" in {e.type for e in kept}
    services[Deliveries].step(wait=True)
    messages = consumed(stack, f"_events-{UNIQUE}", len(kept))
    documents = [json.loads(m.value()) for m in messages]
    assert [t["id"] for t in documents] == [e.id for e in kept]
    assert dict(messages[0].headers())["content-type"].startswith(b"application/cloudevents+json")
    ((state, behind),) = services[Events].deliveries()
    assert (state.name, behind, state.problem) == ("kafka", 0, None)


class Meddling(KafkaOffsets):
    """Something happens to the topics right after their offsets were asked."""

    def __init__(self, meddle: Callable[[], object]) -> None:
        super().__init__()
        self._meddle = meddle

    def offsets(self, cluster: ClusterConnection, topics: Sequence[str]) -> list[Topic]:
        ranges = super().offsets(cluster, topics)
        meddle, self._meddle = self._meddle, lambda: None
        meddle()
        return ranges


def meddled(
    stack: Any, sampler: SparkSampler, topics: list[str], meddle: Callable[[], object]
) -> dict[str, DatasetScan]:
    cluster = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka)
    scanner = Scanner(
        sampler, Meddling(meddle), MemoryRegistry(), ScannerSettings(detect=False), letters=SparkDeadLetters(sampler)
    )
    return {d.dataset.name: d for d in scanner.scan(cluster, topics, SampleRequest(Strategy.FULL))}


def reasons(dataset_scan: DatasetScan) -> set[str]:
    return {str(p["reason"]) for p in dataset_scan.problems}


def test_records_that_expire_meanwhile_are_a_gap(
    stack: Any, admin: AdminClient, make_topic: Callable[..., str], sampler: SparkSampler
) -> None:
    topic = make_topic("expiring")
    produce(stack, topic, [b'{"a":1}'] * 50)
    place = TopicPartition(topic, 0, 30)
    scans = meddled(stack, sampler, [topic], lambda: [f.result(30) for f in admin.delete_records([place]).values()])
    assert scans[topic].schema.window.records == 20
    (gap,) = [p for p in scans[topic].problems if p["reason"] == "offsets_without_record"]
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
            futures = admin.create_topics([NewTopic(anew, 1, 1)])[anew]
            if futures.exception(30) is None:
                break
        produce(stack, anew, [b'{"b":1}'] * 5)

    started = time.monotonic()
    scans = meddled(stack, sampler, [kept, gone, anew], meddle)
    assert time.monotonic() - started < 120
    assert scans[kept].schema.window.records == 50 and not reasons(scans[kept])
    assert "topic_gone" in reasons(scans[gone])
    assert reasons(scans[anew]) & {"offsets_without_record", "topic_recreated"}


@pytest.fixture(scope="module")
def many(stack: Any, make_topic: Callable[..., str]) -> str:
    topic = make_topic("many", 4)
    for partition in range(4):
        produce(stack, topic, [b'{"n":%d}' % n for n in range(250)], partition)
    return topic


def read(stack: Any, sampler: SparkSampler, topic: str, request: SampleRequest, **more: Any) -> DatasetScan:
    cluster = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka)
    scanner = Scanner(sampler, KafkaOffsets(), MemoryRegistry(), ScannerSettings(detect=False))
    (scan_result,) = scanner.scan(cluster, [topic], request, **more)
    return scan_result


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("strategy", "ranges"),
    [
        (Strategy.LATEST, [[240, 250]]),
        (Strategy.EARLIEST, [[0, 10]]),
        (Strategy.RANDOM, None),
        (Strategy.STRATIFIED, None),
        (Strategy.FULL, [[0, 250]]),
    ],
)
def test_every_strategy_reads_what_it_says(
    stack: Any, sampler: SparkSampler, many: str, strategy: Strategy, ranges: list[list[int]] | None
) -> None:
    window = read(stack, sampler, many, SampleRequest(strategy, max_records=40)).schema.window
    full = strategy is Strategy.FULL
    assert window.records == (1000 if full else 40) and window.complete is full and window.strategy == strategy
    for p in window.partitions:
        assert ranges is None or p["ranges"] == ranges
        assert sum(end - start for start, end in p["ranges"]) == p["read"] and (p["begin"], p["end"]) == (0, 250)
        if strategy is Strategy.STRATIFIED:
            assert (p["first"], p["last"]) == (0, 249)


def test_since_last_reads_what_is_new_and_looks_again_at_some(stack: Any, sampler: SparkSampler, many: str) -> None:
    before = read(stack, sampler, many, SampleRequest(Strategy.FULL)).schema.window
    ask = SampleRequest(Strategy.SINCE_LAST, max_records=100)
    again = read(stack, sampler, many, ask, last_windows={many: before})
    assert again.schema.window.records == 20, "nothing is new, a fifth is looked at again"
    produce(stack, many, [b'{"new":1}'] * 30, partition=2)
    after = read(stack, sampler, many, ask, last_windows={many: before}).schema.window
    (fresh,) = [p for p in after.partitions if p["partition"] == 2]
    assert fresh["ranges"][-1][1] == 280 and fresh["last"] == 279


def test_limits_are_told(stack: Any, sampler: SparkSampler, make_topic: Callable[..., str]) -> None:
    topic = make_topic("limits")
    produce(stack, topic, [b'{"text":"%s"}' % (b"x" * 1000)] * 200)
    bytes_ = read(stack, sampler, topic, SampleRequest(Strategy.FULL, max_bytes=50_000))
    (limit,) = [p for p in bytes_.problems if p["reason"] == "byte_limit"]
    assert 45 <= bytes_.schema.window.records <= 55 and limit["count"] + bytes_.schema.window.records == 200
    assert not bytes_.schema.window.complete
    seconds = read(stack, sampler, topic, SampleRequest(Strategy.FULL, max_seconds=0.001))
    assert "time_limit" in reasons(seconds) and seconds.schema.window.records == 0


def test_an_empty_topic_is_told(stack: Any, sampler: SparkSampler, make_topic: Callable[..., str]) -> None:
    assert reasons(read(stack, sampler, make_topic("empty", 2), SampleRequest())) == {"empty"}


def test_a_registry_judges_a_learned_schema(
    stack: Any, sampler: SparkSampler, make_topic: Callable[..., str], services: Instance
) -> None:
    topic = make_topic("judged")
    produce(stack, topic, [b'{"id":"a","n":1}'] * 20)
    scan(services, topic)
    cluster = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka, registry=stack.registry)
    registry = HttpSchemaRegistry()
    schema = services[Datasets].schema(services[Datasets].find(f"real/{topic}"))
    fields = [{"name": "id", "type": "string"}, {"name": "n", "type": "int"}]
    text = json.dumps({"type": "record", "name": "Judged", "fields": fields})
    address, subject = f"{stack.registry}/subjects/{topic}-value", f"{topic}-value"
    assert registry.newest(cluster, subject) is None
    try:
        httpx.post(f"{address}/versions", json={"schema": text}).raise_for_status()
        newest = registry.newest(cluster, subject)
        assert newest is not None and newest.version == 1
        assert registry.accepts(cluster, subject, "AVRO", text) == (True, [])
        learned, _ = export("Judged", schema, "avro")
        assert registry.accepts(cluster, subject, "AVRO", learned)[0]
        other = text.replace('"int"', '"boolean"')
        accepted, why = registry.accepts(cluster, subject, "AVRO", other)
        assert not accepted, why
        assert registry.accepts(cluster, subject, "AVRO", "no schema")[0] is False
    finally:
        httpx.delete(address)
        httpx.delete(address, params={"permanent": "true"})


def test_spark_reads_the_ddl_it_is_given(sampler: SparkSampler) -> None:
    from pyspark.sql.connect import functions as f

    records = [{"a.b": {"1st": [1, 2]}, "select": None, "größe": "x`y", "m": {}}, {"a.b": {"1st": "x"}, "d": 1.5}]
    profiler = TopicProfiler("t", Schemas())
    profiler.add([RawRecord(None, json.dumps(r).encode(), [], 0, n, n) for n, r in enumerate(records * 10)])
    ddl, _ = export("t", schema_of(sealed("t", [profiler.sketch]), ScanWindow()), "ddl")
    read_back = sampler.session().range(1).select(f.from_json(f.lit(json.dumps(records[0])), ddl).alias("v"))
    row = read_back.selectExpr("v.`größe`", "v.`a.b`.`1st`").first()
    assert tuple(row) == ("x`y", "[1,2]")
