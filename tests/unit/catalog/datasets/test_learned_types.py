"""The types by which queries read what a scan saw: wide enough for what the sample did not show."""

from __future__ import annotations

from typing import Any

import pytest

from catalog.datasets.learned_types import from_profile, note_of, number_type
from catalog.datatypes import DEEPEST, STRING, Alternatives, ArrayType, MapType, Primitive, StructType, to_ddl
from catalog.model import FieldProfile

BIGINT = Primitive("BIGINT")


def profile(path: str, details: dict[str, Any] | None = None, **types: float) -> FieldProfile:
    return FieldProfile(path, types, 1, 1.0, details=details or {})


@pytest.mark.parametrize(
    ("kinds", "details", "wanted"),
    [
        ({"int32"}, {"magnitude": [0, 1]}, "BIGINT"),
        ({"int32", "int64"}, {"magnitude": [0, 12]}, "BIGINT"),
        ({"integer"}, {"magnitude": [0, 19]}, "DECIMAL(38,0)"),
        ({"int32", "integer"}, {"magnitude": [0, 37]}, "DECIMAL(38,0)"),
        ({"double"}, {"magnitude": [0, 1]}, "DOUBLE"),
        ({"int32", "double"}, {"magnitude": [0, 1]}, "DOUBLE"),
        ({"int64", "double"}, {"magnitude": [0, 17], "precision": 20, "scale": 2}, "DECIMAL(38,11)"),
        ({"decimal"}, {"magnitude": [-1, -1], "precision": 21, "scale": 21}, "DECIMAL(38,29)"),
        ({"decimal", "double"}, {"magnitude": [-1, 0], "precision": 22, "scale": 21}, "DECIMAL(38,29)"),
        ({"decimal"}, {"magnitude": [28, 28], "precision": 33, "scale": 4}, "DECIMAL(38,6)"),
    ],
)
def test_numbers_have_room(kinds: set[str], details: dict[str, Any], wanted: str) -> None:
    assert number_type(kinds, details) == (Primitive(wanted), None)


@pytest.mark.parametrize(
    ("kinds", "details", "why"),
    [
        ({"integer"}, {"magnitude": [0, 38]}, "39 digits before the point"),
        (
            {"decimal"},
            {"magnitude": [-1, 28], "precision": 50, "scale": 21},
            "29 digits before the point and 21 behind",
        ),
        ({"decimal"}, {"magnitude": [0, 1], "precision": 22, "scale": 20, "notFinite": 1}, "not finite"),
    ],
)
def test_what_no_number_holds_is_text_with_a_note(kinds: set[str], details: dict[str, Any], why: str) -> None:
    kind, note = number_type(kinds, details)
    assert kind == STRING and note is not None and why in note
    assert "as they were sent" not in note and "1.1 for 1.10" in note, (
        "the engine keeps values, not how they were written"
    )
    assert note_of(dict.fromkeys(kinds, 1.0), details) == note


def test_numbers_beside_text_are_text_and_need_no_note() -> None:
    assert note_of({"integer": 0.5, "string": 0.5}, {"magnitude": [0, 50]}) is None


def test_an_inferred_schema_reads_every_shape() -> None:
    kind = from_profile(
        [
            profile("value", object=1.0),
            profile("value.id", int32=0.5, int64=0.5),
            profile("value.mixed", int32=0.5, string=0.5),
            profile("value.tags", array=1.0),
            profile("value.tags[]", string=1.0),
            profile("value.attributes", map=1.0),
            profile("value.attributes{}", double=1.0),
            profile("value.gone", null=1.0),
            profile("key", string=1.0),
        ]
    )
    assert kind == StructType(
        (
            ("id", BIGINT),
            ("mixed", STRING),
            ("tags", ArrayType(STRING)),
            ("attributes", MapType(STRING, Primitive("DOUBLE"))),
            ("gone", STRING),
        )
    )
    assert to_ddl(kind).startswith("STRUCT<`id`: BIGINT, `mixed`: STRING, `tags`: ARRAY<STRING>")


def test_each_alternative_of_a_place_is_a_member() -> None:
    kind = from_profile(
        [
            profile("value", object=0.5, array=0.3, string=0.2),
            profile("value.email", string=1.0),
            profile("value[]", object=1.0),
            profile("value[].email", string=1.0),
            profile("value.tags", array=0.5, string=0.5),
            profile("value.tags[]", string=1.0),
            profile("value.limits", map=0.5, int32=0.5),
            profile("value.limits{}", int32=1.0),
        ]
    )
    assert isinstance(kind, Alternatives)
    assert to_ddl(kind) == (
        "STRUCT<`as_object`: STRUCT<`email`: STRING, `tags`: STRUCT<`as_array`: ARRAY<STRING>, `as_scalar`: STRING>, "
        "`limits`: STRUCT<`as_object`: MAP<STRING, BIGINT>, `as_scalar`: BIGINT>>, "
        "`as_array`: ARRAY<STRUCT<`email`: STRING>>, `as_scalar`: STRING>"
    )


def test_a_document_in_a_text_is_no_field_of_the_type() -> None:
    fields = [profile("value", object=1.0), profile("value.a", string=1.0)]
    inside = profile("value.a.email", {"insideText": "value.a"}, string=1.0)
    assert from_profile([*fields, inside]) == StructType((("a", STRING),))


def test_what_lies_very_deep_is_text() -> None:
    path = "value" + ".a" * 60
    paths = [path[: 5 + 2 * n] for n in range(61)]
    kind = from_profile([*(profile(p, object=1.0) for p in paths[:-1]), profile(path, int32=1.0)])
    depth = 0
    while isinstance(kind, StructType):
        kind, depth = kind.fields[0][1], depth + 1
    assert (kind, depth) == (STRING, DEEPEST)
