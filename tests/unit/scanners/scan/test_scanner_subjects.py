"""Schemas of a registry: which subject applies to which records of a topic, how they refer to one another, how they are named."""

from __future__ import annotations

import io
import json
from typing import Any

import fastavro
import httpx
import pytest

from catalog.model import ScanWindow
from scanners.adapters.registry import HttpSchemaRegistry
from scanners.checks.topic_checks import expected_of
from scanners.decode.formats import choose
from scanners.decode.records import decode
from scanners.model import ClusterConnection, PartFormat, RawRecord, RegisteredSchema
from scanners.scan.to_schema import schema_of
from scanners.schemas.expect_registered import from_avro, from_json_schema
from scanners.schemas.registered import Schemas
from scanners.settings import ScannerSettings
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed

CLUSTER = ClusterConnection("c", "kafka://c", "c:9092", registry="http://registry")


def record(name: str, *fields: tuple[str, Any]) -> dict[str, Any]:
    return {"type": "record", "name": name, "namespace": "n", "fields": [{"name": f, "type": t} for f, t in fields]}


PLACE = record("Place", ("city", "string"))
ORDER = record("Order", ("to", "Place"), ("again", ["null", "n.Place"]))
PAYMENT = record("Payment", ("at", "n.Place"), ("refund_of", ["null", "Payment"]))


def avro(schema: Any, value: Any, number: int) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return b"\0" + number.to_bytes(4, "big") + out.getvalue()


def referring(top: Any) -> Schemas:
    return Schemas(
        {
            1: RegisteredSchema(1, "AVRO", json.dumps(PLACE)),
            2: RegisteredSchema(2, "AVRO", json.dumps(ORDER), (("n.Place", "1"),)),
            3: RegisteredSchema(3, "AVRO", json.dumps(PAYMENT), (("n.Place", "1"),)),
            4: RegisteredSchema(4, "AVRO", json.dumps(top), (("n.Order", "2"), ("n.Payment", "3"))),
        }
    )


INLINE = [{**ORDER, "fields": [{"name": "to", "type": PLACE}, ORDER["fields"][1]]}, PAYMENT]
AN_ORDER = {"to": {"city": "Rome"}, "again": {"city": "Bonn"}}
A_PAYMENT = {"at": {"city": "Lima"}, "refund_of": {"at": {"city": "Oslo"}, "refund_of": None}}


@pytest.mark.parametrize(
    ("top", "inline", "value"),
    [
        (["n.Order", "n.Payment"], INLINE, AN_ORDER),
        (["n.Order", "n.Payment"], INLINE, A_PAYMENT),
        (
            ["n.Payment", "null"],
            [{**PAYMENT, "fields": [{"name": "at", "type": PLACE}, PAYMENT["fields"][1]]}, "null"],
            A_PAYMENT,
        ),
        ("n.Order", INLINE[0], AN_ORDER),
        ({"type": "array", "items": "n.Order"}, {"type": "array", "items": INLINE[0]}, [AN_ORDER]),
        ({"type": "map", "values": ["n.Order", "n.Payment"]}, {"type": "map", "values": INLINE}, {"k": A_PAYMENT}),
        (
            record("Top", ("o", "n.Order"), ("p", "n.Payment")),
            record("Top", ("o", INLINE[0]), ("p", PAYMENT)),
            {"o": AN_ORDER, "p": A_PAYMENT},
        ),
    ],
)
def test_avro_schemas_that_refer_to_others(top: Any, inline: Any, value: Any) -> None:
    result = decode(avro(inline, value, 4), PartFormat("avro"), referring(top))
    assert (result.value, result.problem) == (value, None)


def test_the_branch_of_a_union_is_the_record() -> None:
    schemas = referring(["null", "n.Order", PAYMENT])
    head = b"\0\0\0\0\4"
    assert [schemas.label(head + branch) for branch in (b"\2", b"\4", b"\6", b"")] == [
        "n.Order",
        "n.Payment",
        None,
        None,
    ]
    assert schemas.tell({4}) and not schemas.tell({2})


# --- what a subject says ----------------------------------------------------------------------------------------------


def departures(schemas: list[RegisteredSchema], bodies: list[bytes], topic: str = "orders") -> set[tuple[Any, ...]]:
    known = {s.id: s for s in schemas}
    expected = expected_of(topic, None, known)
    profiler = TopicProfiler(topic, Schemas(known), expected=expected)
    profiler.add([RawRecord(None, body, [], 0, n, 1000 + n) for n, body in enumerate(bodies)])
    schema = schema_of(sealed(topic, [profiler.sketch]), ScanWindow(), (), expected)
    return {(p["path"], p["why"], p["count"]) for p in schema.problems if "why" in p}


POINT = record("Point", ("x", "int"))
OWN = RegisteredSchema(1, "AVRO", json.dumps(POINT), (), "orders-value", 1)


@pytest.mark.parametrize(
    ("subjects", "foreign"),
    [
        ({"n.Point": 1}, False),
        ({"orders-n.Point": 1}, False),
        ({"payments-value": 1}, True),
        ({"orders-key": 1}, True),
        ({"payments-value": 3, "n.Point": 1}, False),
        ({"payments-value": 3, "orders-value": 2}, False),
        ({}, False),
    ],
)
def test_only_a_schema_of_another_topic_is_of_another_subject(subjects: dict[str, int], foreign: bool) -> None:
    other = RegisteredSchema(2, "AVRO", json.dumps(record("Point", ("x", "int"), ("y", "int")))).under(subjects)
    bodies = [avro(POINT, {"x": n}, 1) for n in range(20)]
    bodies += [avro(json.loads(other.text), {"x": n, "y": n}, 2) for n in range(5)]
    assert departures([OWN, other], bodies) == ({("value", "other_subject", 5)} if foreign else set())


def test_one_text_under_the_subjects_of_two_topics_is_of_both() -> None:
    shared = RegisteredSchema(7, "AVRO", json.dumps(POINT), (), "orders-value", 1, (("payments-value", 2),))
    newer = RegisteredSchema(8, "AVRO", json.dumps(record("Point", ("z", "long"))), (), "payments-value", 3)
    expected = expected_of("payments", None, {7: shared, 8: newer})
    assert expected["value"]["registered"]["ids"] == [7, 8] and expected["value"]["registered"]["version"] == 3
    bodies = [avro(POINT, {"x": n}, 7) for n in range(10)]
    assert departures([shared, newer], bodies, "orders") == departures([shared, newer], bodies, "payments") == set()


def test_subjects_named_by_a_record_say_nothing_of_records_without_an_id() -> None:
    named = [OWN.under({}), RegisteredSchema(2, "AVRO", json.dumps(POINT), (), "orders-n.Point", 1)]
    assert expected_of("orders", None, {2: named[1]}) == {}
    assert departures(named[1:], [b'{"x": "text"}'] * 10) == set()


def test_a_json_schema_under_any_subject_is_what_its_records_are_held_against() -> None:
    item = {"title": "Item", "type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False}
    text = {
        "title": "n.List",
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"$ref": "item.json"}}},
    }
    schemas = [
        RegisteredSchema(5, "JSON", json.dumps(item), (), "common", 1),
        RegisteredSchema(6, "JSON", json.dumps(text), (("item.json", "5"),), "n.List", 1),
    ]
    bodies = [b"\0\0\0\0\6" + body for body in (b'{"items":[{"x":1}]}', b'{"items":[{"x":1},{"x":"one"}]}')]
    assert departures(schemas, bodies) == {("value.items[].x", "type", 1)}


def test_fields_of_an_older_schema_that_records_name_are_declared() -> None:
    def text(*names: str) -> str:
        fields = {name: {"type": "integer"} for name in names}
        return json.dumps({"type": "object", "properties": fields, "additionalProperties": False})

    schemas = [
        RegisteredSchema(1, "JSON", text("a", "old"), (), "orders-value", 1),
        RegisteredSchema(2, "JSON", text("a"), (), "orders-value", 2),
    ]
    bodies = [b'\0\0\0\0\1{"a":1,"old":2}'] * 5 + [b'\0\0\0\0\2{"a":1}'] * 5
    assert departures(schemas, bodies) == set()
    assert departures(schemas, [*bodies, *[b'\0\0\0\0\2{"a":1,"new":1}'] * 9]) == {("value.new", "undeclared", 9)}


# --- schemas that refer -----------------------------------------------------------------------------------------------


def test_json_schemas_refer_by_name_by_id_and_to_parts_of_one_another() -> None:
    others = {
        "place.json": json.dumps(
            {
                "$id": "http://x/place.json",
                "definitions": {"city": {"type": "string"}},
                "properties": {"city": {"$ref": "#/definitions/city"}},
            }
        ),
    }
    for reference in ("place.json", "http://x/place.json", "/place.json"):
        text = json.dumps({"$id": "http://x/order.json", "properties": {"to": {"$ref": reference}}})
        form = from_json_schema(text, others)
        assert form["fields"]["to"]["fields"]["city"]["is"] == ["string"], reference
    text = json.dumps({"properties": {"c": {"$ref": "place.json#/definitions/city"}, "gone": {"$ref": "no.json"}}})
    form = from_json_schema(text, others)
    assert form["fields"]["c"]["is"] == ["string"] and form["fields"]["gone"]["kind"] == "open"


def test_avro_schemas_refer_to_others() -> None:
    form = from_avro(json.dumps(ORDER), {"n.Place": json.dumps(PLACE)})
    assert form["fields"]["to"]["fields"]["city"]["is"] == ["string"]


def test_schemas_that_unfold_without_end_are_cut() -> None:
    names = [f"c{n}" for n in range(30)]
    tree = {"type": "object", "properties": {name: {"$ref": "#"} for name in names}}
    assert from_json_schema(json.dumps(tree))["kind"] == "struct"
    assert from_avro(json.dumps(record("T", *((name, ["null", "T"]) for name in names))))["kind"] == "struct"


# --- the registry -----------------------------------------------------------------------------------------------------


def registry(pages: dict[str, Any]) -> HttpSchemaRegistry:
    def handle(request: httpx.Request) -> httpx.Response:
        answer = pages.get(request.url.path)
        return httpx.Response(404, json={}) if answer is None else httpx.Response(200, json=answer)

    return HttpSchemaRegistry(ScannerSettings(), httpx.MockTransport(handle), sleep=lambda _: None)


def test_a_schema_is_known_under_all_its_subjects() -> None:
    pages: dict[str, Any] = {"/subjects": ["a-value", "a-eu-value", "b-key", "b-value", "a-n.Point", "n.Point"]}
    for subject in pages["/subjects"]:
        pages[f"/subjects/{subject}/versions"] = [1]
        pages[f"/subjects/{subject}/versions/1"] = {
            "subject": subject,
            "version": 1,
            "id": 4,
            "schema": json.dumps(POINT),
        }
    schemas = registry(pages).for_topics(CLUSTER, ["a", "b"]).schemas
    assert schemas[4].subjects == {"a-value": 1, "b-key": 1, "b-value": 1, "a-n.Point": 1}


def test_ids_seen_in_a_topic_bring_every_version_of_their_record() -> None:
    def page(subject: str, version: int, number: int) -> dict[str, Any]:
        text = json.dumps(record("Point", *((f"f{n}", "int") for n in range(number))))
        return {"subject": subject, "version": version, "id": number, "schema": text}

    pages: dict[str, Any] = {"/subjects": ["a-key", "n.Point", "b-value"]}
    for subject, numbers in (("a-key", [1]), ("n.Point", [2, 3]), ("b-value", [4, 5])):
        pages[f"/subjects/{subject}/versions"] = list(range(1, len(numbers) + 1))
        for version, number in enumerate(numbers, 1):
            pages[f"/subjects/{subject}/versions/{version}"] = page(subject, version, number)
            pages[f"/schemas/ids/{number}"] = {"schema": page(subject, version, number)["schema"]}
            pages[f"/schemas/ids/{number}/versions"] = [{"subject": subject, "version": version}]
    assert sorted(registry(pages).for_topics(CLUSTER, ["a"]).schemas) == [1]
    # Of a record in any topic all versions may be met; of another topic's subject only the one that was.
    assert sorted(registry(pages).for_topics(CLUSTER, ["a"], [1, 2, 4]).schemas) == [1, 2, 3, 4]
    gone = registry(pages).for_topics(CLUSTER, ["a"], [9])
    assert sorted(gone.schemas) == [1] and [p["reason"] for p in gone.problems] == ["schema_not_found"]


def test_a_profile_tells_the_ids_its_records_name() -> None:
    profiler = TopicProfiler("t", Schemas({1: OWN}))
    profiler.add([RawRecord(b"k", avro(POINT, {"x": n}, 1), [], 0, n, n) for n in range(9)])
    fields = {f.path: f for f in schema_of(sealed("t", [profiler.sketch]), ScanWindow()).fields}
    assert fields["value"].details["schemaIds"] == [1] and "schemaIds" not in fields["key"].details


@pytest.mark.parametrize("listed", [None, [], {}, ["x"], [{"subject": "s"}]])
def test_a_schema_asked_for_by_id_is_named_when_the_registry_tells(listed: Any) -> None:
    pages: dict[str, Any] = {"/schemas/ids/4": {"schema": json.dumps(POINT)}}
    if listed is not None:
        pages["/schemas/ids/4/versions"] = listed
    assert registry(pages).by_ids(CLUSTER, [4]).schemas[4].subjects == {}
    pages["/schemas/ids/4/versions"] = [{"subject": "n.Point", "version": 2}, {"subject": "a-value", "version": 1}]
    assert registry(pages).by_ids(CLUSTER, [4]).schemas[4].subjects == {"n.Point": 2, "a-value": 1}


def test_a_schema_travels_with_its_subjects() -> None:
    schema = RegisteredSchema(3, "JSON", "{}", (("a.json", "1"),), "a-value", 1, (("b-value", 2),))
    assert RegisteredSchema.from_json(3, json.loads(json.dumps(schema.to_json()))) == schema


# --- bodies whose schema is found by their id alone -------------------------------------------------------------------


KEY = record("Key", ("id", "long"))


@pytest.mark.parametrize(
    ("schema", "values"),
    [
        (KEY, [{"id": n} for n in range(30)]),
        (KEY, [{"id": n} for n in range(5000, 20_000, 500)]),
        (KEY, [{"id": n} for n in range(100_000, 100_030)]),
        (record("Key", ("code", "string")), [{"code": "x" * n} for n in range(1, 13)]),
    ],
)
def test_short_bodies_with_an_unknown_id_are_not_taken_for_numbers(schema: Any, values: list[Any]) -> None:
    bodies = [avro(schema, value, 300) for value in values]
    profiler = TopicProfiler("t", Schemas())
    profiler.add([RawRecord(body, None, [], 0, n, n) for n, body in enumerate(bodies)])
    assert dict(profiler.sketch.unknown_ids) == {"300": len(bodies)}


@pytest.mark.parametrize(
    ("bodies", "name"),
    [
        ([(1_764_000_000_000 + n * 977).to_bytes(8, "big") for n in range(200)], "long"),
        ([(5_000_000_000 + n).to_bytes(8, "big") for n in range(200)], "long"),
        ([(300 << 24 | n).to_bytes(8, "big") for n in range(50_000, 50_200)], "long"),
        ([n.to_bytes(8, "big") for n in range(200)], "long"),
    ],
)
def test_numbers_are_not_taken_for_schema_ids(bodies: list[bytes], name: str) -> None:
    assert choose(bodies, Schemas(), "key").name == name
