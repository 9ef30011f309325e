"""Places of a registered JSON Schema, see `scanners.schemas.known.place`.

A JSON Schema bounds values, it does not encode them: `integer` has any size, `number` any digits, and records may hold
what it does not mention. So it names the fields and their kinds, and the records show how wide their numbers are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.paths import FieldPath
from scanners.schemas.expect_registered import Document
from scanners.schemas.known.place import DEEPEST, MOST_REPEATS, Places

_SQL = {"integer": "BIGINT", "boolean": "BOOLEAN", "string": "STRING"}
_LITERALS = {str: "STRING", bool: "BOOLEAN", int: "BIGINT"}
_COMBINED = ("oneOf", "anyOf", "allOf")


def add_json_schema(places: Places, document: Document, at: FieldPath) -> None:
    """Take in a schema with those it refers to."""
    _add(places, document.root, document, at, ())


def _add(places: Places, schema: Any, document: Document, at: FieldPath, above: tuple[int, ...]) -> None:
    if not isinstance(schema, Mapping) or document.budget.spent(0) or len(above) > 4 * DEEPEST:
        return
    if above.count(id(schema)) >= MOST_REPEATS:
        return
    above = (*above, id(schema))
    if "$ref" in schema:
        target, other = document.pointed(str(schema["$ref"]))
        _add(places, target, other, at, above)
    for word in _COMBINED:
        for option in schema.get(word) or () if isinstance(schema.get(word), list) else ():
            _add(places, option, document, at, above)
    types = schema.get("type")
    for kind in types if isinstance(types, list) else [types]:
        _one(places, schema, kind, document, at, above)
    words = _words(schema)
    places.describe(at, **words)


def _one(
    places: Places, schema: Mapping[str, Any], kind: Any, document: Document, at: FieldPath, above: tuple[int, ...]
) -> None:
    below, more = schema.get("properties"), schema.get("additionalProperties")
    if kind == "object" or (kind is None and isinstance(below, Mapping)):
        if not below and isinstance(more, Mapping) and more:
            if places.add(at, "map", type="object"):
                _add(places, more, document, at.values(), above)
        elif below and places.add(at, "object", type="object"):
            for name, child in below.items():
                _add(places, child, document, at.field(str(name)), above)
    elif kind == "array":
        items = schema.get("items")
        if isinstance(items, Mapping) and places.add(at, "array", type="array"):
            _add(places, items, document, at.elements(), above)
    elif kind == "number":
        # How many digits there are is for the records to show.
        places.add(at, "scalar", None, type="number")
    elif kind in _SQL:
        places.add(at, "scalar", _SQL[kind], type=str(kind))
    elif kind is None:
        literals = schema.get("enum") if isinstance(schema.get("enum"), list) else [schema.get("const")]
        for literal in {_LITERALS.get(type(each)) for each in literals or ()} - {None}:
            places.add(at, "scalar", literal, type="enum")


def _words(schema: Mapping[str, Any]) -> dict[str, object]:
    title, text = schema.get("title"), schema.get("description")
    symbols = schema.get("enum")
    details: dict[str, object] = {
        "doc": ". ".join(str(each).rstrip(".") for each in (title, text) if each) if title and text else text or title,
        "symbols": symbols if isinstance(symbols, list) else None,
        "format": schema.get("format"),
    }
    return {**details, "hasDefault": True, "default": schema["default"]} if "default" in schema else details
