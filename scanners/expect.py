"""What a declared or registered schema expects of a value, in one small form.

The form is JSON, so that it travels to Spark's workers:

    {"kind": "struct", "fields": {NAME: form}, "required": [NAME], "closed": bool}     closed: no other fields
    {"kind": "list", "items": form}     {"kind": "map", "values": form}     {"kind": "any", "of": [form]}
    {"kind": "leaf", "is": [a key of `checker.IS`]}     {"kind": "open"}                      open: whatever it is

each with "type", its name in the schema, and "nullable". Only names that stand in the schema are ever reported; what a
record has beyond them may be data, and is told by the sealed profile alone (`undeclared`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.model import FieldProfile
from catalog.paths import FieldPath, StepKind

Form = Mapping[str, Any]
OPEN: Form = {"kind": "open", "nullable": True}
_DEEPEST = 20

# --- from Spark's DDL -------------------------------------------------------------------------------------------------

_DDL = {
    "BOOLEAN": "boolean", "TINYINT": "int8", "SMALLINT": "int16", "INT": "int32", "INTEGER": "int32",
    "BIGINT": "int64", "LONG": "int64", "FLOAT": "number", "DOUBLE": "number", "STRING": "string", "BINARY": "binary",
    "DATE": "date", "TIMESTAMP": "timestamp", "TIMESTAMP_NTZ": "timestamp", "DECIMAL": "number", "VARCHAR": "string",
    "CHAR": "string",
}  # fmt: skip


def from_ddl(kind: DataType) -> Form:
    """Of declared columns: every one may be absent or null, no other is expected."""
    match kind:
        case StructType(fields):
            below = {name: from_ddl(child) for name, child in fields}
            return {"kind": "struct", "type": "STRUCT", "nullable": True, "fields": below, "closed": True}
        case ArrayType(element):
            return {"kind": "list", "type": "ARRAY", "nullable": True, "items": from_ddl(element)}
        case MapType(_, value):
            return {"kind": "map", "type": "MAP", "nullable": True, "values": from_ddl(value)}
        case Primitive(name):
            known = _DDL.get(name.partition("(")[0])
            return {"kind": "leaf", "type": name, "nullable": True, "is": [known]} if known else OPEN


# --- from Avro --------------------------------------------------------------------------------------------------------

_AVRO = {
    "boolean": "boolean", "int": "int32", "long": "int64", "float": "number", "double": "number", "string": "string",
    "bytes": "binary", "enum": "string", "fixed": "binary",
}  # fmt: skip
_LOGICAL = {
    "date": ["date"], "timestamp-millis": ["timestamp"], "timestamp-micros": ["timestamp"], "decimal": ["number"],
    "local-timestamp-millis": ["timestamp"], "local-timestamp-micros": ["timestamp"],
}  # fmt: skip


def from_avro(text: str) -> Form:
    """Of an Avro schema, for values that are plain JSON. Raises ValueError for text that is none."""
    return _avro(json.loads(text), {}, "", 0)


def _avro(schema: Any, named: dict[str, Any], space: str, depth: int) -> Form:
    if depth > _DEEPEST:
        return OPEN
    if isinstance(schema, list):
        options = [_avro(option, named, space, depth + 1) for option in schema if option != "null"]
        nullable = "null" in schema
        if len(options) == 1:
            return {**options[0], "nullable": nullable or options[0]["nullable"]}
        return {"kind": "any", "type": "union", "nullable": nullable, "of": options}
    if isinstance(schema, str):
        if schema in _AVRO:
            return {"kind": "leaf", "type": schema, "nullable": False, "is": [_AVRO[schema]]}
        found = named.get(schema) or named.get(f"{space}.{schema}")
        return _avro(found, named, space, depth + 1) if found is not None and schema != "null" else OPEN
    if not isinstance(schema, dict):
        return OPEN
    kind = schema.get("type")
    if isinstance(kind, dict | list):
        return _avro(kind, named, space, depth)
    if "name" in schema:
        inner = str(schema.get("namespace", space))
        named[f"{inner}.{schema['name']}" if inner else str(schema["name"])] = schema
        named.setdefault(str(schema["name"]), schema)
        space = inner
    match kind:
        case "record":
            fields = [f for f in schema.get("fields", ()) if isinstance(f, dict) and "name" in f]
            below = {str(f["name"]): _avro(f.get("type"), named, space, depth + 1) for f in fields}
            required = [str(f["name"]) for f in fields if "default" not in f and not below[str(f["name"])]["nullable"]]
            return {
                "kind": "struct", "type": "record", "nullable": False, "fields": below, "required": required,
                "closed": True,
            }  # fmt: skip
        case "array":
            items = _avro(schema.get("items"), named, space, depth + 1)
            return {"kind": "list", "type": "array", "nullable": False, "items": items}
        case "map":
            values = _avro(schema.get("values"), named, space, depth + 1)
            return {"kind": "map", "type": "map", "nullable": False, "values": values}
    if not isinstance(kind, str) or kind not in _AVRO:
        return _avro(kind, named, space, depth + 1) if isinstance(kind, str) else OPEN
    logical = str(schema.get("logicalType", ""))
    return {
        "kind": "leaf", "type": logical or kind, "nullable": False, "is": [_AVRO[kind], *_LOGICAL.get(logical, ())],
    }  # fmt: skip


# --- from JSON Schema -------------------------------------------------------------------------------------------------

_JSON = {"boolean": "boolean", "integer": "integer", "number": "number", "string": "string"}


def from_json_schema(text: str) -> Form:
    """Of a JSON Schema: types, properties, required ones, items, references within it, anyOf and oneOf. What else it
    says (patterns, ranges, enumerations, allOf) is not looked at. Raises ValueError for text that is none."""
    root = json.loads(text)
    return _json(root, root, 0)


def _json(schema: Any, root: Any, depth: int) -> Form:
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return OPEN
    if "$ref" in schema:
        return _json(_pointed(root, str(schema["$ref"])), root, depth + 1)
    for word in ("oneOf", "anyOf"):
        if isinstance(schema.get(word), list) and "type" not in schema and "properties" not in schema:
            return _any([_json(option, root, depth + 1) for option in schema[word]])
    types = schema.get("type")
    if isinstance(types, list):
        return _any([_json({**schema, "type": one}, root, depth) for one in types])
    if types is None and "properties" in schema:
        types = "object"
    match types:
        case "null":
            return {"kind": "leaf", "type": "null", "nullable": True, "is": []}
        case "object":
            return _json_object(schema, root, depth)
        case "array":
            items = _json(schema.get("items"), root, depth + 1)
            return {"kind": "list", "type": "array", "nullable": False, "items": items}
        case str() if types in _JSON:
            return {"kind": "leaf", "type": types, "nullable": False, "is": [_JSON[types]]}
    return OPEN


def _json_object(schema: Mapping[str, Any], root: Any, depth: int) -> Form:
    below = schema.get("properties") or {}
    more = schema.get("additionalProperties")
    if not below and isinstance(more, dict):
        return {"kind": "map", "type": "object", "nullable": False, "values": _json(more, root, depth + 1)}
    return {
        "kind": "struct", "type": "object", "nullable": False,
        "fields": {str(name): _json(child, root, depth + 1) for name, child in below.items()},
        "required": [str(name) for name in schema.get("required") or ()],
        "closed": more is False and not schema.get("patternProperties"),
    }  # fmt: skip


def _any(options: Sequence[Form]) -> Form:
    real = [o for o in options if o.get("is") != []]
    nullable = any(o["nullable"] for o in options)
    if len(real) == 1:
        return {**real[0], "nullable": nullable}
    return {"kind": "any", "type": "union", "nullable": nullable, "of": real} if real else OPEN


def _pointed(root: Any, reference: str) -> Any:
    if not reference.startswith("#"):
        return None
    for part in reference.removeprefix("#").strip("/").split("/"):
        if part:
            root = root.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(root, dict) else None
    return root


# --- what is not in the schema ----------------------------------------------------------------------------------------


def undeclared(form: Form, root: str, fields: Sequence[FieldProfile]) -> Iterator[FieldProfile]:
    """Fields of a sealed profile that a closed struct does not name; the outermost of each."""
    found: list[FieldPath] = []
    for profile in fields:
        path = profile.field_path
        if path.root != root or any(outer.contains(path) for outer in found):
            continue
        if profile.details.get("inside_text") or not _outside(form, path):
            continue
        found.append(path)
        yield profile


def _outside(form: Form, path: FieldPath) -> bool:
    forms = [form]
    for step in path.steps:
        forms = [option for one in forms for option in (one["of"] if one["kind"] == "any" else [one])]
        below: list[Form] = []
        for one in forms:
            match one["kind"], step.kind:
                case "struct", StepKind.FIELD | StepKind.MAP_KEY:
                    if step.name in one["fields"]:
                        below.append(one["fields"][step.name])
                    elif not one.get("closed"):
                        return False
                case "struct", _:
                    # Seen as a map: the names of its fields were taken for data.
                    return False
                case "list", StepKind.ELEMENTS:
                    below.append(one["items"])
                case "map", StepKind.VALUES | StepKind.MAP_KEY | StepKind.FIELD:
                    below.append(one["values"])
                case ("open", _) | ("map", StepKind.KEYS):
                    return False
                case _:
                    pass  # of another type, which is told as such
        if not below:
            return all(one["kind"] == "struct" for one in forms)
        forms = below
    return False
