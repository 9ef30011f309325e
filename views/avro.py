"""Rows of a view as Avro: the schema of its columns, and values as its serving table keeps them. Pure.

Every field is a union with null whose default is null, so a column that comes or goes is a compatible change. What Avro
has no type for is text, as in JSON: intervals, VARIANT, and the keys of maps.
"""

from __future__ import annotations

import base64
import io
import json
import math
import re
import struct
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import fastavro

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.errors import Conflict
from views.map_keys import key_text
from views.model import Column, Registered

NAMESPACE = "weir.views"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_PLAIN = {
    "STRING": "string",
    "BINARY": "bytes",
    "BOOLEAN": "boolean",
    "TINYINT": "int",
    "SMALLINT": "int",
    "INT": "int",
    "BIGINT": "long",
    "FLOAT": "float",
    "DOUBLE": "double",
}
_LOGICAL = {
    "DATE": {"type": "int", "logicalType": "date"},
    "TIMESTAMP": {"type": "long", "logicalType": "timestamp-micros"},
    "TIMESTAMP_NTZ": {"type": "long", "logicalType": "local-timestamp-micros"},
}
_OF_LOGICAL = ("logicalType", "precision", "scale")
_PREFIX = struct.Struct(">bI")


def name_of(view: str) -> str:
    """The full name of the record: it shows whose schema a subject has."""
    parts = [re.sub(r"[^A-Za-z0-9_]", "_", part) or "_" for part in view.split(".")]
    return ".".join([NAMESPACE, *(f"_{part}" if part[0].isdigit() else part for part in parts)])


def schema_of(columns: Sequence[Column], full_name: str) -> str:
    """The schema of a row as JSON text. Raises Conflict for a column whose name Avro does not take."""
    kind = StructType(tuple((column.name, column.kind) for column in columns))
    namespace, _, name = full_name.rpartition(".")
    record = {**_record(kind, name, ""), "namespace": namespace}
    return json.dumps(record, separators=(",", ":"))


def full_name(schema: str) -> str | None:
    """The full name of a record's schema; None for a schema of another kind."""
    try:
        read = json.loads(schema)
    except ValueError:
        return None
    if not isinstance(read, dict) or read.get("type") != "record":
        return None
    name, namespace = str(read.get("name", "")), str(read.get("namespace") or "")
    return name if "." in name or not namespace else f"{namespace}.{name}"


def same(one: str, other: str) -> bool:
    """Whether two schemas are one, however they are written."""
    return bool(json.loads(one) == json.loads(other))


def _record(kind: StructType, name: str, path: str) -> dict[str, object]:
    fields = []
    for inner, each in kind.fields:
        at = f"{path}.{inner}" if path else inner
        if not _NAME.match(inner):
            raise Conflict(
                f"Avro takes no field named {at}: a name has letters, digits and underscores; rename it with AS, or write"
                " format: json.",
                details={"field": "spec.sink.format", "column": at},
            )
        fields.append({"name": inner, "type": ["null", _type(each, f"{name}_{inner}", at)], "default": None})
    return {"type": "record", "name": name, "fields": fields}


def _type(kind: DataType, name: str, path: str) -> Any:
    match kind:
        case StructType():
            return _record(kind, name, path)
        case ArrayType():
            return {"type": "array", "items": ["null", _type(kind.element, f"{name}_item", path)]}
        case MapType():
            return {"type": "map", "values": ["null", _type(kind.value, f"{name}_value", path)]}
        case Primitive():
            if decimal := _decimal_of(kind.name):
                return {"type": "bytes", "logicalType": "decimal", "precision": decimal[0], "scale": decimal[1]}
            return _LOGICAL.get(kind.name) or _PLAIN.get(kind.name, "string")


def _decimal_of(name: str) -> tuple[int, int] | None:
    match = re.match(r"DECIMAL\((\d+)(?:,\s*(\d+))?\)\Z", name)
    if match:
        return int(match[1]), int(match[2] or 0)
    return (10, 0) if name in ("DECIMAL", "NUMERIC") else None


# --- reading ----------------------------------------------------------------------------------------------------------


class AvroRows:
    """Reads the values of a topic that one schema wrote."""

    def __init__(self, registered: Registered, columns: Sequence[Column]) -> None:
        self._number = registered.id
        # Without logical types: times beyond Python's years are numbers like others.
        self._schema: Any = fastavro.parse_schema(_without_logical(json.loads(registered.schema)))
        self._converts = [(column.name, converter(column.kind)) for column in columns]

    def read(self, value: bytes) -> dict[str, object]:
        """Column -> value, JSON-ready. Raises ValueError for bytes that this schema did not write."""
        if len(value) < _PREFIX.size or _PREFIX.unpack_from(value) != (0, self._number):
            raise ValueError("the record has another schema")
        try:
            read: Any = fastavro.schemaless_reader(io.BytesIO(value[_PREFIX.size :]), self._schema, None)
            return {name: convert(read[name]) for name, convert in self._converts}
        except (ValueError, KeyError, TypeError, IndexError, EOFError, OverflowError, ArithmeticError) as error:
            raise ValueError("the record does not fit its schema") from error


def _without_logical(schema: Any) -> Any:
    if isinstance(schema, dict):
        return {name: _without_logical(each) for name, each in schema.items() if name not in _OF_LOGICAL}
    return [_without_logical(each) for each in schema] if isinstance(schema, list) else schema


def converter(kind: DataType) -> Callable[[Any], Any]:
    """From a value as Avro has it, without logical types, to the forms of an answer to a query."""
    inner = _converter(kind)
    return lambda value: None if value is None else inner(value)


def _converter(kind: DataType) -> Callable[[Any], Any]:
    match kind:
        case StructType():
            fields = [(name, converter(each)) for name, each in kind.fields]
            return lambda value: {name: convert(value.get(name)) for name, convert in fields}
        case ArrayType():
            element = converter(kind.element)
            return lambda value: [element(each) for each in value]
        case MapType():
            item, key = converter(kind.value), key_text(kind.key) or str
            return lambda value: {key(name): item(each) for name, each in value.items()}
        case Primitive():
            return _primitive(kind.name)


def _primitive(name: str) -> Callable[[Any], Any]:
    decimal = _decimal_of(name)
    if decimal is not None:
        return lambda value: _decimal(value, decimal[1])
    by_name: Mapping[str, Callable[[Any], Any]] = {
        "BINARY": lambda value: base64.b64encode(value).decode(),
        "FLOAT": lambda value: _number(_shortest(value)),
        "DOUBLE": _number,
        "DATE": _date,
        "TIMESTAMP": lambda value: f"{_moment(value)}Z",
        "TIMESTAMP_NTZ": _moment,
        "VARIANT": json.loads,
    }
    return by_name.get(name, lambda value: value)


def _decimal(value: bytes, scale: int) -> str:
    number = int.from_bytes(value, "big", signed=True)
    digits = tuple(map(int, str(abs(number))))
    return format(Decimal((int(number < 0), digits, -scale)), "f")


def _number(value: float) -> float | str:
    """NaN and the infinities are text, as in JSON."""
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _shortest(value: float) -> float:
    """The shortest number that a FLOAT of these bits is written as."""
    if not math.isfinite(value):
        return value
    for digits in range(6, 10):
        text = format(value, f".{digits}g")
        try:
            if struct.pack(">f", float(text)) == struct.pack(">f", value):
                return float(text)
        except OverflowError:
            continue
    return value


def _date(days: int) -> str:
    """Of any year: those beyond 9999 have a sign, as Spark writes them."""
    shifted = days + 719_468
    era = shifted // 146_097
    of_era = shifted - era * 146_097
    year_of_era = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * of_year + 2) // 153
    day = of_year - (153 * month + 2) // 5 + 1
    month += 3 if month < 10 else -9
    year = year_of_era + era * 400 + (month <= 2)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{day:02d}"


def _moment(micros: int) -> str:
    days, rest = divmod(micros, 86_400_000_000)
    seconds, fraction = divmod(rest, 1_000_000)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{_date(days)}T{clock}" + (f".{fraction:06d}" if fraction else "")
