"""Arrow results as JSON-ready Python, and the names of their types."""

from __future__ import annotations

import base64
import math
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

_SIMPLE = {
    "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint", "float": "float", "double": "double",
    "bool": "boolean", "string": "string", "large_string": "string", "binary": "binary", "large_binary": "binary",
    "date32[day]": "date", "null": "void", "halffloat": "float",
}  # fmt: skip


def type_name(kind: Any) -> str:
    """Spark's name of an Arrow type, as `DESCRIBE` writes it: `array<struct<sku:string>>`."""
    import pyarrow as pa

    text = str(kind)
    if text in _SIMPLE:
        return _SIMPLE[text]
    if pa.types.is_decimal(kind):
        return f"decimal({kind.precision},{kind.scale})"
    if pa.types.is_timestamp(kind):
        return "timestamp" if kind.tz else "timestamp_ntz"
    if pa.types.is_duration(kind):
        return "interval day to second"
    if pa.types.is_map(kind):
        return f"map<{type_name(kind.key_type)},{type_name(kind.item_type)}>"
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return f"array<{type_name(kind.value_type)}>"
    if pa.types.is_struct(kind):
        inner = (kind.field(i) for i in range(kind.num_fields))
        return "struct<" + ",".join(f"{f.name}:{type_name(f.type)}" for f in inner) + ">"
    return text


def converter(kind: Any) -> Callable[[Any], Any] | None:
    """How a Python value of an Arrow type becomes JSON-ready; None where it already is."""
    import pyarrow as pa

    if pa.types.is_floating(kind):
        return _number
    if pa.types.is_decimal(kind):
        return _decimal
    if pa.types.is_timestamp(kind):
        return _moment
    if pa.types.is_date(kind):
        return _day
    if pa.types.is_duration(kind):
        return _duration
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _bytes
    if pa.types.is_map(kind):
        key, item = converter(kind.key_type) or _same, converter(kind.item_type) or _same
        return lambda value: None if value is None else {_key(key(k)): item(v) for k, v in value}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        element = converter(kind.value_type)
        if element is None:
            return None
        return lambda value: None if value is None else [element(each) for each in value]
    if pa.types.is_struct(kind):
        inner = [(kind.field(i).name, converter(kind.field(i).type) or _same) for i in range(kind.num_fields)]
        return lambda value: None if value is None else {name: convert(value[name]) for name, convert in inner}
    return None


def rows(table: Any) -> list[list[object]]:
    """The rows of an Arrow table, JSON-ready (see `policies.plan.Result`)."""
    columns: list[list[object]] = []
    for column in table.columns:
        values = column.to_pylist()
        convert = converter(column.type)
        columns.append(values if convert is None else [None if v is None else convert(v) for v in values])
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(table.num_rows)]


def _same(value: Any) -> Any:
    return value


def _key(value: Any) -> str:
    return value if isinstance(value, str) else "null" if value is None else str(value)


def _number(value: float | None) -> Any:
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decimal(value: Decimal | None) -> str | None:
    return None if value is None else format(value, "f")


def _moment(value: datetime | None) -> str | None:
    if value is None:
        return None
    if value.tzinfo is None:
        return value.isoformat()
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _day(value: date | None) -> str | None:
    return None if value is None else value.isoformat()


def _duration(value: timedelta | None) -> str | None:
    if value is None:
        return None
    micros = value // timedelta(microseconds=1)
    sign, micros = ("-" if micros < 0 else ""), abs(micros)
    seconds, rest = divmod(micros, 1_000_000)
    fraction = f".{rest:06d}".rstrip("0") if rest else ""
    return f"{sign}PT{seconds}{fraction}S"


def _bytes(value: bytes | None) -> str | None:
    return None if value is None else base64.b64encode(value).decode("ascii")
