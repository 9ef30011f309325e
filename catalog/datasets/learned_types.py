"""The types a query reads a topic's parts by, from the profile of its records: as wide as what was seen allows.

A sample shows what is there, not what may come. So integers are BIGINT however small they were, and decimals have room
on both sides of the point. Where no number of Spark holds all that was seen, the field is STRING with the numbers' values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.datatypes import DEEPEST, STRING, ArrayType, DataType, MapType, Primitive, StructType, alternatives
from catalog.model import FieldProfile
from catalog.paths import ELEMENTS, VALUES, Step, StepKind

INTEGERS = frozenset({"int32", "int64", "integer"})
NUMBERS = INTEGERS | {"double", "decimal"}
LONGEST = 38
"""Digits of Spark's DECIMAL."""
EXACT_DIGITS = 15
"""Digits of an integer that a double always holds."""

_AS_TEXT = "Queries read this field as STRING, with the values of its numbers (1.1 for 1.10, 100000.0 for 1e5)"
_DECIMAL = re.compile(r"DECIMAL\((\d+),(\d+)\)")
_MOST_ROOM = 10
_OTHERS = {
    "boolean": "BOOLEAN",
    "string": "STRING",
    "date": "STRING",
    "timestamp": "STRING",
    "uuid": "STRING",
    "binary": "BINARY",
}
_CONTAINERS = frozenset({"object", "map", "array"})


def number_type(kinds: Collection[str], details: Mapping[str, Any]) -> tuple[Primitive, str | None]:
    """The type that holds numbers of these kinds without loss, and a sentence where it is not a number's.

    details   those of the field's profile: `magnitude`, and `precision` and `scale` where digits count
    """
    types = set(kinds)
    if types <= {"int32", "int64"}:
        return Primitive("BIGINT"), None
    if "decimal" not in types and "double" in types and "precision" not in details:
        return Primitive("DOUBLE"), None
    scale = int(details.get("scale") or 0) if types - INTEGERS else 0
    digits = max(0, int((details.get("magnitude") or [0, 0])[1]) + 1)
    if digits + scale > LONGEST:
        return STRING, (
            f"{_AS_TEXT}: {digits} digits before the point and {scale} behind it are more than the {LONGEST} that a DECIMAL"
            " has. Queries round and count numbers of more digits, and show one beyond a DOUBLE as Infinity. Cast the field"
            " where fewer digits do."
        )
    if details.get("notFinite"):
        return STRING, (
            f"{_AS_TEXT}: some are not finite, which a DECIMAL does not hold, and others have more digits than a DOUBLE."
        )
    room = min((LONGEST - digits - scale) // 2, _MOST_ROOM) if scale else 0
    return Primitive(f"DECIMAL({LONGEST},{scale + room})"), None


def note_of(types: Mapping[str, float], details: Mapping[str, Any]) -> str | None:
    """What is to be known of the type by which queries read a field, for its details."""
    kinds = {name for name, share in types.items() if share > 0 and name != "null"}
    numbers = kinds & NUMBERS
    if numbers and not kinds - NUMBERS - _CONTAINERS:
        return number_type(numbers, details)[1]
    return None


def from_report(fields: Sequence[FieldProfile], root: str = "value") -> DataType:
    """The type by which a part is read of which nobody knows more than what producers of lineage report.

    A reported type does not bound digits, so numbers are STRING, with their values.
    """
    return from_profile([replace(each, types=_without_digits(each.types)) for each in fields], root)


def _without_digits(types: Mapping[str, float]) -> dict[str, float]:
    return {"string" if name in NUMBERS else name: share for name, share in types.items()}


@dataclass(slots=True)
class _Node:
    profile: FieldProfile | None = None
    children: dict[Step, _Node] = field(default_factory=dict)


def from_profile(fields: Sequence[FieldProfile], root: str = "value") -> DataType:
    """The type that reads every sampled record of one part (key, value or headers) without loss.

    A struct has every field seen in any shape; numbers widen; what is a number in one record and text in another is
    STRING. What is an object in one record and an array or a scalar in another is `Alternatives`, a member for each.
    """
    top = _Node()
    for profile in fields:
        path = profile.field_path
        # Documents in texts are profiled below the text, which is read as a text.
        if path.root != root or "insideText" in profile.details:
            continue
        node = top
        for step in path.steps:
            node = node.children.setdefault(step, _Node())
        node.profile = profile
    return _type_of(top)


def _type_of(node: _Node, depth: int = 0) -> DataType:
    if depth == DEEPEST:
        return STRING
    kinds = {name for name, share in node.profile.types.items() if share > 0} if node.profile else set()
    kinds.discard("null")
    registered = node.profile.details.get("registered", {}) if node.profile else {}
    if "kinds" in registered:
        kinds = {kind for kind in registered["kinds"] if kind != "scalar"} | (
            kinds if "sql" not in registered else set()
        )
    fields = {step.name or "": child for step, child in node.children.items() if step.kind is StepKind.FIELD}
    keyed = any(step.kind in (StepKind.VALUES, StepKind.MAP_KEY, StepKind.KEYS) for step in node.children)
    if not kinds and "sql" not in registered:
        kinds = {"object"} if fields else {"map"} if keyed else {"array"} if ELEMENTS in node.children else {"string"}
    below = depth + 1 + (len(_members(kinds)) > 1 or "sql" in registered)
    members: dict[str, DataType] = {}
    if kinds & {"object", "map"}:
        members["as_object"] = _object(node, fields, keyed, below)
    if "array" in kinds:
        members["as_array"] = ArrayType(
            _type_of(node.children[ELEMENTS], below) if ELEMENTS in node.children else STRING
        )
    if "sql" in registered:
        members["as_scalar"] = Primitive(registered["sql"])
    elif scalars := kinds - _CONTAINERS:
        members["as_scalar"] = _scalar(scalars, node.profile.details if node.profile else {})
    return alternatives(members) if members else STRING


def _members(kinds: Collection[str]) -> set[str]:
    return {"object" if name == "map" else name if name in _CONTAINERS else "scalar" for name in kinds}


def _object(node: _Node, fields: Mapping[str, _Node], keyed: bool, depth: int) -> DataType:
    if keyed:
        return MapType(STRING, _type_of(node.children[VALUES], depth) if VALUES in node.children else STRING)
    return StructType(tuple((name, _type_of(child, depth)) for name, child in fields.items())) if fields else STRING


def _scalar(kinds: set[str], details: Mapping[str, Any]) -> Primitive:
    if kinds <= NUMBERS:
        return number_type(kinds, details)[0]
    return Primitive(_OTHERS.get(kinds.pop(), "STRING")) if len(kinds) == 1 else STRING


def scalar_of(profile: FieldProfile) -> str | None:
    """The type, as DDL, of the single values that a field had; None when it had none."""
    kinds = {name for name, share in profile.types.items() if share > 0 and name != "null"} - _CONTAINERS
    return _scalar(kinds, profile.details).name if kinds else None


_WIDTHS = {"INT": 10, "BIGINT": 19}
_DOUBLES = {"FLOAT": {"FLOAT"}, "DOUBLE": {"FLOAT", "DOUBLE", "INT"}}


def wider(one: str, other: str) -> str:
    """The narrowest type, as DDL, that holds the values of both; STRING where no other does."""
    if one == other:
        return one
    for wide, narrow in ((one, other), (other, one)):
        if narrow in _DOUBLES.get(wide, ()):
            return wide
    if {one, other} == {"FLOAT", "INT"}:
        return "DOUBLE"
    sizes = [_digits(one), _digits(other)]
    if None in sizes:
        return "STRING"
    before, behind = (max(size[at] for size in sizes if size is not None) for at in (0, 1))
    if behind == 0 and {one, other} <= _WIDTHS.keys():
        return "BIGINT"
    return f"DECIMAL({before + behind},{behind})" if before + behind <= LONGEST else "STRING"


def _digits(ddl: str) -> tuple[int, int] | None:
    """Digits before and behind the point that a number's type holds; None for what is not an exact number."""
    if ddl in _WIDTHS:
        return _WIDTHS[ddl], 0
    match = _DECIMAL.fullmatch(ddl)
    return (int(match[1]) - int(match[2]), int(match[2])) if match else None
