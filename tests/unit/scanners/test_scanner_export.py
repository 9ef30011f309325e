import json
import sys
import types

import fastavro
import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.datatypes import parse_ddl
from catalog.errors import InvalidInput
from catalog.model import ScanWindow
from scanners.adapters.memory import sealed
from scanners.export import export
from scanners.finish import schema_of
from scanners.model import RawRecord
from scanners.profile import TopicProfiler
from scanners.registered import Schemas


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
    made = json.loads(text)
    made.pop("oneOf", None), made.pop("anyOf", None) if made.get("type") else None
    assert media == "application/schema+json"
    for value in values:
        jsonschema.validate(value, made)


def test_shapes_become_one_of():
    made = json.loads(export("t", schema(MESSY), "jsonschema")[0])
    assert {s["properties"]["type"]["const"] for s in made["oneOf"]} == {"a", "b"}
    for value in MESSY[:2]:
        jsonschema.validate(value, made)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "c", "id": 1, "at": "x"}, made)


def test_avro_is_avro_and_keeps_unions():
    made = json.loads(export("my.topic", schema(MESSY), "avro")[0])
    fastavro.parse_schema(json.loads(json.dumps(made)))
    by_name = {f["name"]: f for f in made["fields"]}
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
