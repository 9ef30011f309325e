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

from catalog.datatypes import Primitive, StructType, columns_ddl, has_alternatives
from policies.plan.model import PartRead
from policies.sql.literals import literal

_MOST_SCHEMAS = 20
_PRIMITIVES = ("null", "boolean", "int", "long", "float", "double", "string", "bytes")
_LOGICAL = ("decimal", "date", "timestamp-millis", "timestamp-micros", "uuid")
_MARK = "weir_was_read"
_JSON_TIMES = "map('timestampFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS\\'Z\\'')"

AVRO_LIMITS = ("bytes.maxLength", "string.maxLength", "collectionItems.maxLength")
"""System properties `org.apache.avro.limits.*` of the engine's JVM. Without them Avro's decoder allocates whatever
length a record claims before it looks whether the bytes are there: one record of ten bytes ends the engine."""
_BOUNDED = " AND ".join(
    f"java_method('java.lang.System', 'getProperty', 'org.apache.avro.limits.{name}') IS NOT NULL"
    for name in AVRO_LIMITS
)
AVRO_IS_BOUNDED = f"SELECT bool_and(bounded) FROM (SELECT {_BOUNDED} AS bounded FROM range(64))"
"""Asked by the engine in a session of its own, before any view or query is in it. A task for each core: executors decode."""


def json_sql(part: str, read: PartRead, avro: bool = True) -> str | None:
    """SQL of the JSON text that the bytes of `part` (key or value) mean; None when Python must decode them.

    What cannot be read is NULL, or text that is not JSON. `avro` = the JVM may decode Avro, see `AVRO_LIMITS`.
    """
    if _several_formats(read) or has_alternatives(read.kind):
        return None
    match read.format:
        case "json":
            return f"CAST({part} AS STRING)"
        case "decoded json-schema":
            return f"CASE WHEN substring({part}, 1, 1) = X'00' THEN CAST(substring({part}, 6) AS STRING) END"
        case "decoded avro":
            return _avro(part, read) if avro else None
        case _:
            return None


def by_python(part: str, read: PartRead, avro: bool = True) -> bool:
    """Whether a part goes through the Decoder's Python function."""
    native = read.format in ("text", "string") and not _several_formats(read)
    return not native and csv_sql(part, read) is None and json_sql(part, read, avro) is None


def csv_sql(part: str, read: PartRead, bad: str = "") -> str | None:
    """SQL from a line of CSV to a struct; `bad` names a field of it for a line that does not fit. None: by Python."""
    kind = read.kind
    if read.format not in ("csv", "decoded csv") or _several_formats(read):
        return None
    if not isinstance(kind, StructType) or not all(isinstance(k, Primitive) for _, k in kind.fields):
        return None
    names = csv_names(read)
    if (
        _options(read).get("header")
        or not {name for name, _ in kind.fields} <= set(names)
        or len(set(names)) < len(names)
    ):
        return None
    separator = str(_options(read).get("delimiter") or read.schemas.get("delimiter") or ",")
    # Read by position, in the order of the lines; the view takes the fields by their names.
    ordered = tuple((name, kind.get(name) or Primitive("STRING")) for name in names)
    ordered += ((bad, Primitive("STRING")),) if bad else ()
    corrupt = f", 'columnNameOfCorruptRecord', {literal(bad)}" if bad else ""
    text = f"CAST({part} AS STRING)"
    if (heading := csv_heading(part, read)) is not None:
        text = f"CASE WHEN NOT {heading} THEN {text} END"
    return f"from_csv({text}, {literal(columns_ddl(StructType(ordered)))}, map('sep', {literal(separator)}{corrupt}))"


def csv_heading(part: str, read: PartRead) -> str | None:
    """BOOLEAN SQL: whether a line is the header record, which is not a row. None where a scan met none."""
    names, separator = _options(read).get("columns"), str(_options(read).get("delimiter") or ",")
    if not names or _options(read).get("header"):
        return None
    return f"(translate(CAST({part} AS STRING), '\"\\r\\n', '') = {literal(separator.join(map(str, names)))})"


def csv_names(read: PartRead) -> list[str]:
    """The names of the cells of a line of CSV, in order."""
    fields = read.kind.fields if isinstance(read.kind, StructType) else ()
    return [str(name) for name in _options(read).get("columns") or (name for name, _ in fields)]


def _options(read: PartRead) -> Any:
    form: Any = read.schemas.get("format") or {}
    return form.get("options") or {}


def _several_formats(read: PartRead) -> bool:
    return any(_options(read).get(option) for option in ("also", "mixed", "packed", "connect"))


def _avro(part: str, read: PartRead) -> str | None:
    """JSON text by the schema whose id is before the body; NULL for an id that is not registered."""
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
        marked = _marked(parsed)
        as_read = f", 'avroSchema', {literal(json.dumps(marked))}" if marked else ""
        body = f"from_avro(substring({part}, 6), {literal(text)}, map('mode', 'PERMISSIVE'{as_read}))"
        # to_json takes structs, arrays and maps only; an array of one serves every type.
        array = f"to_json(array({body}), {_JSON_TIMES})"
        inner = f"substring({array}, 2, length({array}) - 2)"
        if not marked and not isinstance(parsed, list):
            inner = f"nullif({inner}, 'null')"
        cases.append(f"WHEN substring({part}, 1, 5) = X'{number:010x}' THEN {inner}")
    return f"CASE {' '.join(cases)} END"


def _marked(schema: Any) -> Any:
    """A record's schema with a field that is there in what was read, and in nothing else; None for other schemas.

    A record that cannot be read is one of NULLs to Spark, as one may be that was written so.
    """
    if not isinstance(schema, Mapping) or schema.get("type") != "record":
        return None
    mark = {"name": _MARK, "type": "boolean", "default": True}
    return {**schema, "fields": [*schema.get("fields", ()), mark]}


def unread_sql(text: str, read: PartRead) -> str | None:
    """BOOLEAN SQL: the JSON `text` is of no record that could be read. None where the text itself shows it."""
    registered: Any = read.schemas.get("registered") or {}
    schemas = [each for each in registered.values() if str(each.get("type")).upper() == "AVRO"]
    if read.format != "decoded avro" or not all(_marked(json.loads(str(each.get("schema")))) for each in schemas):
        return None
    return f"NOT contains({text}, '\"{_MARK}\":true}}')"


def _plain(schema: Any, names: set[str]) -> bool:
    """Whether Spark's reading of an Avro schema has the form of ours: no union of several types, no odd logical type."""
    if isinstance(schema, str):
        return schema in _PRIMITIVES or schema in names
    if isinstance(schema, list):
        return len([each for each in schema if each != "null"]) == 1 and all(_plain(each, names) for each in schema)
    if not isinstance(schema, Mapping) or schema.get("logicalType", "uuid") not in _LOGICAL or _is_connects(schema):
        return False
    match schema.get("type"):
        case "record":
            # A record that names itself has no Spark type; its name counts only after it is closed.
            fits = all(_plain(field.get("type"), names) for field in schema.get("fields", ()))
            names |= {str(schema.get("name")), f"{schema.get('namespace')}.{schema.get('name')}"}
            return fits
        case "enum" | "fixed":
            names |= {str(schema.get("name")), f"{schema.get('namespace')}.{schema.get('name')}"}
            return True
        case "array":
            return _plain(schema.get("items"), names)
        case "map":
            return _plain(schema.get("values"), names)
        case inner:
            return _plain(inner, names)


_CONNECT = ("org.apache.kafka.connect.data.", "io.debezium.")


def _is_connects(schema: Mapping[str, Any]) -> bool:
    """Whether a type's meaning is only in the name that Kafka Connect gave it, which Spark does not read."""
    return "logicalType" not in schema and str(schema.get("connect.name", "")).startswith(_CONNECT)
