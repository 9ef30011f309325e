"""Avro by compiled code: what it takes has fastavro's value, the rest is left alone, and profiles are those of Python."""

from __future__ import annotations

import io
import json
import math
import struct
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import fastavro
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.model import ScanWindow
from scanners.checks.topic_checks import expected_of
from scanners.columns.profiler import Profiler
from scanners.decode import bulk
from scanners.model import RawRecord, RegisteredSchema
from scanners.scan.to_schema import schema_of
from scanners.schemas.registered import Schemas
from scanners.sketch.nodes import Node
from scanners.sketch.topic import Sketch
from scanners.tape import compiled_parts
from scanners.tape.avro_program import program_of
from scanners.tape.avro_reader import AvroReader
from scanners.tape.reader import Paths, scratch
from scanners.worker.profile import TopicProfiler
from tests.twins.scanners import sealed
from tests.unit.scanners.tape.test_scanner_tape import Tree, same, told

PLAIN: dict[str, st.SearchStrategy[Any]] = {
    "null": st.none(),
    "boolean": st.booleans(),
    "int": st.integers(-(2**31), 2**31 - 1),
    "long": st.integers(-(2**63), 2**63 - 1),
    "float": st.floats(width=32),
    "double": st.floats(),
    "string": st.text(max_size=9) | st.sampled_from(["a@b.de", '{"a": [1]}']),
}
FIELDS = ["id", "a", "name", "b", "übrig", "2024-01-02"]


class Types:
    """Draws schemas, each with a strategy of values that fit it; names of definitions are all different."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        self._made = 0

    def record(self, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        names = self._draw(st.lists(st.sampled_from(FIELDS[:5]), unique=True, max_size=4))
        by_name = {name: self.any(depth + 1) for name in names}
        schema = {
            "type": "record",
            "name": self._name(),
            "fields": [{"name": n, "type": t} for n, (t, _) in by_name.items()],
        }
        return schema, st.fixed_dictionaries({name: values for name, (_, values) in by_name.items()})

    def any(self, depth: int) -> tuple[Any, st.SearchStrategy[Any]]:
        kind = self._draw(
            st.sampled_from([*PLAIN, "enum", *(["record", "array", "map", "union"] if depth < 4 else [])])
        )
        if kind == "record":
            return self.record(depth)
        if kind == "array":
            items, values = self.any(depth + 1)
            return {"type": "array", "items": items}, st.lists(values, max_size=3)
        if kind == "map":
            below, values = self.any(depth + 1)
            return {"type": "map", "values": below}, st.dictionaries(st.sampled_from(FIELDS), values, max_size=1)
        if kind == "enum":
            return {"type": "enum", "name": self._name(), "symbols": ["A", "BC", "D"]}, st.sampled_from(
                ["A", "BC", "D"]
            )
        if kind == "union":
            if self._draw(st.booleans()):
                parts = [("null", PLAIN["null"]), *(self.record(depth) for _ in range(self._draw(st.integers(1, 2))))]
            else:
                parts = [
                    (name, PLAIN[name]) for name in self._draw(st.permutations(["null", "string", "long", "double"]))
                ]
            # A value says which branch it is of, since several may fit.
            return [t for t, _ in parts], st.one_of(
                [values if t == "null" else _branch(t, values) for t, values in parts]
            )
        return kind, PLAIN[kind]

    def _name(self) -> str:
        self._made += 1
        return f"n.T{self._made}"


def _branch(schema: Any, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return values.map(lambda value: (schema if isinstance(schema, str) else schema["name"], value))


def body_of(schema: Any, value: Any, number: int = 1) -> bytes:
    out = io.BytesIO()
    fastavro.schemaless_writer(out, fastavro.parse_schema(schema), value)
    return b"\0" + number.to_bytes(4, "big") + out.getvalue()


def registered(*schemas: Any) -> Schemas:
    """The schemas with the ids 1, 2, ..."""
    return Schemas({n: RegisteredSchema(n, "AVRO", json.dumps(schema)) for n, schema in enumerate(schemas, 1)})


@st.composite
def topics(draw: Any) -> tuple[Schemas, list[list[bytes]]]:
    """One or two schemas and batches of records of them, some damaged."""
    drawn = [Types(draw).record(0) for _ in range(draw(st.integers(1, 2)))]
    schemas = registered(*(schema for schema, _ in drawn))

    def body() -> bytes:
        number = draw(st.integers(1, len(drawn)))
        schema, values = drawn[number - 1]
        result = body_of(schema, draw(values), number)
        for _ in range(draw(st.sampled_from([0, 0, 0, 1]))):
            at = draw(st.integers(1, len(result)))
            result = result[:at] + draw(st.binary(max_size=2)) + result[at + draw(st.integers(0, 2)) :]
        return result

    batches = [[body() for _ in range(draw(st.integers(1, 8)))] for _ in range(draw(st.integers(1, 3)))]
    return schemas, batches


def check(schemas: Schemas, bodies: Sequence[bytes]) -> list[bool]:
    """Bodies of the schema 1: each is left alone or has fastavro's value; gives which are left alone."""
    schema = bulk.avro_schema(bodies[0][:5], schemas)
    program = None if schema is None else program_of(schema)
    if program is None:
        return [True] * len(bodies)
    paths = Paths(Node(), Profiler("salt"))
    reader = AvroReader(paths, program, lambda body: not bulk.avro([body], schemas)[1])
    walked = reader.read(bodies, range(len(bodies)))
    values, left = bulk.avro(bodies, schemas)
    for record, value in enumerate(values):
        if not walked.odd[record]:
            assert record not in left
            assert same(_numbered(AvroTree(paths, walked, record).value()), _numbered(value)), bodies[record]
    return [bool(one) for one in walked.odd]


class AvroTree(Tree):
    def text(self, raw: bytes, escaped: bool) -> str:
        assert not escaped
        return raw.decode()


def _numbered(value: Any) -> Any:
    """The value with the bits of its doubles, of which some are not numbers."""
    if isinstance(value, float):
        return f"double {'nan' if math.isnan(value) else struct.pack('<d', value).hex()}"
    if isinstance(value, list):
        return [_numbered(each) for each in value]
    return {key: _numbered(each) for key, each in value.items()} if isinstance(value, dict) else value


@settings(max_examples=200, deadline=None)
@given(topics())
def test_a_body_has_the_value_that_fastavro_gives(topic: tuple[Schemas, list[list[bytes]]]) -> None:
    schemas, batches = topic
    mine = [body for batch in batches for body in batch if body[1:5] == b"\0\0\0\1"]
    if mine:
        check(schemas, mine)


def profiled(
    schemas: Schemas, batches: Sequence[Sequence[bytes]], compiled: bool, expected: Any = None
) -> tuple[Sketch, Any]:
    """The sketch of a topic, and what detectors were shown: path -> text -> how often."""
    shown: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiled_parts, "WORTH", 0)
        patch.setattr(compiled_parts, "FEW", 1 if compiled else 10**12)
        patch.setattr(compiled_parts, "MOST_ODD", 1)
        detect = lambda node, names, counts: shown[names].update(counts)  # noqa: E731
        profiler = TopicProfiler("t", schemas, "salt", detect, expected=expected)
        for number, batch in enumerate(batches):
            profiler.add(
                [
                    RawRecord(None, body, [], at % 2, number * 100 + at, 1_700_000_000_000 - at % 5)
                    for at, body in enumerate(batch)
                ]
            )
    return profiler.sketch, dict(shown)


@settings(max_examples=200, deadline=None)
@given(topics())
def test_profiles_are_those_of_python(topic: tuple[Schemas, list[list[bytes]]]) -> None:
    schemas, batches = topic
    one, other = profiled(schemas, batches, compiled=True), profiled(schemas, batches, compiled=False)
    assert told(one) == told(other)
    assert (one[0].ids, one[0].unknown_ids) == (other[0].ids, other[0].unknown_ids)


def record(*fields: tuple[str, Any], name: str = "R") -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": [{"name": field, "type": kind} for field, kind in fields]}


EVERYTHING = record(
    ("s", "string"),
    ("i", "int"),
    ("l", "long"),
    ("f", "float"),
    ("d", "double"),
    ("t", "boolean"),
    ("n", "null"),
    ("e", {"type": "enum", "name": "E", "symbols": ["ONE", "TWO"]}),
    ("again", ["null", "E"]),
    ("list", {"type": "array", "items": ["null", record(("sku", "string"), name="Item")]}),
    ("item", "Item"),
    ("map", {"type": "map", "values": "string"}),
)
WHOLE = {
    "s": "größe",
    "i": -1,
    "l": 2**40,
    "f": 1.5,
    "d": 0.1,
    "t": True,
    "n": None,
    "e": "TWO",
    "again": "ONE",
    "list": [None, {"sku": "x"}],
    "item": {"sku": "y"},
    "map": {},
}
LONGS = record(("l", {"type": "array", "items": "long"}))
HEAD = b"\0\0\0\0\1"


def test_ordinary_records_are_not_left_alone() -> None:
    whole, with_map = body_of(EVERYTHING, WHOLE), body_of(EVERYTHING, {**WHOLE, "map": {"k": "v"}})
    verdict = check(registered(EVERYTHING), [whole, whole[:-1], whole + b"\0", with_map, whole])
    assert verdict == [False, True, True, True, False]


def test_lists_in_blocks_with_or_without_their_bytes_told_before() -> None:
    tails = [b"\4\2\4\0", b"\2\2\2\4\0", b"\1\2\2\0", b"\1\4\2", b"\2\2"]
    assert check(registered(LONGS), [HEAD + tail for tail in tails]) == [False, False, False, True, True]


@pytest.mark.parametrize(
    "tail",
    [
        b"\xff" * 9 + b"\x01",
        b"\xff" * 9 + b"\x02",
        b"\xff" * 10 + b"\x01",
        b"\x80\x80\x00",
        b"\xfe" * 9 + b"\x01",
        b"\xff" * 9,
        b"",
    ],
)
def test_long_numbers(tail: bytes) -> None:
    check(registered(record(("n", "long"))), [HEAD + tail])


@pytest.mark.parametrize(
    "raw", [b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe0\x80\x80", b"\xc3", b"\xe2\x82", b"ok\xff"]
)
def test_texts_that_are_not_utf8_are_left_alone(raw: bytes) -> None:
    text = bytes([2 * len(raw)]) + raw
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "s", "type": "string"}, {"name": "r", "type": "string"}],
    }
    assert check(registered(schema), [HEAD + text + b"\4\xa9\xbf", HEAD + b"\2a\2b"]) == [True, False]


DECIMAL = {"type": "fixed", "name": "D", "size": 3, "logicalType": "decimal", "precision": 6}
MADE: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "bytes": ("bytes", st.binary(max_size=4) | st.just(b"a@b.de")),
    "fixed": ({"type": "fixed", "name": "F", "size": 2}, st.binary(min_size=2, max_size=2)),
    "millis": ({"type": "long", "logicalType": "timestamp-millis"}, st.integers(-(2**45), 2**48)),
    "micros": ({"type": "long", "logicalType": "local-timestamp-micros"}, st.integers(-(2**55), 2**58)),
    "date": ({"type": "int", "logicalType": "date"}, st.integers(-1_000_000, 3_000_000)),
    "time": ({"type": "int", "logicalType": "time-millis"}, st.integers(-5, 90_000_000)),
    "uuid": ({"type": "string", "logicalType": "uuid"}, st.uuids().map(str) | st.just("none")),
    "decimal": ({"type": "bytes", "logicalType": "decimal", "precision": 4, "scale": 2}, st.binary(max_size=3)),
    "fixed decimal": (DECIMAL, st.binary(min_size=3, max_size=3)),
}


@pytest.mark.parametrize("name", MADE)
@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_values_that_python_makes(name: str, data: st.DataObject) -> None:
    """Not all that is written is good: bad values leave their records alone, and the rest is as fastavro has it."""
    kind, values = MADE[name]
    again = kind.get("name", kind) if isinstance(kind, dict) else kind
    base = {key: value for key, value in kind.items() if key != "logicalType"} if isinstance(kind, dict) else kind

    def whole(kind: Any, again: Any) -> Any:
        return record(("a", "int"), ("x", ["null", kind]), ("all", {"type": "array", "items": again}))

    row = st.fixed_dictionaries({"a": st.integers(0, 9), "x": st.none() | values, "all": st.lists(values, max_size=2)})
    written = whole(base, again if "name" in kind else base)
    batch = [body_of(written, one) for one in data.draw(st.lists(row, min_size=1, max_size=6))]
    schemas = registered(whole(kind, again))
    program = program_of(schemas.avro(1))
    assert program is not None
    reader = AvroReader(Paths(Node(), Profiler("salt")), program, lambda body: not bulk.avro([body], schemas)[1])
    odd = reader.read(batch, range(len(batch))).odd
    assert [index for index, alone in enumerate(odd) if alone] == bulk.avro(batch, schemas)[1]
    assert told(profiled(schemas, [batch, batch], True)) == told(profiled(schemas, [batch, batch], False))


def test_a_schema_that_contains_itself_has_no_program() -> None:
    assert program_of(fastavro.parse_schema(record(("x", ["null", "R"])))) is None


@pytest.mark.parametrize("schema", ["string", {"type": "array", "items": "long"}, ["null", "string"]])
def test_what_is_no_record_has_no_program(schema: Any) -> None:
    assert program_of(fastavro.parse_schema(schema)) is None


def test_unions_of_records_and_unknown_logical_types_have_one() -> None:
    one = record(("x", {"type": "long", "logicalType": "year"}), name="A")
    other = record(("x", "string"), ("a", "A"), name="B")
    schemas = registered([one, other])
    bodies = [body_of([one, other], ("A", {"x": 1})), body_of([one, other], ("B", {"x": "t", "a": {"x": 3}}))]
    assert check(schemas, bodies) == [False, False]
    assert told(profiled(schemas, [bodies], True)) == told(profiled(schemas, [bodies], False))


def test_a_schema_that_grows_beyond_bounds_has_no_program() -> None:
    schema = record(("x", "long"), name="R0")
    for n in range(1, 14):
        schema = record(("a", schema), ("b", f"R{n - 1}"), name=f"R{n}")
    assert program_of(fastavro.parse_schema(schema)) is None


@pytest.mark.parametrize(
    ("numbers", "magnitude"),
    [
        ((7e-304, math.inf), [-304, -304]),
        ((math.nan, 1e9), [9, 9]),
        ((math.inf, math.nan), [0, 0]),
    ],
)
def test_what_is_not_finite_has_no_part_in_the_magnitude(numbers: tuple[float, ...], magnitude: list[int]) -> None:
    schema = record(("n", "double"))
    bodies = [body_of(schema, {"n": number}) for number in numbers]
    for batches in ([bodies], [[body] for body in bodies]):
        for compiled in (True, False):
            sketch, _ = profiled(registered(schema), batches, compiled)
            by_path = {field.path: field for field in schema_of(sealed("t", [sketch]), ScanWindow()).fields}
            assert by_path["value.n"].details["magnitude"] == magnitude


def test_long_lists_grow_the_tape() -> None:
    schema = LONGS
    big = body_of(schema, {"l": list(range(len(scratch().columns[0]) + 10))})
    small = body_of(schema, {"l": []})
    assert check(registered(schema), [small, big, small]) == [False, False, False]


def test_records_of_another_subject_depart_alike() -> None:
    """A topic with a subject of its own, and records of a schema that belongs to another topic."""
    schema = record(("a", "int"))
    text = json.dumps(schema)
    known = {
        1: RegisteredSchema(1, "AVRO", text, subject="t-value", version=1),
        2: RegisteredSchema(2, "AVRO", text, subject="other-value", version=1),
    }
    expected = expected_of("t", None, known)
    bodies = [body_of(schema, {"a": at}, 1 + at % 3 // 2) for at in range(9)]
    one, other = (profiled(Schemas(known), [bodies], compiled, expected) for compiled in (True, False))
    assert told(one) == told(other)
    departed = [(count, place) for (_, reason), (count, place) in one[0].problems.items() if "other_subject" in reason]
    assert departed == [(3, (1_700_000_000_000 - 3, 0, 8))]


def test_a_topic_of_maps_is_soon_read_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_parts, "WORTH", 0)
    schema = record(("m", {"type": "map", "values": "int"}))
    profiler = TopicProfiler("t", registered(schema), "salt")
    body = body_of(schema, {"m": {"k": 1}})
    for batch in range(2):
        profiler.add([RawRecord(None, body, [], 0, batch * 100 + at, 1) for at in range(100)])
    assert profiler._avro.read([body_of(schema, {"m": {}})] * 100, range(100)) is None
    assert profiler.sketch.parts["value"].fields["m"].count == 200
