"""Logical types of Kafka Connect and Debezium, in JSON with schemas and in Avro: read by scans and queries alike."""

# ruff: noqa: E501
from __future__ import annotations

import base64
import io
import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.joins.query_tables import Decoder
from catalog.datatypes import parse_ddl
from policies.adapters.spark.decode import json_sql
from policies.plan.model import PartRead
from scanners.adapters.spark.carried_code import carried
from scanners.decode.formats import choose
from scanners.decode.records import decode, to_json_text
from scanners.model import ClusterConnection, PartFormat, RawRecord, RegisteredSchema, SampleRequest, TopicFormat
from scanners.scan.service import Scanner
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

CONNECT, DEBEZIUM = "org.apache.kafka.connect.data.", "io.debezium.time."
FORM = PartFormat("json", {"connect": True})
MOMENT = datetime(2026, 11, 20, 18, 5, 1, 123456)  # noqa: DTZ001 - local time, as Debezium writes a column without a zone
MICROS = (MOMENT - datetime(1970, 1, 1)) // timedelta(microseconds=1)  # noqa: DTZ001


def base64_of(number: int) -> str:
    return base64.b64encode(number.to_bytes((number.bit_length() + 8) // 8, "big", signed=True)).decode()


def record(name: str, type_: str, value: Any, **parameters: str) -> bytes:
    """A change of Debezium, as its JSON converter writes it with schemas."""
    column = {
        "type": type_,
        "optional": True,
        "name": name,
        "field": "x",
        **({"parameters": parameters} if parameters else {}),
    }
    row = {"type": "struct", "optional": True, "field": "after", "name": "db.t.Value", "fields": [column]}
    schema = {"type": "struct", "name": "db.t.Envelope", "optional": False, "fields": [row]}
    return json.dumps({"schema": schema, "payload": {"after": {"x": value}, "op": "c"}}).encode()


CASES = [
    (f"{CONNECT}Decimal", "bytes", "AA==", {"scale": "2"}, Decimal("0.00"), "0.00"),
    (f"{CONNECT}Decimal", "bytes", base64_of(-1234567), {"scale": "2"}, Decimal("-12345.67"), "-12345.67"),
    (f"{CONNECT}Date", "int32", 20777, {}, date(2026, 11, 20), '"2026-11-20"'),
    (f"{CONNECT}Time", "int32", 65101123, {}, time(18, 5, 1, 123000), '"18:05:01.123000"'),
    (f"{CONNECT}Timestamp", "int64", MICROS // 1000, {}, datetime(2026, 11, 20, 18, 5, 1, 123000, UTC), '"2026-11-20T18:05:01.123000Z"'),
    (f"{DEBEZIUM}Date", "int32", -1, {}, date(1969, 12, 31), '"1969-12-31"'),
    (f"{DEBEZIUM}Time", "int32", 0, {}, time(0), '"00:00:00"'),
    (f"{DEBEZIUM}MicroTime", "int64", 65101123456, {}, time(18, 5, 1, 123456), '"18:05:01.123456"'),
    (f"{DEBEZIUM}NanoTime", "int64", 65101123456789, {}, time(18, 5, 1, 123456), '"18:05:01.123456"'),
    (f"{DEBEZIUM}Timestamp", "int64", MICROS // 1000, {}, MOMENT.replace(microsecond=123000), '"2026-11-20T18:05:01.123000"'),
    (f"{DEBEZIUM}MicroTimestamp", "int64", MICROS, {}, MOMENT, '"2026-11-20T18:05:01.123456"'),
    (f"{DEBEZIUM}NanoTimestamp", "int64", MICROS * 1000 + 789, {}, MOMENT, '"2026-11-20T18:05:01.123456"'),
    (f"{DEBEZIUM}ZonedTimestamp", "string", "2026-11-20T19:05:01+01:00", {}, datetime(2026, 11, 20, 18, 5, 1, tzinfo=UTC), '"2026-11-20T18:05:01Z"'),
    ("io.debezium.data.VariableScaleDecimal", "struct", {"scale": 3, "value": base64_of(1234)}, {}, Decimal("1.234"), "1.234"),
    (f"{DEBEZIUM}ZonedTime", "string", "15:02:32Z", {}, "15:02:32Z", '"15:02:32Z"'),
    (f"{DEBEZIUM}Interval", "string", "P1Y2M", {}, "P1Y2M", '"P1Y2M"'),
    (f"{DEBEZIUM}Year", "int32", 2026, {}, 2026, "2026"),
    ("io.debezium.data.Json", "string", '{"a":1}', {}, '{"a":1}', r'"{\"a\":1}"'),
    (f"{CONNECT}Decimal", "bytes", None, {"scale": "2"}, None, "null"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "type_", "written", "parameters", "value", "text"), CASES, ids=lambda v: str(v)[-24:])
def test_json_is_read_by_the_schema_in_it(name, type_, written, parameters, value, text) -> None:
    body = record(name, type_, written, **parameters)
    decoded = decode(body, FORM)
    assert decoded.problem is None and decoded.value["payload"]["after"]["x"] == value
    assert f'"payload":{{"after":{{"x":{text}}}' in (to_json_text(body, FORM) or "")


@pytest.mark.parametrize(
    ("name", "type_", "written"),
    [
        (f"{CONNECT}Decimal", "bytes", "no base64!"),
        (f"{CONNECT}Date", "int32", "2026-11-20"),
        (f"{DEBEZIUM}MicroTimestamp", "int64", 10**19),
        (f"{DEBEZIUM}MicroTime", "int64", 90_000_000_000),
        (f"{DEBEZIUM}ZonedTimestamp", "string", "2026-11-20T19:05:01"),
    ],
)
def test_what_does_not_fit_its_type_stays_and_is_counted(name, type_, written) -> None:
    decoded = decode(record(name, type_, written), FORM)
    assert decoded.value["payload"]["after"]["x"] == written and decoded.problem == "not_its_logical_type"


@given(st.integers(-(10**40), 10**40), st.integers(0, 20))
def test_every_decimal_comes_back(number: int, scale: int) -> None:
    body = record(f"{CONNECT}Decimal", "bytes", base64_of(number), scale=str(scale))
    assert (
        decode(body, FORM).value["payload"]["after"]["x"] == Decimal(number).scaleb(-scale, None)
        or abs(number) > 10**28
    )


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda s: st.lists(s) | st.dictionaries(st.text(), s)
    )
)
def test_a_schema_that_is_none_changes_nothing(anything: Any) -> None:
    for body in (
        {"schema": anything, "payload": anything},
        {"schema": {"type": "struct", "fields": anything}, "payload": anything},
    ):
        text = json.dumps(body).encode()
        assert decode(text, FORM).value == decode(text, PartFormat("json")).value


def test_arrays_and_maps_are_read_by_their_elements() -> None:
    day = {"type": "int32", "name": f"{CONNECT}Date"}
    fields = [
        {"field": "days", "type": "array", "items": day},
        {"field": "by", "type": "map", "keys": {"type": "string"}, "values": day},
        {"field": "of", "type": "map", "keys": day, "values": {"type": "string"}},
    ]
    payload = {"days": [0, None], "by": {"a": 1}, "of": [[2, "x"]]}
    value = decode(
        json.dumps({"schema": {"type": "struct", "fields": fields}, "payload": payload}).encode(), FORM
    ).value
    assert value["payload"] == {
        "days": [date(1970, 1, 1), None], "by": {"a": date(1970, 1, 2)}, "of": [[date(1970, 1, 3), "x"]],
    }  # fmt: skip


def scanned(
    bodies: list[bytes], schemas: dict[int, RegisteredSchema] | None = None, records: int = 1000, **more: Any
) -> Any:
    topics = {"t": [RawRecord(None, body, [], 0, n, 1000 + n) for n, body in enumerate(bodies)]}
    scanner = Scanner(
        MemorySampler(topics), MemoryOffsets(topics), MemoryRegistry(schemas), ScannerSettings(detect=False)
    )
    (done,) = scanner.scan(
        ClusterConnection("c", "kafka://c", "c:1", {}, "http://r"), ["t"], SampleRequest(max_records=records), **more
    )
    return done


@pytest.mark.parametrize(
    ("name", "type_", "written", "parameters", "learned"),
    [
        (f"{CONNECT}Decimal", "bytes", base64_of(1234567), {"scale": "2"}, "decimal"),
        (f"{DEBEZIUM}MicroTimestamp", "int64", MICROS, {}, "timestamp"),
        (f"{DEBEZIUM}Date", "int32", 20777, {}, "date"),
    ],
)
def test_a_scan_learns_the_type_and_queries_read_by_it(name, type_, written, parameters, learned) -> None:
    bodies = [record(name, type_, written, **parameters)] * 30
    done = scanned(bodies)
    fields = {field.path: field for field in done.schema.fields}
    assert fields["value.payload.after.x"].types == {learned: 1.0}
    assert json.loads(done.schema.format["value.options"])["connect"] is True
    form = choose(bodies, Schemas())
    read = PartRead(
        "json", parse_ddl("payload STRUCT<op: STRING>"), {"format": {"name": form.name, "options": dict(form.options)}}
    )
    text = Decoder(carried).function("value", read)(bodies[0])
    assert text is not None and text == to_json_text(bodies[0], form), "queries and views read what the scan read"
    assert json_sql("value", read) is None, "the engine's own reader knows nothing of the schema in the record"


def test_later_records_and_declared_json_are_read_by_their_schemas_too() -> None:
    plain = [record("db.t.Name", "string", "x")] * 400
    typed = [record(f"{DEBEZIUM}Date", "int32", 20777)] * 400
    done = scanned([*plain, *typed], records=5000)
    assert json.loads(done.schema.format["value.options"])["connect"] is True
    declared = {"t": TopicFormat(PartFormat("null"), PartFormat("json"))}
    done = scanned(typed, formats=declared)
    assert {f.path: f for f in done.schema.fields}["value.payload.after.x"].types == {"date": 1.0}


def test_json_with_schemas_of_plain_types_is_read_as_fast_as_before() -> None:
    assert choose([record("db.t.Name", "string", "x")] * 5, Schemas()) == PartFormat("json")


AVRO = {
    "type": "record",
    "name": "Row",
    "fields": [
        {"name": "at", "type": ["null", {"type": "long", "connect.version": 1, "connect.name": f"{DEBEZIUM}MicroTimestamp"}]},
        {"name": "nanos", "type": {"type": "long", "connect.name": f"{DEBEZIUM}NanoTimestamp"}},
        {"name": "tod", "type": {"type": "long", "connect.name": f"{DEBEZIUM}NanoTime"}},
        {"name": "day", "type": {"type": "int", "connect.name": f"{DEBEZIUM}Date"}},
        {"name": "days", "type": {"type": "array", "items": {"type": "int", "connect.name": f"{DEBEZIUM}Date"}}},
        {"name": "sum", "type": {"type": "bytes", "connect.name": f"{CONNECT}Decimal", "connect.parameters": {"scale": "2", "connect.decimal.precision": "12"}}},
        {"name": "plain", "type": "long"},
    ],
}  # fmt: skip


def avro_bodies(count: int) -> list[bytes]:
    value = {
        "at": MICROS,
        "nanos": MICROS * 1000,
        "tod": 65101123456789,
        "day": 20777,
        "days": [0],
        "sum": b"\x12\xd6\x87",
        "plain": 7,
    }
    out = io.BytesIO()
    fastavro.schemaless_writer(out, AVRO, value)
    return [b"\0\0\0\0\x07" + out.getvalue()] * count


def test_avro_is_read_by_connects_names() -> None:
    schemas = {7: RegisteredSchema(7, "AVRO", json.dumps(AVRO))}
    value = decode(avro_bodies(1)[0], PartFormat("avro"), Schemas(schemas)).value
    assert value == {
        "at": MOMENT, "nanos": MOMENT, "tod": time(18, 5, 1, 123456), "day": date(2026, 11, 20), "days": [date(1970, 1, 1)],
        "sum": Decimal("12345.67"), "plain": 7,
    }  # fmt: skip
    done = scanned(avro_bodies(40), schemas)
    fields = {field.path: field for field in done.schema.fields}
    assert {name: next(iter(fields[f"value.{name}"].types)) for name in ("at", "nanos", "day", "sum", "plain")} == {
        "at": "timestamp", "nanos": "timestamp", "day": "date", "sum": "decimal", "plain": fields["value.plain"] and "int32",
    }  # fmt: skip
    registered = {
        name: fields[f"value.{name}"].details["registered"]["sql"] for name in ("at", "nanos", "day", "sum", "tod")
    }
    assert registered == {
        "at": "TIMESTAMP_NTZ", "nanos": "TIMESTAMP_NTZ", "day": "DATE", "sum": "DECIMAL(12,2)", "tod": "STRING",
    }  # fmt: skip


def test_the_engine_leaves_connects_names_to_the_decoder() -> None:
    registered = {"7": {"type": "AVRO", "schema": json.dumps(AVRO)}}
    read = PartRead("decoded avro", parse_ddl("plain BIGINT"), {"registered": registered})
    assert json_sql("value", read) is None
