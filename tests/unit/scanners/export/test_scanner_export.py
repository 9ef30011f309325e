import io
import json
import sys
import types
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import avro.schema
import cbor2
import fastavro
import fastavro.validation
import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from catalog.datatypes import parse_ddl
from catalog.errors import InvalidInput
from catalog.model import ScanWindow
from scanners.export.formats import export
from scanners.model import RawRecord
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed


def schema(values):
    profiler = TopicProfiler("t", Schemas())
    profiler.add([RawRecord(None, json.dumps(v).encode(), [], 0, i, 1) for i, v in enumerate(values)])
    return schema_of(sealed("t", [profiler.sketch]), ScanWindow())


MESSY = [
    {"type": "a", "id": 1, "odd.name": "x", "class": None, "at": "2026-01-02T03:04:05Z"},
    {"type": "b", "id": "one", "items": [{"n": 1}, {"n": 2.5}], "at": "2026-01-02T03:04:05Z", "1st": True},
] * 20

names = st.text(min_size=1, max_size=6)
scalars = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.floats(-1e6, 1e6) | st.text(max_size=5)
trees = st.recursive(scalars, lambda t: st.lists(t, max_size=3) | st.dictionaries(names, t, max_size=4), max_leaves=12)


@settings(deadline=None)
@given(st.lists(st.dictionaries(names, trees, max_size=4), min_size=1, max_size=6))
def test_the_json_schema_accepts_what_it_was_made_from(values):
    values = json.loads(json.dumps(values).encode("utf-8", "replace"))
    text, media = export("t", schema(values), "jsonschema")
    document = json.loads(text)
    document.pop("oneOf", None), document.pop("anyOf", None) if document.get("type") else None
    assert media == "application/schema+json"
    for value in values:
        jsonschema.validate(value, document)


def test_shapes_become_one_of():
    document = json.loads(export("t", schema(MESSY), "jsonschema")[0])
    assert {s["properties"]["type"]["const"] for s in document["oneOf"]} == {"a", "b"}
    for value in MESSY[:2]:
        jsonschema.validate(value, document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "c", "id": 1, "at": "x"}, document)


def test_shapes_that_a_header_tells_join_records_with_and_without_an_optional_field():
    bodies: dict[str, dict[str, Any]] = {"order": {"id": 1, "total": 2}, "visit": {"page": "x", "seconds": 3}}
    profiler = TopicProfiler("t", Schemas())
    values = []
    for number in range(60):
        kind = "order" if number % 2 else "visit"
        values.append({**bodies[kind], **({"note": "n"} if number % 3 else {})})
        header = [("kind", kind.encode())]
        profiler.add([RawRecord(None, json.dumps(values[-1]).encode(), header, 0, number, 1)])
    version = schema_of(sealed("t", [profiler.sketch]), ScanWindow())
    assert [shape.when for shape in version.shapes] == [{"headers.kind": "order"}, {"headers.kind": "visit"}]
    document = json.loads(export("t", version, "jsonschema")[0])
    for value in values:
        jsonschema.validate(value, document)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"id": 1, "page": "x"}, document)


def test_avro_is_avro_and_keeps_unions():
    document = json.loads(export("my.topic", schema(MESSY), "avro")[0])
    fastavro.parse_schema(json.loads(json.dumps(document)))
    by_name = {f["name"]: f for f in document["fields"]}
    assert by_name["id"]["type"] == ["int", "string"]
    assert by_name["odd_name"]["doc"] == "named 'odd.name' in the records"
    assert by_name["items"]["default"] is None
    assert by_name["_1st"]["type"] == ["null", "boolean"]


def test_spark_ddl_reads_back():
    assert {n for n, _ in parse_ddl(export("t", schema(MESSY), "spark")[0]).fields} >= {
        "type",
        "id",
        "odd.name",
        "items",
    }
    assert export("t", schema(["x", "y"]), "spark")[0] == "`value` STRING"


def test_the_pydantic_model_takes_the_records(monkeypatch):
    text = export("my.topic", schema(MESSY), "pydantic")[0]
    module = types.ModuleType("made_by_export")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    exec(compile(text, "made", "exec"), module.__dict__)
    model = module.MyTopic
    for value in MESSY[:2]:
        assert model.model_validate(value).id == value["id"]


def test_an_unknown_format_is_named():
    with pytest.raises(InvalidInput, match="xsd"):
        export("t", schema([{}]), "xsd")


# --- every export takes the records it was made from, whatever they are ----------------------------------------

odd_names = st.text(min_size=0, max_size=6) | st.sampled_from(
    [
        "type",
        "class",
        "id",
        "model_x",
        "copy",
        "a.b",
        "_x",
        "1",
        "validate",
        "Type",
        "json",
        "fields",
        "BaseModel",
        "None",
        "self",
        "__class__",
        "list",
        "date",
        "datetime",
        "UUID",
        "str",
    ]
)
odd_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(-1e6, 1e6)
    | st.text(max_size=5)
    | st.sampled_from(
        [
            "2026-01-02",
            "2026-01-02T03:04:05Z",
            "x1",
            "http://a.b/c",
            "00000000-0000-0000-0000-000000000001",
            "12:00:00",
            "P1D",
        ]
    )
)
odd_trees = st.recursive(
    odd_scalars, lambda t: st.lists(t, max_size=3) | st.dictionaries(odd_names, t, max_size=4), max_leaves=12
)
records = st.dictionaries(odd_names, trees, max_size=4)
groups = st.lists(st.tuples(records, st.sampled_from([1, 2, 12])), min_size=1, max_size=5).map(
    lambda g: [json.loads(json.dumps(v).encode("utf-8", "replace")) for v, n in g for _ in range(n)]
)
FEW = settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))


@FEW
@given(groups)
def test_the_whole_json_schema_takes_its_records(values):
    document = json.loads(export("t", schema(values), "jsonschema")[0])
    jsonschema.Draft202012Validator.check_schema(document)
    validator = jsonschema.Draft202012Validator(document)
    for value in values:
        validator.validate(value)


@FEW
@given(groups)
def test_the_pydantic_model_takes_its_records(values):
    text = export("my.topic", schema(values), "pydantic")[0]
    module = types.ModuleType("made_by_property")
    sys.modules[module.__name__] = module
    exec(compile(text, "made", "exec"), module.__dict__)
    adapter = TypeAdapter(module.MyTopic)
    for value in values:
        adapter.validate_python(value)


plain = st.text("abcdefgxyz_", min_size=1, max_size=4)
small = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(-1e6, 1e6) | st.text(max_size=5)
ptrees = st.recursive(small, lambda t: st.lists(t, max_size=3) | st.dictionaries(plain, t, max_size=4), max_leaves=10)
pgroups = st.lists(
    st.tuples(st.dictionaries(plain, ptrees, max_size=4), st.sampled_from([1, 2, 12])), min_size=1, max_size=5
).map(lambda g: [json.loads(json.dumps(v).encode("utf-8", "replace")) for v, n in g for _ in range(n)])


@FEW
@given(pgroups)
def test_fastavro_takes_its_records(values):
    document = json.loads(export("my.topic", schema(values), "avro")[0])
    parsed = fastavro.parse_schema(document)
    for value in values:
        assert fastavro.validation.validate(value, parsed)


@FEW
@given(groups)
def test_any_avro_is_avro(values):
    fastavro.parse_schema(json.loads(export("my.topic", schema(values), "avro")[0]))


@FEW
@given(groups)
def test_any_ddl_is_ddl(values):
    text = export("t", schema(values), "spark")[0]
    if text:
        parse_ddl(text)


def decoded(bodies):
    profiler = TopicProfiler("t", Schemas())
    profiler.add([RawRecord(None, body, [], 0, i, 1) for i, body in enumerate(bodies)])
    return schema_of(sealed("t", [profiler.sketch]), ScanWindow())


def test_numbers_of_any_length_are_one_decimal_in_avro():
    version = decoded([b'{"n":123456789012345678901234567890}', b'{"n":1.234567890123456789012}'] * 10)
    (field,) = fastavro.parse_schema(json.loads(export("t", version, "avro")[0]))["fields"]
    assert (field["type"]["logicalType"], field["type"]["scale"]) == ("decimal", 21)
    for text in ("123456789012345678901234567890", "1.234567890123456789012", "-123456789012345678901234567890"):
        out = io.BytesIO()
        fastavro.schemaless_writer(out, field["type"], Decimal(text))
        out.seek(0)
        assert fastavro.schemaless_reader(out, field["type"], None) == Decimal(text)


def test_a_union_in_avro_has_each_type_once():
    values = [b"\xff\x00", Decimal("1.25"), 2**70, 2**40, "x", datetime(2026, 1, 1, tzinfo=UTC), UUID(int=9)]
    version = decoded([cbor2.dumps({"u": value, "pad": "x" * n}) for n, value in enumerate(values * 10)])
    parsed = json.loads(export("t", version, "avro")[0])
    avro.schema.parse(json.dumps(parsed))
    kinds = {str(b["type"] if isinstance(b, dict) else b) for b in parsed["fields"][1]["type"]}
    assert kinds == {"bytes", "fixed", "long", "string"}


def test_dates_that_are_none_do_not_make_a_type_that_refuses_them():
    rows = [{"d": "0000-00-00", "t": "2026-13-01 25:00:00", "u": "99:99", "real": "2026-02-28"}] * 30
    version = schema(rows)
    validator = jsonschema.Draft202012Validator(
        json.loads(export("t", version, "jsonschema")[0]), format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER
    )
    validator.validate(rows[0])
    with pytest.raises(jsonschema.ValidationError):
        validator.validate({**rows[0], "real": "0000-00-00"})
    text = export("t", version, "pydantic")[0]
    assert "real: date\n" in text and "d: str\n" in text and "t: str\n" in text and "u: str\n" in text
