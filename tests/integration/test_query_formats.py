"""Avro by the registry's wire format, framed JSON and CSV are read by Spark itself, and NULL is counted where they do not fit."""

from __future__ import annotations

import io
import json
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from api.joins.query_tables import Decoder
from catalog.datatypes import STRING, Primitive, parse_ddl
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.spark.decode import json_sql
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.plan.model import PartRead, QueryPlan, Result, TablePlan
from policies.sql.windows import NEWEST
from scanners.adapters.spark.carried_code import carried

PAYMENT: dict[str, Any] = {
    "type": "record",
    "name": "Payment",
    "namespace": "shop",
    "fields": [
        {"name": "id", "type": {"type": "string", "logicalType": "uuid"}},
        {"name": "amount", "type": {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2}},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "paid_at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {
            "name": "lines",
            "type": {
                "type": "array",
                "items": {
                    "type": "record",
                    "name": "Line",
                    "fields": [
                        {"name": "sku", "type": "string"},
                        {"name": "state", "type": {"type": "enum", "name": "S", "symbols": ["A", "B"]}},
                    ],
                },
            },
        },
        {"name": "extra", "type": {"type": "map", "values": "int"}},
        {"name": "raw", "type": "bytes"},
    ],
}
OLDER: dict[str, Any] = {**PAYMENT, "fields": PAYMENT["fields"][:2]}
REGISTERED = {
    "7": {"type": "AVRO", "schema": json.dumps(PAYMENT), "references": []},
    "300": {"type": "AVRO", "schema": json.dumps(OLDER), "references": []},
}
KIND = parse_ddl(
    "id STRING, amount DECIMAL(12,2), note STRING, paid_at STRING, lines ARRAY<STRUCT<sku: STRING, state: STRING>>,"
    " extra MAP<STRING, INT>, raw BINARY"
)


def avro(number: int, schema: Any, record: Any) -> bytes:
    import fastavro

    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(json.loads(json.dumps(schema))), record)
    return b"\0" + number.to_bytes(4, "big") + out.getvalue()


def read(kind: str, **more: Any) -> PartRead:
    return PartRead(f"decoded {kind}", KIND, {"format": {"name": kind, "options": more.pop("options", {})}, **more})


@dataclass
class Topics:
    kafka: str
    engine: SparkEngine

    def rows(
        self, part: PartRead, values: list[bytes | None], headers: list[bytes] | None = None
    ) -> list[list[object]]:
        """What a query reads; `headers`: the content of each record's `__value_schema_id`, which is read too then."""
        return self.result(part, values, headers).rows

    def unfit(self, part: PartRead, values: list[bytes | None]) -> dict[str, int]:
        """How many values a query reports as unfit, by column; `*`: whole records."""
        return dict((self.result(part, values).unreadable or {}).get("v", {}))

    def result(self, part: PartRead, values: list[bytes | None], headers: list[bytes] | None = None) -> Result:
        """The answer of `SELECT *`."""
        from confluent_kafka import Producer
        from confluent_kafka.admin import AdminClient, NewTopic

        topic = f"policies-formats-{uuid.uuid4().hex[:8]}"
        admin, producer = AdminClient({"bootstrap.servers": self.kafka}), Producer({"bootstrap.servers": self.kafka})
        admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
        for at, value in enumerate(values):
            named = [("other", b"x"), ("__value_schema_id", headers[at])] if headers else None
            producer.produce(topic, value, b"k", 0, headers=named)
        assert producer.flush(30) == 0
        kafka = {"kafka.bootstrap.servers": self.kafka}
        window = KafkaOffsets().window(kafka, topic, NEWEST, 100)
        names = [name for name, _ in getattr(part.kind, "fields", ())]
        columns = tuple((name, f"weir_value.`{name}`") for name in names) or (("value", "weir_value"),)
        if headers:
            columns = (*columns, ("named", "weir_headers['__value_schema_id']"), ("raw", "hex(weir_raw)"))
        watched = (("*", "value"), *((name, f"value.{name}") for name in names))
        table = TablePlan("v", topic, kafka, window, PartRead("text", STRING), part, columns=columns, watched=watched)
        try:
            return self.engine.run(QueryPlan("SELECT * FROM v", (table,), 100, 60))
        finally:
            admin.delete_topics([topic])[topic].result(30)


@pytest.fixture(scope="module")
def topics(stack: Any) -> Iterator[Topics]:
    sessions = Sessions(stack.engine, 1)
    yield Topics(stack.kafka, SparkEngine(sessions, Decoder(carried)))
    sessions.close()


@pytest.mark.integration
def test_avro(topics: Topics) -> None:
    number = uuid.uuid4()
    record = {
        "id": str(number),
        "amount": Decimal("12.50"),
        "note": None,
        "paid_at": datetime(2026, 1, 2, 3, 4, 5, 678000, UTC),
        "lines": [{"sku": "s1", "state": "B"}],
        "extra": {"a": 1},
        "raw": b"\x00\xff",
    }
    older = {"id": str(number), "amount": Decimal("-1.00")}
    rows = topics.rows(
        read("avro", registered=REGISTERED),
        [
            avro(7, PAYMENT, record),
            avro(300, OLDER, older),
            avro(8, OLDER, older),
            b"\x00\x00\x00\x00\x07\xff",
            b"x",
            None,
        ],
    )
    assert rows[0] == [
        str(number),
        "12.50",
        None,
        "2026-01-02T03:04:05.678000Z",
        [{"sku": "s1", "state": "B"}],
        {"a": 1},
        "AP8=",
    ]
    assert rows[1] == [str(number), "-1.00", None, None, None, None, None]
    assert rows[2:] == [[None] * 7] * 4


@pytest.mark.integration
def test_avro_that_claims_a_length_it_does_not_have(topics: Topics) -> None:
    """Such a record would end an engine whose Avro decoder has no limits."""

    def length(number: int) -> bytes:
        number, out = number * 2, b""
        while number > 127:
            out, number = out + bytes([number & 127 | 128]), number >> 7
        return out + bytes([number])

    poison: list[bytes | None] = [b"\0\0\0\0\7" + length(n) + b"abc" for n in (10**6, 10**9, 2 * 10**9)]
    assert topics.rows(read("avro", registered=REGISTERED), poison) == [[None] * 7] * 3


@pytest.mark.integration
def test_framed_json_and_csv(topics: Topics) -> None:
    frame = b"\0\0\0\0\1"
    rows = topics.rows(read("json-schema"), [frame + b'{"id": "a", "amount": 1.5}', b'{"id": "unframed"}', b"\0{"])
    assert [row[:2] for row in rows] == [["a", "1.50"], [None, None], [None, None]]
    csv = PartRead(
        "decoded csv",
        parse_ddl("n INT, name STRING"),
        {"format": {"name": "csv", "options": {"delimiter": ";", "columns": ["name", "n", "more"]}}},
    )
    assert topics.rows(csv, [b'"a;b";5;x', b"c;no;y", b""])[:2] == [[5, "a;b"], [None, "c"]]


@pytest.mark.integration
def test_a_header_record_of_csv_is_not_a_row_and_fits(topics: Topics) -> None:
    options = {"delimiter": ";", "columns": ["name", "n"], "header": False, "width": 2}
    part = PartRead("decoded csv", parse_ddl("n INT, name STRING"), {"format": {"name": "csv", "options": options}})
    lines: list[bytes | None] = [b'name;"n"\r\n', b"a;1", b"b;no"]
    assert topics.rows(part, lines) == [[None, None], [1, "a"], [None, "b"]]
    assert topics.unfit(part, lines) == {"value.n": 1}


@pytest.mark.integration
def test_csv_in_latin_1_fits(topics: Topics) -> None:
    options = {"delimiter": ";", "width": 2, "packed": ["latin-1"]}
    part = PartRead("decoded csv", parse_ddl("c1 STRING, c2 INT"), {"format": {"name": "csv", "options": options}})
    lines: list[bytes | None] = ["Müller;1".encode("latin-1"), b"Maier;2"]
    assert topics.rows(part, lines) == [["Müller", 1], ["Maier", 2]]
    assert topics.unfit(part, lines) == {}


GUID = "89791762-2336-4186-9674-299b90a802e2"


@pytest.mark.integration
@pytest.mark.parametrize("by_python", [False, True])
def test_schema_ids_in_headers(topics: Topics, by_python: bool) -> None:
    """As `header_schema_id_serializer` of Confluent's clients writes them: by id, by GUID, and in the body all the same."""
    # A union of two types is left to Python.
    odd: list[dict[str, Any]] = (
        [{"name": "odd", "type": ["null", "int", "string"], "default": None}] if by_python else []
    )
    schema = {**OLDER, "fields": [*OLDER["fields"], *odd]}
    registered = {"7": {**REGISTERED["300"], "schema": json.dumps(schema), "guid": GUID}}
    record = {"id": str(uuid.uuid4()), "amount": Decimal("2.00")}
    body = avro(7, schema, record)[5:]
    unknown = uuid.uuid4()
    part = read("avro", registered=registered, header="__value_schema_id")
    rows = topics.rows(
        part,
        [body, body, body, body, avro(7, schema, record), body],
        [
            b"\0\0\0\0\x07",
            b"\x01" + uuid.UUID(GUID).bytes,
            b"\x01" + unknown.bytes,
            b"\0\0\0\0\x08",
            b"",
            b"\x01\x02",
        ],
    )
    good = [record["id"], "2.00"]
    assert [row[:2] for row in rows] == [good, good, [None, None], [None, None], good, [None, None]]
    assert [row[-2] for row in rows] == ["7", GUID, str(unknown), "8", "", "\x01\x02"]
    assert bytes.fromhex(str(rows[0][-1])) == body


@pytest.mark.integration
def test_json_with_its_schema_in_a_header(topics: Topics) -> None:
    part = read("json-schema", header="__value_schema_id")
    assert topics.rows(part, [b'{"id": "a"}'], [b"\0\0\0\0\x07"])[0][0] == "a"


@pytest.mark.integration
def test_a_value_that_is_no_object(topics: Topics) -> None:
    def one(kind: Primitive, value: bytes) -> object:
        return topics.rows(PartRead("json", kind), [value])[0][0]

    assert one(Primitive("STRING"), b'"a b"') == "a b"
    assert one(Primitive("BIGINT"), b"42") == 42
    assert one(Primitive("BIGINT"), b'1,"v":2') is None


def test_what_spark_would_read_in_another_form_is_left_to_python() -> None:
    assert json_sql("value", read("avro", registered=REGISTERED)) is not None
    odd = {"type": "record", "name": "R", "fields": [{"name": "x", "type": ["int", "string"]}]}
    for schema in (
        odd,
        {**odd, "fields": [{"name": "x", "type": {"type": "long", "logicalType": "time-micros"}}]},
        {**odd, "fields": [{"name": "x", "type": ["null", "R"]}]},
    ):
        registered = {"1": {"type": "AVRO", "schema": json.dumps(schema), "references": []}}
        assert json_sql("value", read("avro", registered=registered)) is None
    assert json_sql("value", read("protobuf")) is None
    assert json_sql("value", read("avro", registered=REGISTERED), avro=False) is None
    assert json_sql("value", read("avro", registered={})) is None
    assert json_sql("value", read("avro", registered=REGISTERED, options={"also": ["json"]})) is None
