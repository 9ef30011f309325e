"""Why a reader of one Avro schema cannot read what another wrote: the places, and the same verdict as the library's."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pytest
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType
from avro.schema import make_avsc_object

from scanners.schemas.avro_differences import differences, parsed

Document = Any


def field(name: str, kind: Any, **more: Any) -> dict[str, Any]:
    return {"name": name, "type": kind, **more}


def record(*fields: dict[str, Any], name: str = "R", **more: Any) -> dict[str, Any]:
    return {"type": "record", "name": name, "fields": list(fields), **more}


def enum(*symbols: str, name: str = "E", **more: Any) -> dict[str, Any]:
    return {"type": "enum", "name": name, "symbols": list(symbols), **more}


def logical(kind: str, name: str, **more: Any) -> dict[str, Any]:
    return {"type": kind, "logicalType": name, **more}


def decimal(precision: int, scale: int) -> dict[str, Any]:
    return logical("bytes", "decimal", precision=precision, scale=scale)


def of(kind: Any, **more: Any) -> dict[str, Any]:
    return record(field("a", kind, **more))


INNER = record(field("x", "int"), name="Inner")
MORE_INNER = record(field("x", "int"), field("y", "int"), name="Inner")


@pytest.mark.parametrize(
    ("old", "new", "sentences"),
    [
        (of("long"), of("string"), ["a is long in what was written, which is not read as string"]),
        (of("int"), record(field("a", "int"), field("b", "int")), ["b is not in what was written, and has no default"]),
        (of("string"), of(["null", "string"]), []),
        (of(["null", "string"]), of("string"), ["a is null in what was written, which is not read as string"]),
        (of(["null", "int"]), of(["null", "string"]), ["a is int in what was written, which is none of null, string"]),
        (of("int"), of(["string", "long"]), []),
        (of(enum("A", "B")), of(enum("A")), ["a may be B, which the reader does not know, without a default"]),
        (of(enum("A", "B")), of(enum("A", default="A")), []),
        (of(INNER), of(MORE_INNER), ["a.y is not in what was written, and has no default"]),
        (of(["null", INNER]), of(["null", MORE_INNER]), ["a.y is not in what was written, and has no default"]),
        (
            of({"type": "array", "items": INNER}),
            of({"type": "array", "items": MORE_INNER}),
            ["a[].y is not in what was written, and has no default"],
        ),
        (
            of({"type": "map", "values": "int"}),
            of({"type": "map", "values": "string"}),
            ["a{} is int in what was written, which is not read as string"],
        ),
        (
            record(field("a", "int"), name="shop.A"),
            record(field("a", "int"), name="shop.B"),
            ["the value is the record shop.A in what was written, not shop.B"],
        ),
        (record(field("a", "int"), name="shop.A"), record(field("a", "int"), name="shop.B", aliases=["A"]), []),
        (record(field("a", "int"), name="shop.A"), record(field("a", "int"), name="shop.B", aliases=["shop.A"]), []),
        (of(decimal(9, 2)), of(decimal(12, 2)), []),
        (of(decimal(12, 2)), of(decimal(9, 2)), ["a is a decimal of 12 digits in what was written, and read with 9"]),
        (
            of(decimal(9, 2)),
            of(["null", decimal(9, 3)]),
            ["a is a decimal of scale 2 in what was written, and read with scale 3"],
        ),
        (
            of(logical("long", "timestamp-millis")),
            of(logical("long", "local-timestamp-micros")),
            ["a is timestamp-millis in what was written, and read as timestamp-micros"],
        ),
        (of(logical("long", "timestamp-millis")), of("long"), []),
        (of("string"), of(logical("string", "uuid")), []),
        (
            of({"type": "fixed", "name": "F", "size": 4}),
            of({"type": "fixed", "name": "F", "size": 8}),
            ["a has 4 bytes in what was written, not 8"],
        ),
    ],
)
def test_each_place_that_is_not_read_is_named(old: Document, new: Document, sentences: list[str]) -> None:
    assert differences(parsed(new), parsed(old)) == sentences


def test_a_logical_type_that_the_library_does_not_know_is_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nanos = parsed(of(logical("long", "timestamp-nanos")))
        assert differences(nanos, parsed(of(logical("long", "timestamp-millis")))) == [
            "a is timestamp-millis in what was written, and read as timestamp-nanos"
        ]


def test_a_schema_that_refers_to_itself_or_has_a_type_in_many_places_ends() -> None:
    below: Any = "int"
    for depth in range(40):
        below = record(field("l", below), field("r", f"T{depth - 1}" if depth else "int"), name=f"T{depth}")
    more = {**below, "fields": [*below["fields"], field("n", ["null", "T39"], default=None)]}
    assert differences(parsed(more), parsed(below)) == []


KINDS: list[Any] = [
    *("null", "boolean", "int", "long", "float", "double", "string", "bytes"),
    *(["null", "int"], ["int", "long"], ["string", "double"], ["null", INNER], [INNER, {**INNER, "name": "Other"}]),
    *({"type": "array", "items": "int"}, {"type": "array", "items": "long"}, {"type": "map", "values": "int"}),
    *(enum("A"), enum("A", "B"), enum("A", "B", name="F"), enum("B", default="B")),
    *(INNER, MORE_INNER, {**INNER, "name": "Other"}, {**INNER, "name": "Other", "aliases": ["Inner"]}),
    *({"type": "fixed", "name": "X", "size": 4}, {"type": "fixed", "name": "X", "size": 8}),
]


def test_the_verdict_is_the_one_of_the_library() -> None:
    for old, new in itertools.product(map(of, KINDS), repeat=2):
        reader, writer = make_avsc_object(new), make_avsc_object(old)
        checker: Any = ReaderWriterCompatibilityChecker
        verdict = checker().get_compatibility(reader, writer).compatibility
        assert bool(differences(reader, writer)) == (verdict is SchemaCompatibilityType.incompatible), (old, new)
