"""A schema as other tools want it: JSON Schema, Avro, Spark DDL, a pydantic model. Pure; made from the stored profile.

Every export describes the record's value as it was seen: a field that some records lack is optional, several types are a
union, a map is a map. Key and headers are not part of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from catalog.datasets.learned_types import from_profile
from catalog.datatypes import STRING, Alternatives, StructType, columns_ddl, to_ddl, without_alternatives
from catalog.errors import InvalidInput
from catalog.model import SchemaVersion, Shape
from catalog.paths import FieldPath
from scanners.export.pydantic_models import pydantic_model
from scanners.export.tree import Place, merged, tree_of


def export(name: str, schema: SchemaVersion, format: str) -> tuple[str, str]:
    """(text, media type) of a dataset's schema as `ddl` (or `spark`), `jsonschema`, `avro` or `pydantic`. Raises InvalidInput."""
    makers: dict[str, tuple[Callable[[str, SchemaVersion], str], str]] = {
        "ddl": (spark_ddl, "text/plain"),
        "spark": (spark_ddl, "text/plain"),
        "jsonschema": (
            lambda n, s: json.dumps(json_schema(n, s), indent=2, ensure_ascii=False),
            "application/schema+json",
        ),
        "avro": (lambda n, s: json.dumps(avro(n, s), indent=2, ensure_ascii=False), "application/json"),
        "pydantic": (pydantic_model, "text/x-python"),
    }
    if format not in makers:
        raise InvalidInput(f"A schema cannot be written as {format!r}; choose one of {', '.join(makers)}.")
    make, media = makers[format]
    return make(name, schema), media


def spark_ddl(_name: str, schema: SchemaVersion) -> str:
    """Columns as `from_json` and `DataFrame.schema` take them; a value that is not an object is one column `value`.

    What is an object in one record and something else in another is a text: its JSON."""
    kind = from_profile(schema.fields, "value")
    if isinstance(kind, Alternatives):
        kind = kind.get("as_object") or STRING
    kind = without_alternatives(kind)
    return columns_ddl(kind) if isinstance(kind, StructType) else f"`value` {to_ddl(kind)}"


# --- JSON Schema ------------------------------------------------------------------------------------------------------

_JSON_FORMATS = {
    "date": "date",
    "timestamp": "date-time",
    "uuid": "uuid",
    "time": "time",
    "duration": "duration",
    "url": "uri",
}


def json_schema(name: str, schema: SchemaVersion) -> dict[str, object]:
    """JSON Schema 2020-12 of the value; with several shapes, `oneOf` (or `anyOf`) lists which fields go together."""
    top = tree_of(schema)
    document: dict[str, object] = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": name,
        **_json_type(top),
    }
    shapes = [s for s in schema.shapes if not (s.when and "others" in s.when)]
    if len(shapes) > 1 and top.kinds == ["object"]:
        exclusive = all(s.when and next(iter(s.when)).startswith("value.") for s in shapes)
        document["oneOf" if exclusive else "anyOf"] = [_json_shape(s, exclusive, top) for s in shapes]
        if len(shapes) < len(schema.shapes):
            document.pop("oneOf" if exclusive else "anyOf")
    return document


def _json_shape(variant: Shape, exclusive: bool, top: Place) -> dict[str, object]:
    """`exclusive`: a field of the value distinguishes the shapes, so that a record has exactly one."""
    names = sorted({FieldPath.parse(p).names[0] for p in variant.paths})
    # A shape with a discriminator joins variants, so only what is always there is required.
    always = names if variant.when is None else [n for n in names if n in top.fields and top.fields[n].always]
    if exclusive and variant.when:
        path, value = next(iter(variant.when.items()))
        first, *below = FieldPath.parse(path).names
        inner: dict[str, object] = {"const": value}
        for part in reversed(below):
            inner = {"properties": {part: inner}, "required": [part]}
        return {"properties": {first: inner}, "required": sorted({first, *always})}
    absent = sorted(set(top.fields) - set(names))
    return {"required": always} | ({"properties": dict.fromkeys(absent, False)} if absent else {})


def _json_type(place: Place) -> Mapping[str, object]:
    options = [_json_one(place, kind) for kind in merged(place.kinds)]
    if place.nullable or not options:
        options.append({"type": "null"} if place.nullable else {})
    unique = [o for i, o in enumerate(options) if o not in options[:i]]
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def _json_one(place: Place, kind: str) -> Mapping[str, object]:
    if kind == "object":
        required = sorted(n for n, p in place.fields.items() if p.always)
        schema: dict[str, object] = {
            "type": "object",
            "properties": {n: _json_type(p) for n, p in place.fields.items()},
        }
        return {**schema, "required": required} if required else schema
    if kind == "array":
        return {"type": "array", "items": _json_type(place.elements) if place.elements else {}}
    if kind == "map":
        return {"type": "object", "additionalProperties": _json_type(place.values) if place.values else True}
    if kind == "string":
        form = _JSON_FORMATS.get(place.form() or "")
        return {"type": "string", "format": form} if form else {"type": "string"}
    return {
        "boolean": {"type": "boolean"},
        "int32": {"type": "integer", "format": "int32"},
        "int64": {"type": "integer", "format": "int64"},
        "integer": {"type": "integer"},
        "double": {"type": "number"},
        "decimal": {"type": "number"},
        "date": {"type": "string", "format": "date"},
        "timestamp": {"type": "string", "format": "date-time"},
        "uuid": {"type": "string", "format": "uuid"},
        "binary": {"type": "string", "contentEncoding": "base64"},
    }.get(kind, {})


# --- Avro -------------------------------------------------------------------------------------------------------------


def avro(name: str, schema: SchemaVersion) -> Any:
    """An Avro schema of the value: the registered one where its records name one, as it was registered.

    In a learned one a name that Avro does not allow is changed, and kept as the field's `doc`.
    """
    registered = registered_avro(schema)
    if registered is not None:
        return registered
    return _avro_type(tree_of(schema), _avro_name(name) or "Value", set())


def registered_avro(schema: SchemaVersion) -> Any | None:
    """The newest registered Avro schema of the value with all that it refers to; a union of several kinds of records."""
    root = next((f for f in schema.fields if f.path == "value"), None)
    texts = root.details.get("registered", {}).get("schemas", ()) if root is not None else ()
    read = [json.loads(text) for text in texts]
    return None if not read else read[0] if len(read) == 1 else read


def _avro_name(text: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9_]", "_", text)
    return plain if not plain or not plain[0].isdigit() else f"_{plain}"


def _avro_type(place: Place, name: str, used: set[str], optional: bool = False) -> Any:
    kinds = merged(place.kinds)
    if {"integer", "decimal"} <= set(kinds):
        kinds.remove("integer")
    flat: list[Any] = []
    for kind in kinds:
        option = _avro_one(place, kind, name, used)
        if kind == "decimal" and "binary" in kinds:
            option = {**option, "type": "fixed", "name": f"{name}_decimal", "size": _bytes_of(option["precision"])}
        # A union has each unnamed type once, whatever it means.
        if all(_unnamed(option) != _unnamed(other) or isinstance(_unnamed(option), dict) for other in flat):
            flat.append(option)
    if place.nullable or optional or not flat:
        flat.insert(0, "null")
    return flat[0] if len(flat) == 1 else flat


def _unnamed(option: Any) -> Any:
    """The type of a branch by which a union may have it once; records and fixed ones go by their names."""
    named = isinstance(option, dict) and option["type"] in ("record", "fixed")
    return option["type"] if isinstance(option, dict) and not named else option


def _bytes_of(digits: int) -> int:
    """Bytes that hold any signed number of so many digits."""
    return int(10**digits).bit_length() // 8 + 1


def _avro_one(place: Place, kind: str, name: str, used: set[str]) -> Any:
    details = place.profile.details if place.profile else {}
    match kind:
        case "object":
            unique = name
            while unique in used:
                unique += "_"
            used.add(unique)
            taken: set[str] = set()
            return {
                "type": "record",
                "name": unique,
                "fields": [_avro_field(n, p, unique, used, taken) for n, p in place.fields.items()],
            }
        case "array":
            return {
                "type": "array",
                "items": _avro_type(place.elements, f"{name}_item", used) if place.elements else "null",
            }
        case "map":
            return {
                "type": "map",
                "values": _avro_type(place.values, f"{name}_value", used) if place.values else "string",
            }
        case "decimal" | "integer":
            digits = int(details.get("precision") or 38)
            scale = int(details.get("scale") or 0) if kind == "decimal" else 0
            if kind == "decimal" and "integer" in place.kinds:
                digits = scale + 1 + max(0, int((details.get("magnitude") or [0, digits])[1]))
            return {"type": "bytes", "logicalType": "decimal", "precision": max(digits, scale, 1), "scale": scale}
        case "date":
            return {"type": "int", "logicalType": "date"}
        case "timestamp":
            return {"type": "long", "logicalType": "timestamp-millis"}
        case "uuid":
            return {"type": "string", "logicalType": "uuid"}
    return {"boolean": "boolean", "int32": "int", "int64": "long", "double": "double", "binary": "bytes"}.get(
        kind, "string"
    )


def _avro_field(name: str, place: Place, parent: str, used: set[str], taken: set[str]) -> dict[str, object]:
    plain = _avro_name(name) or "_"
    while plain in taken:
        plain += "_"
    taken.add(plain)
    kind = _avro_type(place, f"{parent}_{plain}", used, optional=not place.always)
    field: dict[str, object] = {"name": plain, "type": kind}
    if plain != name:
        field["doc"] = f"named {name!r} in the records"
    if kind == "null" or (isinstance(kind, list) and kind[0] == "null"):
        field["default"] = None
    return field
