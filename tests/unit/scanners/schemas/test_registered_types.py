"""Registered schemas give a query its types, whatever the sample shows, and the catalog their words."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from typing import Any

import fastavro
import pytest

from catalog.datasets.facts import leaf_paths
from catalog.datasets.learned_types import from_profile, wider
from catalog.datatypes import StructType, to_ddl
from catalog.model import FieldProfile
from scanners.export.formats import export
from scanners.model import ClusterConnection, RawRecord, RegisteredSchema
from scanners.scan.service import Scanner
from scanners.schemas.known.places import with_registered
from scanners.schemas.protobuf.comments import comments
from scanners.settings import ScannerSettings
from tests.twins.scanners import MemoryOffsets, MemoryRegistry, MemorySampler

CLUSTER = ClusterConnection("prod", "kafka://k:9092", "k:9092", {}, "http://registry")

PAYMENT: dict[str, Any] = {
    "type": "record",
    "name": "Payment",
    "namespace": "com.example",
    "doc": "A payment.",
    "fields": [
        {
            "name": "amount",
            "doc": "in EUR",
            "type": {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2},
        },
        {"name": "count", "type": "long", "default": 7, "aliases": ["n"]},
        {"name": "currency", "type": {"type": "enum", "name": "Currency", "symbols": ["EUR", "USD"]}},
        {"name": "paid_at", "type": {"type": "long", "logicalType": "timestamp-micros"}},
        {"name": "due", "type": {"type": "int", "logicalType": "date"}},
        {
            "name": "by",
            "type": ["null", {"type": "record", "name": "Card", "fields": [{"name": "pan", "type": "string"}]}],
        },
        {"name": "limits", "type": {"type": "map", "values": "long"}},
        {"name": "parent", "type": ["null", "Payment"], "default": None},
        {"name": "tags", "type": ["string", {"type": "array", "items": "string"}]},
        {"name": "mark", "type": {"type": "fixed", "name": "Mark", "size": 2}},
    ],
}
PROTO = """syntax = "proto3";
package shop;
import "google/protobuf/timestamp.proto";

// An order of a shop.
message Order {
  repeated int64 ids = 1;  // what it holds
  uint64 total = 2;
  /* Who
   * ordered it. */
  optional Buyer buyer = 3;
  map<string, uint32> counts = 4;
  State state = 5;
  google.protobuf.Timestamp at = 6;
  enum State { OPEN = 0; SHUT = 1; }
}

message Buyer { string name = 1; Buyer friend = 2; }
"""


def schema(number: int, kind: str, text: Any, version: int = 1, subject: str = "t-value") -> RegisteredSchema:
    return RegisteredSchema(
        number, kind, text if isinstance(text, str) else json.dumps(text), subject=subject, version=version
    )


def registered(form: str, *schemas: RegisteredSchema, fields: tuple[FieldProfile, ...] = ()) -> dict[str, FieldProfile]:
    kinds = with_registered(fields, "t", {each.id: each for each in schemas}, {"value": form})
    return {profile.path: profile for profile in kinds}


def ddl(profiles: dict[str, FieldProfile], name: str) -> str:
    kind = from_profile(list(profiles.values()))
    assert isinstance(kind, StructType)
    answer = kind.get(name)
    assert answer is not None
    return to_ddl(answer)


def test_avro_types_are_exact_and_words_are_kept() -> None:
    kinds = registered("avro", schema(1, "AVRO", PAYMENT))
    wanted = {
        "amount": "DECIMAL(10,2)",
        "count": "BIGINT",
        "currency": "STRING",
        "paid_at": "TIMESTAMP",
        "due": "DATE",
        "by": "STRUCT<`pan`: STRING>",
        "limits": "MAP<STRING, BIGINT>",
        "mark": "BINARY",
        "tags": "STRUCT<`as_array`: ARRAY<STRING>, `as_scalar`: STRING>",
    }
    assert {name: ddl(kinds, name) for name in wanted} == wanted
    by_path = {path: kinds[path].details["registered"] for path in kinds}
    assert by_path["value"]["doc"] == "A payment." and by_path["value"]["name"] == "com.example.Payment"
    assert by_path["value.amount"]["doc"] == "in EUR" and by_path["value.amount"]["type"] == "decimal(10,2)"
    assert (by_path["value.count"]["default"], by_path["value.count"]["aliases"]) == (7, ["n"])
    assert by_path["value.currency"]["symbols"] == ["EUR", "USD"]
    assert by_path["value.tags"]["union"] == ["string", "array"]


def test_a_schema_that_refers_to_itself_ends() -> None:
    kinds = registered("avro", schema(1, "AVRO", PAYMENT))
    assert "value.parent.parent.amount" in kinds and len(kinds) < 100
    wide = {"type": "record", "name": "R", "fields": [{"name": f"f{i}", "type": ["null", "R"]} for i in range(40)]}
    assert len(registered("avro", schema(1, "AVRO", wide))) <= 5000


def test_protobuf_types_are_exact_and_comments_are_kept() -> None:
    kinds = registered("protobuf", schema(1, "PROTOBUF", PROTO))
    wanted = {
        "ids": "ARRAY<BIGINT>",
        "total": "DECIMAL(20,0)",
        "counts": "MAP<STRING, BIGINT>",
        "state": "STRING",
        "at": "TIMESTAMP",
    }
    assert {name: ddl(kinds, name) for name in wanted} == wanted
    assert ddl(kinds, "buyer").startswith("STRUCT<`friend`: STRUCT<")
    by_path = {path: kinds[path].details["registered"].get("doc") for path in kinds}
    assert by_path["value"] == "An order of a shop."
    assert by_path["value.ids"] == "what it holds" and by_path["value.buyer"] == "Who ordered it."
    assert kinds["value.state"].details["registered"]["symbols"] == ["OPEN", "SHUT"]


def test_of_a_file_with_several_messages_the_one_in_the_records_counts() -> None:
    two = 'syntax = "proto3"; message A { string a = 1; } message B { string b = 1; B next = 2; }'
    fields = (
        FieldProfile("value", {"object": 1.0}, 5, 1.0),
        FieldProfile("value.b", {"string": 1.0}, 5, 1.0),
    )
    kinds = registered("protobuf", schema(1, "PROTOBUF", two), fields=fields)
    assert "value.next.b" in kinds and "value.a" not in kinds


def test_versions_meet_in_the_type_that_loses_nothing() -> None:
    def one(kind: Any) -> dict[str, Any]:
        return {"type": "record", "name": "R", "fields": [{"name": "a", "type": kind}]}

    for old, new, wanted in [
        ("int", "long", "BIGINT"),
        ("float", "double", "DOUBLE"),
        ("int", "double", "DOUBLE"),
        ("long", "double", "STRING"),
        ("long", "string", "STRING"),
        (
            ["null", "long"],
            {"type": "array", "items": "long"},
            "STRUCT<`as_array`: ARRAY<BIGINT>, `as_scalar`: BIGINT>",
        ),
    ]:
        kinds = registered("avro", schema(1, "AVRO", one(old)), schema(2, "AVRO", one(new), 2))
        assert ddl(kinds, "a") == wanted


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        ("INT", "BIGINT", "BIGINT"),
        ("BIGINT", "DECIMAL(20,0)", "DECIMAL(20,0)"),
        ("INT", "DECIMAL(4,2)", "DECIMAL(12,2)"),
        ("DECIMAL(38,0)", "DECIMAL(4,2)", "STRING"),
        ("DATE", "TIMESTAMP", "STRING"),
        ("BOOLEAN", "INT", "STRING"),
    ],
)
def test_the_wider_of_two_types(one: str, other: str, both: str) -> None:
    assert wider(one, other) == wider(other, one) == both


def test_json_schema_names_the_fields_and_records_show_the_digits() -> None:
    text = {
        "title": "User",
        "type": "object",
        "properties": {
            "id": {"type": "integer", "description": "Counts up.", "default": 0},
            "score": {"type": "number"},
            "ratio": {"type": "number"},
            "kind": {"enum": ["a", "b"]},
            "address": {"$ref": "#/definitions/Address"},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "definitions": {"Address": {"type": "object", "properties": {"city": {"type": ["string", "null"]}}}},
    }
    exact = FieldProfile(
        "value.ratio", {"decimal": 1.0}, 3, 1.0, details={"magnitude": [-1, 0], "precision": 22, "scale": 21}
    )
    odd = FieldProfile("value.id", {"integer": 1.0}, 3, 1.0, details={"magnitude": [0, 20]})
    kinds = registered("json-schema", schema(1, "JSON", text), fields=(exact, odd))
    wanted = {
        "id": "DECIMAL(38,0)",
        "score": "DOUBLE",
        "ratio": "DECIMAL(38,29)",
        "kind": "STRING",
        "address": "STRUCT<`city`: STRING>",
        "labels": "MAP<STRING, STRING>",
    }
    assert {name: ddl(kinds, name) for name in wanted} == wanted
    assert kinds["value.id"].details["registered"]["doc"] == "Counts up."
    assert kinds["value.id"].details["registered"]["default"] == 0


def test_a_scan_uses_the_schema_and_a_field_nobody_has_seen_is_open_to_nobody() -> None:
    parsed = fastavro.parse_schema(json.loads(json.dumps(PAYMENT)))
    records = []
    for i in range(20):
        out = io.BytesIO(b"\0\0\0\0\1")
        out.seek(5)
        value = {
            "amount": Decimal("0.12"),
            "count": i,
            "currency": "EUR",
            "paid_at": 0,
            "due": 1,
            "by": None,
            "limits": {"a": 1, "b": 2},
            "parent": {
                "amount": Decimal(1),
                "count": 1,
                "currency": "USD",
                "paid_at": 0,
                "due": 1,
                "by": None,
                "limits": {},
                "parent": None,
                "tags": "x",
                "mark": b"ab",
            },
            "tags": "x",
            "mark": b"ab",
        }
        fastavro.schemaless_writer(out, parsed, value)
        records.append(RawRecord(None, out.getvalue(), [], 0, i, 1000 + i))
    topics = {"t": records}
    scanner = Scanner(
        MemorySampler(topics),
        MemoryOffsets(topics),
        MemoryRegistry({1: schema(1, "AVRO", PAYMENT)}),
        ScannerSettings(detect=False),
    )
    (scan_result,) = scanner.scan(CLUSTER, ["t"])
    profiles = {profile.path: profile for profile in scan_result.schema.fields}
    assert ddl(profiles, "count") == "BIGINT" and ddl(profiles, "amount") == "DECIMAL(10,2)"
    assert ddl(profiles, "limits") == "MAP<STRING, BIGINT>"
    assert "value.limits.a" not in profiles and profiles["value.limits{}"].count == 40
    written = json.loads(export("t", scan_result.schema, "avro")[0])
    assert written == PAYMENT
    leaves = leaf_paths(scan_result.schema)
    assert {"value.by", "value.limits{}", "value.limits@keys"} <= leaves
    assert "value.by.pan" not in leaves


def test_comments_of_proto_text() -> None:
    by_name = comments(
        "package a.b;\n\n// no\n\n// M\nmessage M { // opens\n  int32 x = 1; // X\n  oneof o { // c\n string y = 2;\n } }"
    )
    assert by_name["a.b.M"] == "M" and by_name["a.b.M.x"] == "X"
    assert comments("not { proto") == {} and comments("/* open") == {}
