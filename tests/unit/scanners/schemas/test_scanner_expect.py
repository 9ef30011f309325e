"""Records compared with declared and registered schemas: what departs, where, and that no value is shown."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.datasets.departures import departures_of
from catalog.datatypes import parse_ddl
from catalog.model import DatasetScan
from scanners.checks.checker import Checker
from scanners.model import ClusterConnection, RawRecord, RegisteredSchema
from scanners.scan.service import Scanner
from scanners.schemas.expect import Form, from_ddl, undeclared
from scanners.schemas.expect_registered import from_avro, from_json_schema
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

AVRO = json.dumps({
    "type": "record", "name": "Order", "namespace": "shop", "fields": [
        {"name": "id", "type": "string"},
        {"name": "count", "type": "int"},
        {"name": "note", "type": ["null", "string"], "default": None},
        {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
        {"name": "state", "type": {"type": "enum", "name": "State", "symbols": ["A"]}},
        {"name": "lines", "type": {"type": "array", "items": {
            "type": "record", "name": "Line",
            "fields": [{"name": "sku", "type": "string"}, {"name": "next", "type": ["null", "Line"]}],
        }}},
        {"name": "extra", "type": {"type": "map", "values": "double"}},
    ],
})  # fmt: skip
GOOD = {
    "id": "a", "count": 1, "note": None, "at": 1_760_000_000_000, "state": "A",
    "lines": [{"sku": "s", "next": {"sku": "t", "next": None}}], "extra": {"x": 1, "y": 2.5},
}  # fmt: skip


def found(form: Form, value: Any) -> list[tuple[str, str]]:
    return sorted({(path, why) for path, why, _ in Checker(form, "value")(value)})


@pytest.mark.parametrize(
    ("change", "departs"),
    [
        ({}, []),
        ({"count": "1"}, [("value.count", "type")]),
        ({"count": True}, [("value.count", "type")]),
        ({"count": 2**40}, [("value.count", "type")]),
        ({"id": None}, [("value.id", "null")]),
        ({"id": ...}, [("value.id", "missing")]),
        ({"note": ...}, []),
        ({"note": 3}, [("value.note", "type")]),
        ({"lines": [{"sku": 1, "next": None}]}, [("value.lines[].sku", "type")]),
        ({"lines": [{"next": {"sku": 5, "next": None}}]}, [("value.lines[].next.sku", "type"), ("value.lines[].sku", "missing")]),
        ({"lines": {"sku": 1}}, [("value.lines", "type")]),
        ({"extra": {"x": "1"}}, [("value.extra{}", "type")]),
        ({"at": "2026-03-01T12:00:00Z"}, []),
    ],
)  # fmt: skip
def test_avro(change: dict[str, Any], departs: list[tuple[str, str]]) -> None:
    value = {k: v for k, v in {**GOOD, **change}.items() if v is not ...}
    assert found(from_avro(AVRO), value) == departs


@pytest.mark.parametrize(
    ("ddl", "value", "departs"),
    [
        ("a INT", {"a": 1}, []), ("a INT", {}, []), ("a INT", {"a": None}, []), ("a INT", {"b": 1}, []),
        ("a INT", {"a": 2**31}, [("value.a", "type")]), ("a INT", {"a": 1.5}, [("value.a", "type")]),
        ("a DOUBLE", {"a": 1}, []), ("a DECIMAL(10,2)", {"a": 1.25}, []), ("a STRING", {"a": 1}, [("value.a", "type")]),
        ("a DATE", {"a": "2026-01-02"}, []), ("a DATE", {"a": "tomorrow"}, [("value.a", "type")]),
        ("a TIMESTAMP", {"a": "2026-01-02 03:04:05"}, []), ("a BOOLEAN", {"a": 0}, [("value.a", "type")]),
        ("a ARRAY<STRUCT<b: INT>>", {"a": [{"b": 1}, {"b": "x"}]}, [("value.a[].b", "type")]),
        ("a MAP<STRING, INT>", {"a": {"k": "x"}}, [("value.a{}", "type")]),
        ("a INT", ["no", "object"], [("value", "type")]), ("a INT", "text", [("value", "type")]),
    ],
)  # fmt: skip
def test_ddl(ddl: str, value: Any, departs: list[tuple[str, str]]) -> None:
    assert found(from_ddl(parse_ddl(ddl)), value) == departs


JSON_SCHEMA = json.dumps({
    "type": "object", "required": ["id"], "additionalProperties": False,
    "properties": {
        "id": {"type": "integer"}, "size": {"type": ["number", "null"]}, "who": {"$ref": "#/$defs/person"},
        "what": {"oneOf": [{"type": "string"}, {"$ref": "#/$defs/person"}]},
    },
    "$defs": {"person": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}},
})  # fmt: skip


@pytest.mark.parametrize(
    ("value", "departs"),
    [
        ({"id": 1, "size": None}, []), ({"id": 1.0}, []), ({"id": "1"}, [("value.id", "type")]),
        ({}, [("value.id", "missing")]), ({"id": 1, "who": {}}, [("value.who.name", "missing")]),
        ({"id": 1, "what": "x"}, []), ({"id": 1, "what": {"name": 1}}, [("value.what.name", "type")]),
        ({"id": 1, "what": 3}, [("value.what", "type")]),
    ],
)  # fmt: skip
def test_json_schema(value: Any, departs: list[tuple[str, str]]) -> None:
    assert found(from_json_schema(JSON_SCHEMA), value) == departs


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc") | st.text(), inner, max_size=3),
    max_leaves=10,
)


@given(TREES)
def test_any_value_is_told_by_names_of_the_schema_alone(value: Any) -> None:
    for form in (from_avro(AVRO), from_ddl(parse_ddl("a INT, b STRUCT<c: STRING>")), from_json_schema(JSON_SCHEMA)):
        known = {"value", "id", "count", "note", "at", "state", "lines", "extra", "sku", "next", "a", "b", "c", "size",
                 "who", "what", "name"}  # fmt: skip
        for path, _ in found(form, value):
            assert {p.strip("[]{}") for p in path.split(".")} <= known


@given(TREES)
def test_schemas_that_are_none_are_no_crash(value: Any) -> None:
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return
    for read in (from_avro, from_json_schema):
        with contextlib.suppress(ValueError):
            Checker(read(text), "value")({"a": 1})


# --- through a whole scan ---------------------------------------------------------------------------------------------


def scan(values: list[bytes], ddl: str | None = None, schemas: list[RegisteredSchema] | None = None) -> DatasetScan:
    topics = {"orders": [RawRecord(None, v, [], 0, n, 1_760_000_000_000 + n) for n, v in enumerate(values)]}
    registry = MemoryRegistry({s.id: s for s in schemas or ()})
    scanner = Scanner(MemorySampler(topics), MemoryOffsets(topics), registry, ScannerSettings(detect=False))
    cluster = ClusterConnection("c", "kafka://c", "c:1", registry="http://r")
    (done,) = scanner.scan(cluster, ["orders"], declared={"orders": ddl} if ddl else None)
    return done


def told(done: DatasetScan) -> dict[tuple[str, str, str], tuple[int, int | None]]:
    return {
        (d.path, d.source, d.why): (d.count, d.first["offset"] if d.first else None) for d in departures_of(done.schema)
    }


def test_a_declared_schema_is_held_against_every_record() -> None:
    values = [b'{"id":%d,"note":"n"}' % n for n in range(30)]
    values[7] = b'{"id":"seven"}'
    values[9] = b'{"id":"nine","mail":"secret@example.com"}'
    done = scan(values, ddl="id INT, note STRING")
    assert told(done) == {
        ("value.id", "declared", "type"): (2, 7),
        ("value.mail", "declared", "undeclared"): (1, 9),
    }
    (first, *_) = departures_of(done.schema)
    assert first.sentence() == (
        "value.id has another type (expected INT) in 2 records: departs from the declared schema,"
        " first in partition 0 at offset 7."
    )
    assert "secret@example.com" not in json.dumps(done.schema.to_json())


def test_keys_of_a_map_are_never_told_as_undeclared_fields() -> None:
    values = [b'{"by":{"user%d@example.com":1}}' % n for n in range(100)]
    done = scan(values, ddl="by STRUCT<total: INT>")
    assert "example.com" not in json.dumps(done.schema.to_json())


def test_a_registered_schema_is_held_against_records_without_a_schema_id() -> None:
    values = [json.dumps({**GOOD, "count": n}).encode() for n in range(20)]
    values[5] = json.dumps({**GOOD, "count": "five"}).encode()
    done = scan(values, schemas=[RegisteredSchema(1, "AVRO", AVRO, (), "orders-value", 1)])
    assert told(done) == {
        ("value", "registered", "not_registered"): (20, None),
        ("value.count", "registered", "type"): (1, 5),
    }


def test_json_schema_on_the_wire_is_held_against_the_schema_it_names() -> None:
    old = RegisteredSchema(1, "JSON", '{"type":"object","properties":{"a":{"type":"string"}}}', (), "orders-value", 1)
    new = RegisteredSchema(2, "JSON", '{"type":"object","properties":{"a":{"type":"integer"}}}', (), "orders-value", 2)
    other = RegisteredSchema(3, "JSON", '{"type":"object"}', (), "payments-value", 1)
    wire = [b"\0" + n.to_bytes(4, "big") for n in (1, 2, 3)]
    values = [wire[0] + b'{"a":"x"}'] * 10 + [wire[1] + b'{"a":1}'] * 10 + [wire[1] + b'{"a":"y"}'] + [wire[2] + b"{}"]
    done = scan(values, schemas=[old, new, other])
    assert told(done) == {
        ("value.a", "registered", "type"): (1, 20),
        ("value", "registered", "other_subject"): (1, 21),
    }


def test_nothing_declared_nothing_told() -> None:
    assert told(scan([b'{"a":1}'] * 10)) == {}


def test_undeclared_is_the_outermost_field() -> None:
    done = scan([b'{"id":1,"more":{"a":{"b":1}},"list":[{"sku":1,"x":{"y":1}}]}'] * 30)
    form = from_ddl(parse_ddl("id INT, list ARRAY<STRUCT<sku: INT>>"))
    assert [p.path for p in undeclared(form, "value", done.schema.fields)] == ["value.list[].x", "value.more"]
