"""Topics as the registry's own clients write them, by every subject name strategy, scanned by real Spark."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic
from confluent_kafka.schema_registry import (
    Schema,
    SchemaReference,
    record_subject_name_strategy,
    topic_record_subject_name_strategy,
    topic_subject_name_strategy,
)
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.schema_registry.json_schema import JSONSerializer
from confluent_kafka.schema_registry.protobuf import ProtobufSerializer
from confluent_kafka.serialization import MessageField, SerializationContext
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, struct_pb2, timestamp_pb2, wrappers_pb2
from pydantic import SecretStr

from api.bootstrap import build
from api.config.home import Home
from api.config.settings import Settings
from api.joins.declared import DeclaredService
from api.wiring.given import GivenAdapters
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.declared.cluster_specs import ClusterSpec
from catalog.model import DatasetScan
from policies.model import Subject
from policies.query.service import GovernedQuery
from scanners.adapters.kafka.offsets import KafkaOffsets
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.adapters.spark.sampler import SparkSampler
from scanners.model import ClusterConnection
from scanners.scan.service import Scanner
from scanners.schemas.protobuf.names import resolve, symbols
from scanners.schemas.protobuf.parser import parse
from scanners.settings import ScannerSettings
from tests.twins.catalog.index import MemorySearchIndex
from tests.twins.lineage import MemoryEventLog, MemoryEventSource, MemoryGraph
from tests.twins.policies.stores import MemoryHeadPublisher
from tests.view_world import registry_client

pytestmark = pytest.mark.integration

UNIQUE = f"subjects{uuid.uuid4().hex[:8]}20260101"
SPACE = f"com.{UNIQUE}"
RECORDS = 40
STRATEGIES: dict[str, Callable[..., str | None]] = {
    "topic": topic_subject_name_strategy,
    "record": record_subject_name_strategy,
    "topic-record": topic_record_subject_name_strategy,
}
Rows = list[tuple[bytes | None, bytes]]


def avro(name: str, *fields: tuple[str, Any]) -> str:
    listed = [{"name": field, "type": kind} for field, kind in fields]
    return json.dumps({"type": "record", "name": name, "namespace": SPACE, "fields": listed})


ORDER = avro("Order", ("id", "long"), ("total", "double"), ("ship_to", "string"))
PAYMENT = avro("Payment", ("payment_id", "string"), ("method", "string"))
REFUND = avro("Refund", ("refund_id", "string"), ("reason", ["null", "string"]))
KEY = avro("OrderKey", ("id", "long"))
SHORT_KEY = avro("ShortKey", ("id", "long"))
ORDERS = [{"id": n, "total": n / 2, "ship_to": f"town {n}"} for n in range(RECORDS)]
PAYMENTS = [{"payment_id": f"p{n}", "method": "card"} for n in range(RECORDS)]
REFUNDS = [{"refund_id": f"r{n}", "reason": None if n % 2 else "broken"} for n in range(RECORDS)]

MONEY = f'syntax = "proto3"; package {SPACE}.common; message Money {{ string currency = 1; int64 units = 2; }}'
SHOP = f"""
syntax = "proto3";
package {SPACE};
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";
import "google/protobuf/struct.proto";
import "{UNIQUE}/money.proto";
message Envelope {{ string source = 1; map<string, string> tags = 2; message Inner {{ string deep = 1; }} }}
message Placed {{
  string order_id = 1;
  {SPACE}.common.Money amount = 2;
  google.protobuf.Timestamp at = 3;
  google.protobuf.StringValue note = 4;
  google.protobuf.Struct extra = 5;
  repeated Line lines = 6;
  message Line {{ string sku = 1; Kind kind = 2; enum Kind {{ UNKNOWN = 0; GIFT = 1; }} }}
}}
message Shipped {{ string parcel = 1; oneof by {{ string truck = 2; string ship = 3; }} }}
"""


def protobuf_classes() -> Callable[[str], Any]:
    pool = descriptor_pool.DescriptorPool()
    known: dict[str, int] = {}
    for module in (timestamp_pb2, wrappers_pb2, struct_pb2):
        file = descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)
        pool.Add(file)
        known |= symbols(file)
    for name, text in ((f"{UNIQUE}/money.proto", MONEY), (f"{UNIQUE}/shop.proto", SHOP)):
        file = parse(text, name)
        known |= symbols(file)
        resolve(file, known)
        pool.Add(file)
    return lambda name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{SPACE}.{name}"))


PLACED: dict[str, Any] = {}


class World:
    """Makes topics with the registry's clients."""

    def __init__(self, stack: Any) -> None:
        self.admin = AdminClient({"bootstrap.servers": stack.kafka})
        self.producer = Producer({"bootstrap.servers": stack.kafka})
        self.registry = registry_client(stack.registry)
        self.topics: list[str] = []

    def topic(self, name: str, rows: Callable[[str], Rows]) -> None:
        topic = f"{UNIQUE}-{name}"
        self.admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
        self.topics.append(topic)
        for key, value in rows(topic):
            self.producer.produce(topic, value, key)
        assert self.producer.flush(30) == 0

    def avro(
        self,
        topic: str,
        schema: Any,
        records: Sequence[Any],
        strategy: str,
        field: str = MessageField.VALUE,
        **conf: Any,
    ) -> list[bytes]:
        serializer = AvroSerializer(self.registry, schema, conf={"subject.name.strategy": STRATEGIES[strategy], **conf})
        return [serializer(record, SerializationContext(topic, field)) for record in records]

    def json(self, topic: str, schema: Any, records: Sequence[Any], strategy: str) -> list[bytes]:
        serializer = JSONSerializer(schema, self.registry, conf={"subject.name.strategy": STRATEGIES[strategy]})
        return [serializer(record, SerializationContext(topic, MessageField.VALUE)) for record in records]

    def protobuf(self, topic: str, records: Sequence[Any], strategy: str) -> list[bytes]:
        conf = {"subject.name.strategy": STRATEGIES[strategy]}
        serializer = ProtobufSerializer(type(records[0]), self.registry, conf)
        return [serializer(record, SerializationContext(topic, MessageField.VALUE)) for record in records]

    def close(self) -> None:
        for gone in self.admin.delete_topics(self.topics).values():
            gone.result(30)


def values(*bodies: list[bytes]) -> Rows:
    return [(None, body) for some in zip(*bodies, strict=True) for body in some]


def fill(world: World) -> None:
    def three(strategy: str) -> Callable[[str], Rows]:
        return lambda topic: values(
            world.avro(topic, ORDER, ORDERS, strategy),
            world.avro(topic, PAYMENT, PAYMENTS, strategy),
            world.avro(topic, REFUND, REFUNDS, strategy),
        )

    def keyed(strategy: str, key: str) -> Callable[[str], Rows]:
        def rows(topic: str) -> Rows:
            keys = world.avro(topic, key, [{"id": n} for n in range(RECORDS)], strategy, MessageField.KEY)
            return list(zip(keys, world.avro(topic, ORDER, ORDERS, strategy), strict=True))

        return rows

    world.topic("avro-record", three("record"))
    world.topic("avro-topic-record", three("topic-record"))
    world.topic("avro-keyed", keyed("topic", KEY))
    world.topic("avro-keyed-again", keyed("topic", KEY))
    world.topic("avro-keyed-record", keyed("record", SHORT_KEY))
    world.topic(
        "avro-moved",
        lambda topic: [
            *values(world.avro(topic, ORDER, ORDERS, "topic")),
            *values(world.avro(topic, PAYMENT, PAYMENTS, "record")),
        ],
    )

    def union(topic: str) -> Rows:
        world.avro(topic, ORDER, ORDERS[:1], "record")
        world.avro(topic, PAYMENT, PAYMENTS[:1], "record")
        names = [f"{SPACE}.Order", f"{SPACE}.Payment"]
        references = [SchemaReference(name, name, 1) for name in names]
        schema = Schema(json.dumps(names), "AVRO", references)
        both = [each for pair in zip(ORDERS, PAYMENTS, strict=True) for each in pair]
        tagged = [(f"{SPACE}.{'Order' if 'total' in each else 'Payment'}", each) for each in both]
        return values(world.avro(topic, schema, tagged, "topic"))

    world.topic("avro-union", union)

    of = protobuf_classes()

    def placed() -> list[Any]:
        messages = []
        for n in range(RECORDS):
            each = of("Placed")(order_id=f"o{n}")
            each.amount.currency, each.amount.units = "EUR", n
            each.at.FromDatetime(datetime(2026, 1, 1, 0, 0, n, tzinfo=UTC))
            each.note.value = "leave at the door"
            each.extra.update({"gift": True, "wrap": {"paper": "red"}, "weight": 1.5})
            each.lines.add(sku=f"s{n}", kind=1)
            messages.append(each)
        return messages

    shipped = [of("Shipped")(parcel=f"x{n}", truck="t") for n in range(RECORDS)]
    inner = [of("Envelope.Inner")(deep=f"d{n}") for n in range(RECORDS)]

    def protobuf(strategy: str) -> Callable[[str], Rows]:
        return lambda topic: values(
            world.protobuf(topic, placed(), strategy),
            world.protobuf(topic, shipped, strategy),
            world.protobuf(topic, inner, strategy),
        )

    for strategy in STRATEGIES:
        world.topic(f"protobuf-{strategy}", protobuf(strategy))

    address = json.dumps({"title": "Address", "type": "object", "properties": {"city": {"type": "string"}}})
    world.registry.register_schema(f"{UNIQUE}-address", Schema(address, "JSON"))
    customer = json.dumps(
        {
            "title": f"{SPACE}.Customer",
            "type": "object",
            "required": ["name"],
            "additionalProperties": False,
            "properties": {"name": {"type": "string"}, "home": {"$ref": "address.json"}},
        }
    )
    visit = json.dumps(
        {
            "title": f"{SPACE}.Visit",
            "type": "object",
            "properties": {"page": {"type": "string"}, "seconds": {"type": "integer"}},
        }
    )
    references = [SchemaReference("address.json", f"{UNIQUE}-address", 1)]
    customers = [{"name": f"c{n}", "home": {"city": "Köln"}} for n in range(RECORDS)]
    visits = [{"page": "/a", "seconds": n} for n in range(RECORDS)]

    def of_json(strategy: str) -> Callable[[str], Rows]:
        return lambda topic: values(
            world.json(topic, Schema(customer, "JSON", references), customers, strategy),
            world.json(topic, visit, visits, strategy),
        )

    for strategy in ("record", "topic-record"):
        world.topic(f"json-{strategy}", of_json(strategy))

    def departing(topic: str) -> Rows:
        good = world.json(topic, Schema(customer, "JSON", references), customers, "record")
        return values([*good, good[0][:5] + b'{"name":5,"home":{"city":7}}'])

    world.topic("json-departing", departing)


@pytest.fixture(scope="module")
def cluster(stack: Any) -> ClusterConnection:
    return ClusterConnection("real", f"kafka://{stack.kafka}", stack.kafka, registry=stack.registry)


@pytest.fixture(scope="module")
def scans(stack: Any, cluster: ClusterConnection) -> Iterator[dict[str, DatasetScan]]:
    world = World(stack)
    sampler = SparkSampler(stack.spark)
    try:
        fill(world)
        scanner = Scanner(sampler, KafkaOffsets(), HttpSchemaRegistry(), ScannerSettings(detect=False))
        yield {s.dataset.name.removeprefix(f"{UNIQUE}-"): s for s in scanner.scan(cluster, world.topics)}
    finally:
        sampler.close()
        world.close()
        forget(stack.registry)


def forget(url: str) -> None:
    """Delete the subjects for good. What others refer to goes after them, so it takes a few rounds."""
    with httpx.Client(base_url=url, trust_env=False) as client:
        for _ in range(4):
            mine = [s for s in client.get("/subjects", params={"deleted": "true"}).json() if UNIQUE in s]
            for subject in mine:
                path = f"/subjects/{quote(subject, safe='')}"
                client.delete(path)
                client.delete(path, params={"permanent": "true"})


def whens(scan: DatasetScan) -> set[Any]:
    return {(shape.when or {}).get("subject") for shape in scan.schema.shapes}


def types(scan: DatasetScan) -> dict[str, set[str]]:
    return {field.path: set(field.types) for field in scan.schema.fields}


CLEAN = [
    "avro-record",
    "avro-topic-record",
    "avro-keyed",
    "avro-keyed-again",
    "avro-keyed-record",
    "avro-moved",
    "avro-union",
    "protobuf-topic",
    "protobuf-record",
    "protobuf-topic-record",
    "json-record",
    "json-topic-record",
]


@pytest.mark.parametrize("name", CLEAN)
def test_nothing_is_undecodable_and_nothing_departs(scans: dict[str, DatasetScan], name: str) -> None:
    assert list(scans[name].problems) == []
    assert scans[name].schema.format["value"] == {"json": "json-schema"}.get(name.split("-")[0], name.split("-")[0])


@pytest.mark.parametrize("name", ["avro-record", "avro-topic-record"])
def test_records_of_a_topic_are_told_apart_by_their_name(scans: dict[str, DatasetScan], name: str) -> None:
    assert whens(scans[name]) == {f"{SPACE}.{kind}" for kind in ("Order", "Payment", "Refund")}
    by_path = types(scans[name])
    assert by_path["value.total"] == {"double"} and by_path["value.reason"] == {"string", "null"}


def test_the_branches_of_a_union_are_told_apart(scans: dict[str, DatasetScan]) -> None:
    assert whens(scans["avro-union"]) == {f"{SPACE}.Order", f"{SPACE}.Payment"}
    assert whens(scans["avro-moved"]) == {f"{SPACE}.Order", f"{SPACE}.Payment"}


@pytest.mark.parametrize("name", ["avro-keyed", "avro-keyed-again", "avro-keyed-record"])
def test_keys_are_read_by_their_schema(scans: dict[str, DatasetScan], name: str) -> None:
    assert types(scans[name])["key.id"] <= {"int32", "int64"}
    assert scans[name].schema.format["key"] == "avro"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_protobuf_messages_of_one_file(scans: dict[str, DatasetScan], strategy: str) -> None:
    scan = scans[f"protobuf-{strategy}"]
    assert whens(scan) == {f"{SPACE}.{kind}" for kind in ("Placed", "Shipped", "Envelope.Inner")}
    by_path = types(scan)
    assert by_path["value.at"] == {"timestamp"} and by_path["value.note"] == {"string"}
    assert by_path["value.extra.wrap.paper"] == {"string"} and by_path["value.extra.gift"] == {"boolean"}
    assert by_path["value.amount.units"] == {"int32"} and by_path["value.lines[].kind"] == {"string"}
    assert by_path["value.parcel"] == by_path["value.deep"] == {"string"} and "value.source" not in by_path


@pytest.mark.parametrize("strategy", ["record", "topic-record"])
def test_json_schemas_by_their_title(scans: dict[str, DatasetScan], strategy: str) -> None:
    assert whens(scans[f"json-{strategy}"]) == {f"{SPACE}.Customer", f"{SPACE}.Visit"}
    assert types(scans[f"json-{strategy}"])["value.home.city"] == {"string"}


def test_a_record_that_departs_from_the_json_schema_it_names(scans: dict[str, DatasetScan]) -> None:
    by_pair = {(p.get("path"), p.get("why")): p["count"] for p in scans["json-departing"].problems}
    assert by_pair == {("value.name", "type"): 1, ("value.home.city", "type"): 1}


# --- and queried ------------------------------------------------------------------------------------------------------

ADMIN = Subject("admin", roles=frozenset({"admin"}))
ANA = Subject("ana", roles=frozenset({"analyst"}))
ROLE = {
    "apiVersion": "weir/v1",
    "kind": "Role",
    "metadata": {"name": "analyst"},
    "spec": {"read": [{"dataset": "*"}], "seesUnscanned": True},
}


@pytest.fixture(scope="module")
def services(stack: Any, scans: dict[str, DatasetScan], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    folder: Path = tmp_path_factory.mktemp("subjects")
    settings = Settings()
    settings.database.url = f"sqlite:///{folder}/weir.db"
    settings.kafka.bootstrap_servers = stack.kafka
    settings.spark.remote = SecretStr(stack.spark)
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
        ),
    )
    spec = {"bootstrapServers": stack.kafka, "schemaRegistry": {"url": stack.registry}}
    services[Datasets].register_cluster("real", ClusterSpec.model_validate(spec))
    services[DeclaredService].apply(json.dumps(ROLE), ADMIN, dry_run=False, prune=False)
    for scan in scans.values():
        services[Datasets].record_scan(scan)
    yield services
    services.close()


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("name", "columns", "where", "row"),
    [
        ("avro-record", "total, ship_to", "id = 3", [1.5, "town 3"]),
        ("avro-union", "payment_id, method", "payment_id = 'p4'", ["p4", "card"]),
        ("avro-keyed-record", "_key.id, total", "id = 7", [7, 3.5]),
        (
            "protobuf-record",
            "amount.units, note, extra.wrap.paper, lines[0].kind",
            "order_id = 'o9'",
            [9, "leave at the door", "red", "GIFT"],
        ),
        ("protobuf-topic", "parcel, truck", "parcel = 'x2'", ["x2", "t"]),
        ("protobuf-topic-record", "deep", "deep = 'd1'", ["d1"]),
        ("json-record", "name, home.city", "name = 'c5'", ["c5", "Köln"]),
    ],
)
def test_a_governed_query_reads_them(services: Instance, name: str, columns: str, where: str, row: list[Any]) -> None:
    answer = services[GovernedQuery].run(ANA, f"SELECT {columns} FROM real.`{UNIQUE}-{name}` WHERE {where}")
    assert [list(each) for each in answer.rows] == [row]
