"""Records of a view's topic as rows of its serving table.

The topic has JSON as Spark writes it, or Avro; rows have the forms of an answer to a query (`policies.plan.model.Result`):
decimals as text, times RFC 3339 without an empty fraction.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

import orjson

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from policies.sql.names import fold
from views.avro import AvroRows
from views.map_keys import key_text
from views.model import Column, Registered, Row, identity
from views.ports import ViewRecord

Convert = Callable[[Any], Any]
_PLACE = re.compile(r"[1-9]\d{0,17},[1-9]\d{0,17}\Z")
_exact = json.JSONDecoder(parse_float=str).decode
"""Floats stay text until their column shows what they are: a decimal keeps all its digits."""
_BINARY = (
    "STRING",
    "BINARY",
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
)
"""Types whose numbers fit in 64 bits; see decision 0121 for what the faster reader saves."""
SINGLE = "[]"
"""The key of the only row of an aggregate without groups."""


class Reader:
    """Reads the records of one generation; counts those that are not its own or cannot be read."""

    def __init__(
        self,
        generation: str,
        columns: Sequence[Column],
        keys: Sequence[str],
        single: bool = False,
        registered: Registered | None = None,
    ) -> None:
        """`keys`: columns of the key; none: each record is a row of its own, or with `single` the only row. `registered`:
        the schema of Avro values."""
        self._avro = AvroRows(registered, columns) if registered is not None else None
        self._generation, self._single = generation, single
        self._converts = [(column.name, _converter(column.kind)) for column in columns]
        self._decode = _fast if all(_is_binary(column.kind) for column in columns) else _exact_bytes
        by_name = {fold(column.name): column.name for column in columns}
        self._keys = [by_name[fold(name)] for name in keys]
        self.foreign = 0
        self.unread = 0

    def rows(self, records: Iterable[ViewRecord]) -> tuple[list[Row], list[str]]:
        """(rows that are new or changed, keys whose row is gone); of each key the newest record counts."""
        rows: dict[str, Row] = {}
        gone: dict[str, None] = {}
        for record in records:
            if record.generation != self._generation:
                self.foreign += 1
                continue
            row = self._row(record)
            if row is None:
                self.unread += 1
            elif record.value is None:
                rows.pop(row.key, None)
                gone[row.key] = None
            else:
                gone.pop(row.key, None)
                rows[row.key] = row
        return list(rows.values()), list(gone)

    def _row(self, record: ViewRecord) -> Row | None:
        text = record.value if record.value is not None else record.row_key
        if text is None:
            return None
        try:
            avro = self._avro if record.value is not None else None
            values = self._json(text) if avro is None else avro.read(text)
        except (ValueError, TypeError, AttributeError, ArithmeticError):
            return None
        return Row(self._key(values, record), values, record.offset, record.partition)

    def _json(self, text: bytes) -> dict[str, object]:
        read = self._decode(text)
        return {name: convert(read.get(name)) for name, convert in self._converts}

    def _key(self, values: dict[str, object], record: ViewRecord) -> str:
        if self._keys:
            return identity([values[name] for name in self._keys])
        if self._single:
            return SINGLE
        at = identity([record.partition, record.offset])
        return f"[{record.place},{at[1:]}" if _PLACE.match(record.place) else at


def _is_binary(kind: DataType) -> bool:
    match kind:
        case StructType(fields):
            return all(_is_binary(each) for _, each in fields)
        case ArrayType(element):
            return _is_binary(element)
        case MapType(key, value):
            return _is_binary(key) and _is_binary(value)
        case Primitive(name):
            return name in _BINARY


def _fast(text: bytes) -> Any:
    try:
        return orjson.loads(text)
    except ValueError:  # half a character, a depth or a number that it does not take
        return _exact_bytes(text)


def _exact_bytes(text: bytes) -> Any:
    return _exact(text.decode())


def _converter(kind: DataType) -> Convert:
    convert_value: Convert
    match kind:
        case StructType():
            inner = [(name, _converter(each)) for name, each in kind.fields]
            convert_value = lambda value: {name: convert(value.get(name)) for name, convert in inner}  # noqa: E731
        case ArrayType():
            element = _converter(kind.element)
            convert_value = lambda value: [element(each) for each in value]  # noqa: E731
        case MapType():
            item, key = _converter(kind.value), key_text(kind.key) or _same
            convert_value = lambda value: {key(name): item(each) for name, each in value.items()}  # noqa: E731
        case Primitive():
            convert_value = _primitive(kind.name)
            if convert_value is _same:
                return _same
    return lambda value: None if value is None else convert_value(value)


def _primitive(name: str) -> Convert:
    if name.startswith("DECIMAL"):
        return _decimal
    if name in ("DOUBLE", "FLOAT"):
        return _number
    if name.startswith("TIMESTAMP"):
        return _moment
    return _same


def _same(value: Any) -> Any:
    return value


def _decimal(value: Any) -> str:
    return format(Decimal(str(value)), "f")


def _number(value: Any) -> Any:
    """NaN and the infinities are text, as in the topic."""
    return value if value in ("NaN", "Infinity", "-Infinity") else float(value)


def _moment(value: str) -> str:
    return value.replace(".000000", "", 1)
