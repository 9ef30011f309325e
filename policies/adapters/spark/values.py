"""Arrow results as JSON-ready Python, and the names of their types."""

from __future__ import annotations

import base64
import json
import math
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from policies.adapters.spark import arrow_repair

_SIMPLE = {
    "int8": "tinyint",
    "int16": "smallint",
    "int32": "int",
    "int64": "bigint",
    "float": "float",
    "double": "double",
    "bool": "boolean",
    "string": "string",
    "large_string": "string",
    "binary": "binary",
    "large_binary": "binary",
    "date32[day]": "date",
    "null": "void",
    "halffloat": "float",
}


_LARGEST_SINGLE = 3.4028234663852886e38
Times = tuple[Callable[[Any], Any], Callable[..., Any]]
"""What makes text of a date, and of a time with its `zone`."""


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


def converter(kind: Any, times: Times | None = None) -> Callable[[Any], Any] | None:
    """How a Python value of an Arrow type becomes JSON-ready; None where it already is. `times`: of dates and times."""
    import pyarrow as pa

    if pa.types.is_float32(kind):
        return _single
    if pa.types.is_floating(kind):
        return _number
    if pa.types.is_decimal(kind):
        return _decimal
    if pa.types.is_timestamp(kind):
        return _moment if times is None else partial(times[1], zone=kind.tz)
    if pa.types.is_date(kind):
        return _day if times is None else times[0]
    if pa.types.is_duration(kind):
        return _duration
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _bytes
    if pa.types.is_map(kind):
        key, item = converter(kind.key_type, times) or _same, converter(kind.item_type, times) or _same
        return lambda value: None if value is None else {_key(key(k)): item(v) for k, v in value}
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        element = converter(kind.value_type, times)
        if element is None:
            return None
        return lambda value: None if value is None else [element(each) for each in value]
    if pa.types.is_struct(kind):
        inner = [(kind.field(i).name, converter(kind.field(i).type, times) or _same) for i in range(kind.num_fields)]
        return lambda value: None if value is None else {name: convert(value[name]) for name, convert in inner}
    return None


def rows(table: Any) -> list[list[object]]:
    """The rows of an Arrow table, JSON-ready (see `policies.plan.model.Result`)."""
    columns = [_column(column) for column in table.columns]
    return [list(row) for row in zip(*columns, strict=True)] if columns else [[] for _ in range(table.num_rows)]


def _column(column: Any) -> list[object]:
    kind = column.type
    try:
        values, convert = column.to_pylist(), converter(kind)
    except (ValueError, OverflowError):  # years that Python's dates do not have
        values = column.cast(arrow_repair.counted(kind)).to_pylist()
        convert = converter(kind, _FAR)
    return values if convert is None else [None if v is None else convert(v) for v in values]


def _same(value: Any) -> Any:
    return value


def _key(value: Any) -> str:
    """A key of a map as a text, which is the value's own JSON text (`true`, 1.5)."""
    return value if isinstance(value, str) else json.dumps(value)


def _number(value: float | None) -> Any:
    if value is None or math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _single(value: float | None) -> Any:
    """A number of 32 bits by the fewest digits that mean it: 1.1, not 1.100000023841858."""
    if value is None or not math.isfinite(value):
        return _number(value)
    bits = struct.pack("f", value)
    shorter = (float(f"{value:.{digits}g}") for digits in range(6, 9))
    return next((each for each in shorter if abs(each) < _LARGEST_SINGLE and struct.pack("f", each) == bits), value)


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


def _far_day(days: int | None) -> str | None:
    import numpy as np

    return None if days is None else _year(str(np.datetime64(days, "D")))


def _far_moment(micros: int | None, zone: str | None) -> str | None:
    import numpy as np

    if micros is None:
        return None
    text = _year(str(np.datetime64(micros, "us"))).removesuffix(".000000")
    return text + "Z" if zone else text


def _year(text: str) -> str:
    """ISO 8601 writes years of four digits, and others with a sign."""
    sign, rest = ("-", text[1:]) if text.startswith("-") else ("", text)
    year, _, after = rest.partition("-")
    return f"{sign or ('+' if len(year) > 4 else '')}{year.zfill(4)}-{after}"


_FAR: Times = (_far_day, _far_moment)


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
