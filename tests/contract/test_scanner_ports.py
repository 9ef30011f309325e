"""What any sampler, offset lookup and registry promises: the memory twins always, Spark, Kafka and the registry too."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from catalog.model import ScanWindow
from scanners.model import ClusterConnection, OffsetRange, RawRecord, Recognizer, RegisteredSchema
from scanners.ports import OffsetLookup, ProfileJob, RecordReader, Sampler, SchemaRegistry
from scanners.scan.to_schema import schema_of
from scanners.sketch.topic import Sketch
from tests.twins.scanners import MemoryOffsets, MemoryRecords, MemoryRegistry, MemorySampler

TOPICS: dict[str, list[RawRecord]] = {
    "orders": [
        RawRecord(
            f"k{i}".encode(),
            None if i == 5 else json.dumps({"id": i, "mail": f"m{i}@gmx.net", "code": f"EMP-{i:06d}"}).encode(),
            [("trace", uuid.UUID(int=i).hex.encode()), ("empty", None)],
            i % 2,
            i // 2,
            1_700_000_000_000 + i,
        )
        for i in range(60)
    ],
    "broken": [RawRecord(None, b'{"a":1}' if i else b"{oops", [], 0, i, 1_700_000_000_000 + i) for i in range(10)],
    "empty": [],
}
EMPLOYEE = Recognizer("emp", "EMPLOYEE_NUMBER", ({"name": "emp", "regex": "EMP-[0-9]{6}", "score": 0.6},), ("code",))


@dataclass
class World:
    """A place that holds TOPICS, by the names `names` gives them."""

    cluster: ClusterConnection
    names: Mapping[str, str]
    sampler: Callable[[], Sampler]
    offsets: OffsetLookup
    records: RecordReader


def memory_world(_request: Any) -> Iterator[World]:
    cluster = ClusterConnection("m", "kafka://m", "m:9092")
    yield World(
        cluster, {n: n for n in TOPICS}, lambda: MemorySampler(TOPICS), MemoryOffsets(TOPICS), MemoryRecords(TOPICS)
    )


def server_world(request: Any) -> Iterator[World]:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    from scanners.adapters.kafka.offsets import KafkaOffsets
    from scanners.adapters.kafka.records import KafkaRecords
    from scanners.adapters.spark.sampler import SparkSampler

    stack = request.getfixturevalue("stack")
    prefix = f"scanner-{uuid.uuid4().hex[:8]}-"
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    names = {n: prefix + n for n in TOPICS}
    parts = {n: 2 if n == "orders" else 1 for n in TOPICS}
    config = {"retention.ms": "-1"}
    for futures in admin.create_topics([NewTopic(names[n], parts[n], 1, config=config) for n in TOPICS]).values():
        futures.result(30)
    producer = Producer({"bootstrap.servers": stack.kafka})
    for n, records in TOPICS.items():
        for r in records:
            producer.produce(
                names[n],
                key=r.key,
                value=r.value,
                headers=list(r.headers),
                partition=r.partition,
                timestamp=r.timestamp,
            )
    assert producer.flush(30) == 0
    samplers: list[SparkSampler] = []

    def sampler() -> SparkSampler:
        samplers.append(SparkSampler(stack.spark))
        return samplers[-1]

    cluster = ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka)
    yield World(cluster, names, sampler, KafkaOffsets(), KafkaRecords())
    for made_sampler in samplers:
        made_sampler.close()
    for gone in admin.delete_topics(list(names.values())).values():
        gone.result(30)


WORLDS = {"memory": memory_world, "servers": server_world}


@pytest.fixture(scope="module", params=["memory", pytest.param("servers", marks=pytest.mark.integration)])
def world(request: pytest.FixtureRequest) -> Iterator[World]:
    yield from WORLDS[request.param](request)


@pytest.fixture(scope="module")
def sampler(world: World) -> Sampler:
    return world.sampler()


def range_of(world: World, partition: int, start: int, end: int) -> OffsetRange:
    return OffsetRange(world.names["orders"], partition, start, end)


def test_a_reader_gives_every_record_of_its_ranges_and_no_other(world: World) -> None:
    read = world.records.read(world.cluster, [range_of(world, 0, 1, 5), range_of(world, 1, 28, 30)], 10**6, 30)
    expected = [r for r in TOPICS["orders"] if r.offset in ((1, 2, 3, 4), (28, 29))[r.partition]]
    order = sorted(read.records, key=lambda r: (r.partition, r.offset))
    assert [r._replace(headers=tuple(r.headers)) for r in order] == [
        r._replace(headers=tuple(r.headers)) for r in sorted(expected, key=lambda r: (r.partition, r.offset))
    ]
    assert read.next == {0: 5, 1: 30}


def test_a_reader_stops_at_its_bounds_and_states_how_far_it_came(world: World) -> None:
    read = world.records.read(world.cluster, [range_of(world, 0, 0, 30)], 300, 30)
    assert 1 <= len(read.records) < 30
    assert read.next == {0: read.records[-1].offset + 1}
    assert world.records.read(world.cluster, [], 10, 30).records == ()


def test_offsets_that_are_gone_are_not_reached_and_end_the_reading(world: World) -> None:
    if isinstance(world.records, MemoryRecords):
        pytest.skip("records in memory do not expire")
    read = world.records.read(world.cluster, [range_of(world, 0, 500, 600), range_of(world, 1, 0, 2)], 10**6, 30)
    assert (len(read.records), read.next) == (2, {0: 500, 1: 2})
    id = world.records.topic_id(world.cluster, world.names["orders"])
    [topic] = world.offsets.offsets(world.cluster, [world.names["orders"]])
    assert len(id) > 10 and topic.id == id


def job(world: World, *ranges: tuple[str, int, int, int], **more: Any) -> ProfileJob:
    return ProfileJob(
        world.cluster,
        tuple(OffsetRange(world.names[t], p, a, b) for t, p, a, b in ranges),
        salt="s",
        **{"detect": False, **more},
    )


def run(sampler: Sampler, profile_job: ProfileJob) -> dict[str, Sketch]:
    return {t: Sketch.from_bytes(body) for t, body in sampler.profile(profile_job, lambda: False)}


EVERYTHING = (("orders", 0, 0, 30), ("orders", 1, 0, 30), ("broken", 0, 0, 10))


def test_several_topics_in_one_job_with_keys_headers_tombstones(world: World, sampler: Sampler) -> None:
    result = run(sampler, job(world, *EVERYTHING))
    assert set(result) == {world.names["orders"], world.names["broken"]}
    orders = result[world.names["orders"]]
    assert orders.records == 60 and orders.present["value"] == 59
    schema = schema_of(orders, ScanWindow())
    assert {f.path for f in schema.fields} == {
        "key",
        "value",
        "value.id",
        "value.mail",
        "value.code",
        "headers.trace",
        "headers.empty",
    }
    assert next(f for f in schema.fields if f.path == "headers.empty").null_share == 1.0
    read = orders.partitions[1]
    assert (read.records, read.first, read.last) == (30, 0, 29)
    assert read.time_from == 1_700_000_000_001
    problems = result[world.names["broken"]].problems
    assert problems["value", "not_json"] == [1, (1_700_000_000_000, 0, 0)]


def test_only_the_asked_offsets_are_read_also_in_several_windows(world: World, sampler: Sampler) -> None:
    result = run(sampler, job(world, ("orders", 0, 2, 5), ("orders", 0, 10, 11), ("orders", 1, 29, 30)))
    orders = result[world.names["orders"]]
    assert orders.records == 5
    assert {n: (p.records, p.first, p.last) for n, p in orders.partitions.items()} == {0: (4, 2, 10), 1: (1, 29, 29)}


@pytest.mark.tail
def test_offsets_that_hold_nothing_give_no_sketch(world: World, sampler: Sampler) -> None:
    assert run(sampler, job(world, ("empty", 0, 0, 1))) == {}


def test_limits_hold_in_the_workers(world: World, sampler: Sampler) -> None:
    orders = run(sampler, job(world, *EVERYTHING[:2], deadline=1.0))[world.names["orders"]]
    assert orders.records == 0
    assert sum(p.skipped for p in orders.partitions.values()) == 60


def test_detectors_run_where_the_records_are(world: World, sampler: Sampler) -> None:
    from scanners.scan.classify import classify

    result = run(sampler, job(world, *EVERYTHING, detect=True, recognizers=(EMPLOYEE,), phone_regions=("US",)))
    verdicts, unscanned = classify(result[world.names["orders"]], (EMPLOYEE,))
    assert {(v.path, v.entity) for v in verdicts} == {
        ("value.mail", "EMAIL_ADDRESS"),
        ("value.code", "EMPLOYEE_NUMBER"),
    }
    assert unscanned == ()


def test_a_cancelled_job_ends(world: World, sampler: Sampler) -> None:
    assert list(sampler.profile(job(world, *EVERYTHING), lambda: True)) == []
    assert run(sampler, job(world, *EVERYTHING)), "and the sampler still works"


def test_topics_and_offsets(world: World) -> None:
    assert set(world.names.values()) <= set(world.offsets.topics(world.cluster))
    ranges = world.offsets.offsets(world.cluster, [world.names["orders"], world.names["empty"], "no-such-topic"])
    by_name = {t.name: [(p.partition, p.begin, p.end) for p in t.partitions] for t in ranges}
    assert by_name == {world.names["orders"]: [(0, 0, 30), (1, 0, 30)], world.names["empty"]: [(0, 0, 0)]}


# --- registry ---------------------------------------------------------------------------------------------------------

INNER = json.dumps({"type": "record", "name": "Inner", "fields": [{"name": "x", "type": "int"}]})
OUTER = json.dumps({"type": "record", "name": "Outer", "fields": [{"name": "i", "type": "Inner"}]})


@dataclass
class Registered:
    registry: SchemaRegistry
    cluster: ClusterConnection
    topic: str
    inner: int
    outer: int


def memory_registry(_request: Any) -> Iterator[Registered]:
    schemas = {1: RegisteredSchema(1, "AVRO", INNER), 2: RegisteredSchema(2, "AVRO", OUTER, (("Inner", "1"),))}
    cluster = ClusterConnection("m", "kafka://m", "m:9092", registry="http://m")
    yield Registered(MemoryRegistry(schemas), cluster, "t", 1, 2)


def server_registry(request: Any) -> Iterator[Registered]:
    from scanners.adapters.registry import HttpSchemaRegistry

    stack = request.getfixturevalue("stack")
    topic = f"scanner-{uuid.uuid4().hex[:8]}"
    subjects = [f"{topic}-common", f"{topic}-value"]
    with httpx.Client(base_url=stack.registry, trust_env=False) as client:
        inner = client.post(f"/subjects/{subjects[0]}/versions", json={"schema": INNER}).raise_for_status().json()["id"]
        reference = {"name": "Inner", "subject": subjects[0], "version": 1}
        body = {"schema": OUTER, "references": [reference]}
        outer = client.post(f"/subjects/{subjects[1]}/versions", json=body).raise_for_status().json()["id"]
        cluster = ClusterConnection("real", "kafka://r", "r:9092", registry=stack.registry)
        yield Registered(HttpSchemaRegistry(), cluster, topic, inner, outer)
        for subject in reversed(subjects):
            client.delete(f"/subjects/{subject}")


REGISTRIES = {"memory": memory_registry, "server": server_registry}


@pytest.fixture(scope="module", params=["memory", pytest.param("server", marks=pytest.mark.integration)])
def registered(request: pytest.FixtureRequest) -> Iterator[Registered]:
    yield from REGISTRIES[request.param](request)


def test_schemas_of_topics_come_with_what_they_refer_to(registered: Registered) -> None:
    from scanners.schemas.registered import Schemas

    answer = registered.registry.for_topics(registered.cluster, [registered.topic])
    assert set(answer.schemas) == {registered.inner, registered.outer}
    assert answer.problems == ()
    assert Schemas(answer.schemas).avro(registered.outer)["name"] == "Outer"


def test_schemas_by_id_and_ids_nobody_knows(registered: Registered) -> None:
    answer = registered.registry.by_ids(registered.cluster, [registered.outer, 999_999])
    assert registered.outer in answer.schemas and 999_999 not in answer.schemas
    assert [p["reason"] for p in answer.problems] == ["schema_not_found"]
