"""Formats that Spark reads itself, as SQL.

A query has a session of its own, and a session's Python workers are new: a second and a half, and a process that stays
with the engine. So what the JVM can decode it decodes; the rest (Protobuf, containers, unions of several types) goes
through the Decoder's Python function. The JSON text made here has the form the Decoder's has: bytes in base64, decimals
as numbers with all digits, times RFC 3339 in UTC.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from catalog.datatypes import DataType, Primitive, StructType, columns_ddl, has_alternatives, to_ddl
from policies.masks.expression import literal
from policies.plan import PartRead

_MOST_SCHEMAS = 20
_PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "string", "bytes")
_LOGICAL = ("decimal", "date", "timestamp-millis", "timestamp-micros", "uuid")
_JSON_TIMES = "map('timestampFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS\\'Z\\'')"

AVRO_LIMITS = ("bytes.maxLength", "string.maxLength", "collectionItems.maxLength")
"""System properties `org.apache.avro.limits.*` of the engine's JVM. Without them Avro's decoder allocates whatever
length a record claims before it looks whether the bytes are there: one record of ten bytes ends the engine."""
AVRO_IS_BOUNDED = "SELECT " + " AND ".join(
    f"java_method('java.lang.System', 'getProperty', 'org.apache.avro.limits.{name}') IS NOT NULL"
    for name in AVRO_LIMITS
)
"""Asked by the engine in a session of its own, before any view or query is in it."""


def value_sql(part: str, read: PartRead, avro: bool = True) -> str | None:
    """SQL from the bytes of `part` (key or value) to a value of the wanted type; None when Python must decode it.

    What cannot be read is NULL. `avro` = the JVM may decode Avro, see `AVRO_LIMITS`.
    """
    form: Any = read.schemas.get("format") or {}
    options: Any = form.get("options") or {}
    if options.get("also") or options.get("packed") or has_alternatives(read.kind):
        return None
    match read.format:
        case "text" | "string":
            text = f"CAST({part} AS STRING)"
            return text if read.kind == Primitive("STRING") else f"CAST({text} AS {to_ddl(read.kind)})"
        case "json":
            return from_json(f"CAST({part} AS STRING)", read.kind)
        case "csv" | "decoded csv":
            return _csv(part, read, options)
        case "decoded json-schema":
            framed = f"CASE WHEN substring({part}, 1, 1) = X'00' THEN CAST(substring({part}, 6) AS STRING) END"
            return from_json(framed, read.kind)
        case "decoded avro":
            made = _avro(part, read) if avro else None
            return None if made is None else from_json(made, read.kind)
        case _:
            return None


def from_json(text: str, kind: DataType) -> str:
    """SQL from JSON text to a value; text that does not fit gives NULL fields, or NULL."""
    if isinstance(kind, StructType):
        return f"from_json({text}, {literal(columns_ddl(kind))}, map('mode', 'PERMISSIVE'))"
    # from_json reads objects and arrays; any other value is read as the only element of an array made around it.
    elements = f"from_json(concat('[', {text}, ']'), {literal(f'ARRAY<{to_ddl(kind)}>')}, map('mode', 'PERMISSIVE'))"
    return f"CASE WHEN size({elements}) = 1 THEN {elements}[0] END"


def _csv(part: str, read: PartRead, options: Mapping[str, Any]) -> str | None:
    kind = read.kind
    if not isinstance(kind, StructType) or not all(isinstance(k, Primitive) for _, k in kind.fields):
        return None
    names = [str(name) for name in options.get("columns") or (name for name, _ in kind.fields)]
    if options.get("header") or not {name for name, _ in kind.fields} <= set(names) or len(set(names)) < len(names):
        return None
    separator = str(options.get("delimiter") or read.schemas.get("delimiter") or ",")
    # Read by position, in the order of the lines; the view takes the fields by their names.
    ordered = StructType(tuple((name, kind.get(name) or Primitive("STRING")) for name in names))
    return f"from_csv(CAST({part} AS STRING), {literal(columns_ddl(ordered))}, map('sep', {literal(separator)}))"


def _avro(part: str, read: PartRead) -> str | None:
    """JSON text by the schema whose id stands before the body; NULL for an id that is not registered."""
    registered: Any = read.schemas.get("registered") or {}
    schemas = {int(number): each for number, each in registered.items() if str(each.get("type")).upper() == "AVRO"}
    if not schemas or len(schemas) > _MOST_SCHEMAS:
        return None
    cases = []
    for number, each in sorted(schemas.items()):
        text = str(each.get("schema") or "")
        try:
            parsed = json.loads(text)
        except ValueError:
            return None
        if each.get("references") or not _plain(parsed, set()):
            return None
        body = f"from_avro(substring({part}, 6), {literal(text)}, map('mode', 'PERMISSIVE'))"
        # to_json takes structs, arrays and maps only; an array of one serves every type.
        made = f"to_json(array({body}), {_JSON_TIMES})"
        inner = f"substring({made}, 2, length({made}) - 2)"
        cases.append(f"WHEN substring({part}, 1, 5) = X'{number:010x}' THEN {inner}")
    return f"CASE {' '.join(cases)} END"


def _plain(schema: Any, named: set[str]) -> bool:
    """Whether Spark's reading of an Avro schema has the form of ours: no union of several types, no odd logical type."""
    if isinstance(schema, str):
        return schema in _PRIMITIVES or schema in named
    if isinstance(schema, list):
        return len([each for each in schema if each != "null"]) == 1 and all(_plain(each, named) for each in schema)
    if not isinstance(schema, Mapping) or schema.get("logicalType", "uuid") not in _LOGICAL:
        return False
    match schema.get("type"):
        case "record":
            # A record that names itself has no Spark type; its name counts only after it is closed.
            fits = all(_plain(field.get("type"), named) for field in schema.get("fields", ()))
            named |= {str(schema.get("name")), f"{schema.get('namespace')}.{schema.get('name')}"}
            return fits
        case "enum" | "fixed":
            named |= {str(schema.get("name")), f"{schema.get('namespace')}.{schema.get('name')}"}
            return True
        case "array":
            return _plain(schema.get("items"), named)
        case "map":
            return _plain(schema.get("values"), named)
        case inner:
            return _plain(inner, named)
