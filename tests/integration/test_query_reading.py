"""Random records, scanned in part and queried whole: each value is what was sent, or is counted as one that does not fit.

The records go through real Kafka and real Spark; scans, registry and catalog are the product's over memory twins.
WEIR_TEST_READING sets how many records each format has, WEIR_TEST_SEED which.
"""

from __future__ import annotations

import io
import json
import os
import random
import re
import struct
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from api.joins.query_tables import Decoder
from catalog.paths import FieldPath
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, Subject
from policies.query.service import GovernedQuery
from scanners.adapters.spark.carried_code import carried
from scanners.decode import json_form
from scanners.model import RawRecord, RegisteredSchema
from scanners.schemas.registered import Schemas
from tests.api_world import ApiWorld
from tests.reading_truth import differing

pytestmark = pytest.mark.integration

RECORDS = int(os.environ.get("WEIR_TEST_READING", "300"))
SEED = int(os.environ.get("WEIR_TEST_SEED", "20261122"))
SHARE = 0.3
"""Of the records, the share that is scanned; drift comes after it."""
ADMIN = Subject("admin", roles=frozenset({"admin"}))


@pytest.fixture(scope="module")
def engine(stack: Any) -> Iterator[SparkEngine]:
    sessions = Sessions(stack.engine, 1)
    yield SparkEngine(sessions, Decoder(carried))
    sessions.close()


class Raw(str):
    """JSON text of a number that Python would write in another form."""


def scalar(draw: random.Random, drift: bool) -> Any:
    """A value of a kind that a sample of small ones does not show, where `drift`."""
    plain = [0, 1, -7, 42, "x", "", "é😀", True, False, None, 0.5, -12.25]
    odd = [
        2**31, -(2**31) - 1, 2**53 + 1, 5_000_000_000, 2**63 - 1, 2**63, 10**37, 10**40, "yes", "2026-01-01", "007", "null",
        "\x00\t\"\\", "x" * 5000, "2026-11-21T07:10:00.123456Z", {}, [], {"a": None}, [1, "x", None], [[1], []],
        Raw("0.123456789012345672431"), Raw("12345678901234567890123456789.6061"), Raw("1e5"), Raw("1E-7"), Raw("1e400"),
        Raw("1.10"), Raw("3.0"), Raw("-0.0"), Raw("0.1000000000000000055"), Raw("1234567890.123456789"), 1e22, 1.5e-9,
        Raw("99999999999999999999999999999999999999"), Raw("0.30000000000000004"), Raw("9007199254740993.0"), 2.5, 1e15,
    ]  # fmt: skip
    return draw.choice(odd if drift and draw.random() < 0.5 else plain)


FIELDS = ("n", "qty", "flag", "note", "price", "mixed", "big")
STEADY = {
    "n": lambda d: d.randrange(1000), "qty": lambda d: d.choice([1.5, 2.25, 3.125]), "flag": lambda d: d.random() < 0.5,
    "note": lambda d: d.choice(["a", "b", ""]), "price": lambda d: Raw(f"{d.randrange(99)}.{d.randrange(99):02d}"),
    "mixed": lambda d: d.choice([1, "x"]), "big": lambda d: d.randrange(2**40),
}  # fmt: skip


def document(draw: random.Random, drift: bool) -> Any:
    """An object with scalars, arrays, structs and maps; of each a steady form and, where `drift`, any other."""

    def one(name: str) -> Any:
        return scalar(draw, drift) if drift and draw.random() < 0.3 else STEADY[name](draw)

    document: dict[str, Any] = {name: one(name) for name in FIELDS if draw.random() < 0.9}
    document["tags"] = (
        scalar(draw, drift) if drift and draw.random() < 0.1 else [one("note") for _ in range(draw.randrange(3))]
    )
    document["items"] = [{"sku": one("note"), "qty": one("n"), "cost": one("price")} for _ in range(draw.randrange(3))]
    if drift and draw.random() < 0.1:
        document["items"] = [*document["items"], scalar(draw, True)]
    document["who"] = {"name": one("note"), "address": {"city": one("note"), "zip": one("n")}}
    if drift and draw.random() < 0.1:
        document["who"] = scalar(draw, True)
    if drift and draw.random() < 0.2:
        document["who"] = {"name": None, "address": scalar(draw, True)}
    return document


def written(value: Any) -> str:
    """JSON text, numbers as they are given, some white space."""
    match value:
        case Raw():
            return str(value)
        case dict():
            return "{" + " ,".join(f"{json.dumps(k)}: {written(v)}" for k, v in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(written, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def json_records(draw: random.Random) -> Iterator[tuple[bytes, Any]]:
    """(body, what it means); a body that means nothing readable is a record of its own kind."""
    for at in range(RECORDS):
        drift = at >= RECORDS * SHARE
        text = written(document(draw, drift))
        if drift and draw.random() < 0.05:
            # A key that stands twice: the last counts.
            text = text[:-1] + ', "n": 77, "who": {"name": "a", "name": "b"}}'
        yield text.encode(), json.loads(text, parse_float=Decimal)
    for body in (
        b"{broken",
        b"",
        b"[1, 2]",
        b'"text"',
        b'{"n": 1} {"n": 2}',
        b'{"n": 1} x',
        b"\xff\xfe{}",
        b'{"n": 01}',
    ):
        yield body, UNREAD
    yield b"null", None


UNREAD = object()
_BEYOND = re.compile(rb"1e400|[0-9]{39}")
_EXPONENT = re.compile(rb"[0-9][eE][+-]?[0-9]|[0-9]{39}")


def produced(kafka: str, topic: str, bodies: Sequence[bytes]) -> None:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    admin, producer = AdminClient({"bootstrap.servers": kafka}), Producer({"bootstrap.servers": kafka})
    # The records carry an old time, and a broker forgets what is older than a week.
    admin.create_topics([NewTopic(topic, 1, 1, config={"retention.ms": "-1"})])[topic].result(30)
    for at, body in enumerate(bodies):
        producer.produce(topic, body, b"k", 0, timestamp=1_760_000_000_000 + at)
    assert producer.flush(60) == 0


def held(
    folder: Path, stack: Any, engine: SparkEngine, bodies: Sequence[bytes], wanted: Sequence[Any], schemas: Any = None
) -> Counter[str]:
    """What was counted; asserts that it is all there is, and no more than there is."""
    topic = f"reading-{uuid.uuid4().hex[:8]}"
    produced(stack.kafka, topic, bodies)
    scanned = [RawRecord(b"k", body, [], 0, at, 1_760_000_000_000 + at) for at, body in enumerate(bodies)]
    world = ApiWorld(folder, {topic: scanned[: int(RECORDS * SHARE)]})
    try:
        if schemas:
            world.services[GovernedQuery].preparer._tables._topics._registry._schemas.update(schemas)  # type: ignore[attr-defined]
        done = world.scan(
            bootstrapServers="localhost:9092", cluster="prod", topics=[topic], sample={"strategy": "full"}
        )
        assert done["state"] == "done", done
        query = world.services[GovernedQuery]
        table = query.preparer.table(f"prod.{topic}")
        service = GovernedQuery(
            _Tables(query.preparer, stack.kafka), _open, engine, KafkaOffsets(), _Audit(),
            query.preparer._keys,
        )  # fmt: skip
        names = [name for name, _ in table.value.kind.fields]  # type: ignore[union-attr]
        columns = ", ".join(f"`{name}`" for name in names)
        answer = service.run(ADMIN, f"SELECT {columns}, _offset FROM `prod.{topic}`", limit=100_000)
    finally:
        world.services.close()
    rows = {row[-1]: dict(zip(names, row, strict=False)) for row in answer.rows}
    assert len(rows) == len(bodies), (table.value, answer.window, answer.partial, answer.unreadable)
    expected: Counter[str] = Counter()
    for at, sent in enumerate(wanted):
        if sent is UNREAD:
            expected["*"] += 1
            assert all(value is None for value in rows[at].values()), (bodies[at], rows[at])
        else:
            expected += differing(table.value.kind, sent or {}, rows[at], FieldPath("value"))
    counted = Counter({k if k == "*" else f"value.{k}": n for k, n in (answer.unreadable.counts or {}).items()})
    differ = {k: (counted[k], expected[k]) for k in counted | expected if counted[k] != expected[k]}
    assert not expected - counted, f"place: (counted, there): {differ}"
    # Where a number has more digits than a VARIANT keeps, those written with an exponent beside it are counted too.
    doubtful = sum(len(_EXPONENT.findall(body)) for body in bodies if _BEYOND.search(body))
    assert (counted - expected).total() <= doubtful, f"place: (counted, there): {differ}"
    print(
        f"{len(bodies)} records, seed {SEED}: {counted.total()} of their values do not fit, all counted: {dict(counted)}"
    )
    return counted


class _Tables:
    """The product's tables, on the Kafka of the test."""

    def __init__(self, preparer: Any, kafka: str) -> None:
        self._preparer, self._kafka = preparer, kafka

    def find(self, name: str) -> Any:
        return replace(self._preparer.table(name), kafka={"kafka.bootstrap.servers": self._kafka})

    def facts(self, reference: str) -> Any:
        return self._preparer._tables.facts(reference)


def _open(subject: Subject, facts: DatasetFacts, purpose: str | None) -> Decision:
    return Decision(
        facts.id, facts.reference, Effect.ALLOW, tuple(ColumnDecision(f.path, Effect.ALLOW) for f in facts.fields)
    )


class _Audit:
    def record(self, entry: Any) -> None:
        """Not looked at here."""


@pytest.mark.timeout(900)
def test_json(tmp_path: Path, stack: Any, engine: SparkEngine) -> None:
    pairs = list(json_records(random.Random(SEED)))
    counted = held(tmp_path, stack, engine, [body for body, _ in pairs], [sent for _, sent in pairs])
    assert counted["*"] == 8


AVRO: dict[str, Any] = {
    "type": "record", "name": "Payment", "namespace": "shop", "fields": [
        {"name": "id", "type": "long"},
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 30, "scale": 12}},
        {"name": "rate", "type": "double"},
        {"name": "single", "type": "float"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "raw", "type": "bytes"},
        {"name": "on", "type": {"type": "int", "logicalType": "date"}},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "lines", "type": {"type": "array", "items": {"type": "record", "name": "Line", "fields": [
            {"name": "sku", "type": "string"}, {"name": "qty", "type": ["null", "long"]}]}}},
        {"name": "extra", "type": {"type": "map", "values": "long"}},
        {"name": "flag", "type": "boolean"},
    ],
}  # fmt: skip
UNION = {**AVRO, "fields": [*AVRO["fields"], {"name": "either", "type": ["null", "long", "string"], "default": None}]}


def avro_record(draw: random.Random, drift: bool, union: bool) -> dict[str, Any]:
    number = lambda: draw.choice([draw.randrange(-(2**63), 2**63), 2**31, 5]) if drift else draw.randrange(1000)  # noqa: E731
    digits = draw.randrange(10**30) if drift else draw.randrange(10**6)
    record: dict[str, Any] = {
        "id": number(), "amount": Decimal(digits).scaleb(-12) if drift else Decimal(digits // 100 * 100).scaleb(-2),
        "rate": draw.choice([draw.random(), 1e300, 1e-300, 5e-324, float("inf"), float("nan"), 0.1]) if drift else 0.5,
        "single": draw.choice([1.5, 0.25]), "note": draw.choice([None, "", "é😀", "x" * 3000 if drift else "x"]),
        "raw": draw.randbytes(draw.randrange(9)), "on": date(2026, draw.randrange(1, 12), 3),
        "at": datetime(2026, 1, 2, 3, 4, 5, draw.randrange(10**6), UTC),
        "lines": [{"sku": "s", "qty": draw.choice([None, number()])} for _ in range(draw.randrange(3))],
        "extra": {f"k{i}": number() for i in range(draw.randrange(3))}, "flag": draw.random() < 0.5,
    }  # fmt: skip
    if union:
        record["either"] = draw.choice([None, number(), "x"])
    return record


@pytest.mark.timeout(900)
@pytest.mark.parametrize("union", [False, True], ids=["by Spark", "by Python"])
def test_avro(tmp_path: Path, stack: Any, engine: SparkEngine, union: bool) -> None:
    import fastavro

    schema = UNION if union else AVRO
    parsed = fastavro.parse_schema(json.loads(json.dumps(schema)))
    draw, bodies, wanted = random.Random(SEED), [], []
    for at in range(RECORDS):
        out = io.BytesIO()
        fastavro.schemaless_writer(out, parsed, avro_record(draw, at >= RECORDS * SHARE, union))
        bodies.append(b"\0\0\0\0\7" + out.getvalue())
        read = fastavro.schemaless_reader(io.BytesIO(out.getvalue()), parsed, None)
        wanted.append(json.loads(json_form.dumps(read), parse_float=Decimal))
    bodies += [b"\0\0\0\0\7\xff", b"\0\0\0\0\x09abc", b"no avro"]
    wanted += [UNREAD] * 3
    registered = {7: RegisteredSchema(7, "AVRO", json.dumps(schema))}
    assert held(tmp_path, stack, engine, bodies, wanted, registered)["*"] == 3


PROTO = """
syntax = "proto3";
message Payment {
  int64 id = 1;
  repeated int64 numbers = 2;
  double rate = 3;
  string note = 4;
  bool flag = 5;
  bytes raw = 6;
  Line line = 7;
  map<string, int64> extra = 8;
  uint64 large = 9;
  message Line { string sku = 1; int32 qty = 2; }
}
"""


def proto_body(draw: random.Random, drift: bool) -> bytes:
    """A Payment by hand, field by field, as protobuf writes it."""

    def varint(number: int) -> bytes:
        number &= 2**64 - 1
        out = b""
        while number > 127:
            out, number = out + bytes([number & 127 | 128]), number >> 7
        return out + bytes([number])

    def field(number: int, wire: int, body: bytes) -> bytes:
        return varint(number << 3 | wire) + (varint(len(body)) + body if wire == 2 else body)

    wide = [2**31, 5_000_000_000, 2**63 - 1, -(2**63), -1]
    number = lambda: draw.choice(wide) if drift else draw.randrange(1, 1000)  # noqa: E731
    rate = draw.choice([0.1, 1e300, float("nan"), float("-inf"), 5e-324]) if drift else 0.5
    line = field(1, 2, b"sku") + field(2, 0, varint(draw.randrange(1, 100)))
    extra = field(1, 2, b"k") + field(2, 0, varint(number()))
    return b"".join([
        field(1, 0, varint(number())), field(2, 2, b"".join(varint(number()) for _ in range(draw.randrange(3)))),
        field(3, 1, struct.pack("<d", rate)), field(4, 2, draw.choice(["a", "é😀"]).encode()), field(5, 0, b"\1"),
        field(6, 2, draw.randbytes(4)), field(7, 2, line), field(8, 2, extra),
        field(9, 0, varint(draw.choice([2**64 - 1, 7]) if drift else 7)),
    ])  # fmt: skip


@pytest.mark.timeout(900)
def test_protobuf(tmp_path: Path, stack: Any, engine: SparkEngine) -> None:
    schema = RegisteredSchema(5, "PROTOBUF", PROTO)
    read = Schemas({5: schema}).protobuf(5)
    draw = random.Random(SEED)
    framed = [b"\0" + proto_body(draw, at >= RECORDS * SHARE) for at in range(RECORDS)]
    wanted = [json.loads(json_form.dumps(read(body)), parse_float=Decimal) for body in framed]
    bodies = [b"\0\0\0\0\5" + body for body in framed]
    bodies += [b"\0\0\0\0\5\0\xff\xff\xff", b"\0\0\0\0\x63abc"]
    wanted += [UNREAD] * 2
    assert held(tmp_path, stack, engine, bodies, wanted, {5: schema})["*"] == 2
