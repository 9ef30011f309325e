"""Compatibility of registered schemas by the rules of their own formats, in the registry's words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.features.datasets.registry_verdicts import follow
from scanners.model import RegisteredSchema
from scanners.schemas.compatible import Judgement, judged
from scanners.schemas.registered import Schemas


def verdict(kind: str, *texts: Any) -> Judgement:
    schemas = [
        RegisteredSchema(i, kind, text if isinstance(text, str) else json.dumps(text), subject="t-value", version=i)
        for i, text in enumerate(texts, 1)
    ]
    return judged(schemas, Schemas({each.id: each for each in schemas}))


def record(*fields: Any) -> dict[str, Any]:
    return {"type": "record", "name": "R", "fields": [{"name": n, "type": t, **more} for n, t, more in fields]}


def proto(body: str, more: str = "") -> str:
    return f'syntax = "proto3"; message M {{ {body} }} {more}'


def thing(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "additionalProperties": False}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("kind", "old", "new", "backward", "forward"),
    [
        (
            "AVRO",
            record(("a", "string", {})),
            record(("a", ["string", {"type": "array", "items": "string"}], {})),
            True,
            False,
        ),
        ("AVRO", record(("a", "int", {})), record(("a", "long", {})), True, False),
        ("AVRO", record(("a", "int", {})), record(("a", "int", {}), ("b", "int", {})), False, True),
        ("AVRO", record(("a", "int", {})), record(("a", "int", {}), ("b", "int", {"default": 0})), True, True),
        ("AVRO", record(("a", "int", {})), record(("n", "int", {"aliases": ["a"]})), True, False),
        ("AVRO", record(("a", "int", {})), record(("a", "string", {})), False, False),
        ("PROTOBUF", proto("int32 a = 1;"), proto("int64 a = 1;"), True, True),
        ("PROTOBUF", proto("int32 a = 1;"), proto("int32 b = 1; string c = 2;"), True, True),
        ("PROTOBUF", proto("int32 a = 1;"), proto("string a = 1;"), False, False),
        (
            "PROTOBUF",
            proto("N n = 1;", "message N { int32 a = 1; }"),
            proto("N n = 1;", "message N { bool b = 2; }"),
            True,
            True,
        ),
        ("PROTOBUF", proto("int32 a = 1;", "message N { int32 a = 1; }"), proto("int32 a = 1;"), False, True),
        ("PROTOBUF", proto("int32 a = 1;"), proto("oneof o { int32 a = 1; string b = 2; }"), False, True),
        ("JSON", thing(a=TEXT), thing(a={"type": ["string", "array"]}), True, False),
        ("JSON", thing(a=NUMBER), thing(a={"type": "number"}), True, False),
        ("JSON", thing(a=TEXT), {**thing(a=TEXT), "required": ["a"]}, False, True),
        ("JSON", thing(a=TEXT), thing(a=TEXT, b=TEXT), True, False),
        ("JSON", thing(a={"enum": ["x"]}), thing(a={"enum": ["x", "y"]}), True, False),
        ("JSON", thing(a=TEXT), thing(a={"anyOf": [TEXT, NUMBER]}), True, False),
        ("JSON", thing(a=TEXT), thing(a={**TEXT, "maxLength": 3}), False, True),
    ],
)
def test_the_rules_of_each_format(kind: str, old: Any, new: Any, backward: bool, forward: bool) -> None:
    outcome = verdict(kind, old, new)
    assert (outcome.backward, outcome.forward, outcome.full) == (backward, forward, backward and forward)
    assert {p.way for p in outcome.problems} == {
        w for w, holds in (("backward", backward), ("forward", forward)) if not holds
    }


def test_transitive_levels_look_at_all_versions() -> None:
    first, second, third = (record(("a", t, {})) for t in (["null", "int"], "int", "long"))
    assert verdict("AVRO", second, third).levels == ["BACKWARD", "BACKWARD_TRANSITIVE"]
    assert verdict("AVRO", first, second, third).levels == ["BACKWARD"]


def test_subjects_are_judged_one_by_one() -> None:
    one = RegisteredSchema(1, "AVRO", json.dumps(record(("a", "int", {}))), subject="A", version=1)
    two = RegisteredSchema(2, "AVRO", json.dumps(record(("a", "long", {}))), subject="A", version=2)
    other = RegisteredSchema(3, "AVRO", json.dumps(record(("z", "bytes", {}))), subject="B", version=1)
    changes = follow("t", {1: one, 2: two, 3: other}, {1, 3}, {2, 3})
    assert changes is not None and (changes.backward, changes.forward) == (True, False)
    assert changes.problems[0].subject == "A"
