"""Kafka Connect's and Debezium's logical types, read by the name in a record's own schema.

JSON with schemas (`{"schema": ..., "payload": ...}`) writes a decimal as base64 of its unscaled bytes and a moment as a
number; Avro has the name in `connect.name`. Values become Decimal, date, time and datetime: in UTC where the type is a
moment, without a zone where it is local time. Nanoseconds are cut to microseconds, which is what SQL holds. ISO texts
without a SQL type (ZonedTime, Interval), Json and Geometry stay as they are. Runs in Spark's workers.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

_DAY = date(1970, 1, 1)
_LOCAL = datetime(1970, 1, 1)  # noqa: DTZ001 - local time has no zone
_MOMENT = datetime(1970, 1, 1, tzinfo=UTC)
_DAY_MICROS = 86_400_000_000

Parameters = Mapping[str, Any]


def _unscaled(body: bytes, scale: int) -> Decimal:
    """Big-endian, two's complement (Java's BigInteger), `scale` digits behind the point."""
    number = int.from_bytes(body, "big", signed=True)
    return Decimal((int(number < 0), tuple(map(int, str(abs(number)))), -scale))


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else base64.b64decode(value, validate=True)


def _decimal(value: Any, parameters: Parameters) -> Decimal:
    return _unscaled(_bytes(value), int(parameters.get("scale", 0)))


def _variable_decimal(value: Any, _: Parameters) -> Decimal:
    return _unscaled(_bytes(value["value"]), int(value["scale"]))


def _days(value: Any, _: Parameters) -> date:
    return _DAY + timedelta(days=_number(value))


def _time(units: int) -> Callable[[Any, Parameters], time]:
    """`units` of the number in a microsecond; below zero for the units that a microsecond has parts of."""

    def read(value: Any, _: Parameters) -> time:
        micros = _micros(value, units)
        if not 0 <= micros < _DAY_MICROS:
            raise ValueError("not a time of day")
        return (_LOCAL + timedelta(microseconds=micros)).time()

    return read


def _moment(units: int, since: datetime) -> Callable[[Any, Parameters], datetime]:
    return lambda value, _: since + timedelta(microseconds=_micros(value, units))


def _micros(value: Any, nanos: int) -> int:
    """Microseconds of a number that counts so many nanoseconds each."""
    return _number(value) * nanos // 1000


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("not a whole number")
    return value


def _zoned(value: Any, _: Parameters) -> datetime:
    read = datetime.fromisoformat(value)
    if read.tzinfo is None:
        raise ValueError("no zone")
    return read.astimezone(UTC)


_MILLIS, _MICROS, _NANOS = 1_000_000, 1000, 1

_READERS: dict[str, Callable[[Any, Parameters], Any]] = {
    "org.apache.kafka.connect.data.Decimal": _decimal,
    "org.apache.kafka.connect.data.Date": _days,
    "org.apache.kafka.connect.data.Time": _time(_MILLIS),
    "org.apache.kafka.connect.data.Timestamp": _moment(_MILLIS, _MOMENT),
    "io.debezium.data.VariableScaleDecimal": _variable_decimal,
    "io.debezium.time.Date": _days,
    "io.debezium.time.Time": _time(_MILLIS),
    "io.debezium.time.MicroTime": _time(_MICROS),
    "io.debezium.time.NanoTime": _time(_NANOS),
    "io.debezium.time.Timestamp": _moment(_MILLIS, _LOCAL),
    "io.debezium.time.MicroTimestamp": _moment(_MICROS, _LOCAL),
    "io.debezium.time.NanoTimestamp": _moment(_NANOS, _LOCAL),
    "io.debezium.time.ZonedTimestamp": _zoned,
}

_MARKS = tuple(name.encode() for name in _READERS)


def marked(body: bytes) -> bool:
    """Whether a body may be Connect's JSON with a schema that has one of these types."""
    return b'"payload"' in body and b'"schema"' in body and any(mark in body for mark in _MARKS)


def read_by_schema(value: Any) -> tuple[Any, bool]:
    """A record of Connect's JSON with its payload read by its schema, and whether every value fitted its type; what does
    not fit stays as it was written. Any other value is given back."""
    if not isinstance(value, dict) or value.keys() != {"schema", "payload"} or not isinstance(value["schema"], dict):
        return value, True
    misfits: list[str] = []
    payload = _read(value["schema"], value["payload"], misfits)
    return {"schema": value["schema"], "payload": payload}, not misfits


def _read(schema: Any, value: Any, misfits: list[str]) -> Any:
    if value is None or not isinstance(schema, dict):
        return value
    name = schema.get("name")
    reader = _READERS.get(name) if isinstance(name, str) else None
    if reader is not None:
        try:
            return reader(value, schema.get("parameters") or {})
        except Exception:
            misfits.append(str(name))
            return value
    match schema.get("type"):
        case "struct" if isinstance(value, dict):
            of = {each.get("field"): each for each in schema.get("fields") or () if isinstance(each, dict)}
            return {key: _read(of.get(key), inner, misfits) for key, inner in value.items()}
        case "array" if isinstance(value, list):
            return [_read(schema.get("items"), each, misfits) for each in value]
        case "map" if isinstance(value, dict):
            return {key: _read(schema.get("values"), inner, misfits) for key, inner in value.items()}
        case "map" if isinstance(value, list):
            kinds = schema.get("keys"), schema.get("values")
            return [
                [_read(kind, each, misfits) for kind, each in zip(kinds, pair, strict=False)]
                if isinstance(pair, list)
                else pair
                for pair in value
            ]
    return value


# --- Avro -------------------------------------------------------------------------------------------------------------

NANOS = "connect-timestamp-nanos"
NANO_TIME = "connect-time-nanos"
"""Logical types that Avro does not name; `scanners.schemas.registered` makes fastavro read them."""

_AVRO = {
    ("int", "org.apache.kafka.connect.data.Date"): "date",
    ("int", "org.apache.kafka.connect.data.Time"): "time-millis",
    ("long", "org.apache.kafka.connect.data.Timestamp"): "timestamp-millis",
    ("int", "io.debezium.time.Date"): "date",
    ("int", "io.debezium.time.Time"): "time-millis",
    ("long", "io.debezium.time.MicroTime"): "time-micros",
    ("long", "io.debezium.time.NanoTime"): NANO_TIME,
    ("long", "io.debezium.time.Timestamp"): "local-timestamp-millis",
    ("long", "io.debezium.time.MicroTimestamp"): "local-timestamp-micros",
    ("long", "io.debezium.time.NanoTimestamp"): NANOS,
}
_LONGEST = 64
"""Digits of a decimal whose schema has no precision (Connect's has only a scale)."""


def with_logical_types(schema: Any) -> Any:
    """An Avro schema (as JSON is read) in which types that `connect.name` names have a logical type; the same object where
    there are none."""
    if isinstance(schema, list):
        branches = [with_logical_types(each) for each in schema]
        return schema if all(map(_same, branches, schema)) else branches
    if not isinstance(schema, dict):
        return schema
    inner = {key: with_logical_types(schema[key]) for key in ("type", "items", "values", "fields") if key in schema}
    changed = {key: each for key, each in inner.items() if each is not schema[key]}
    logical = {} if "logicalType" in schema else _logical(schema)
    return {**schema, **changed, **logical} if changed or logical else schema


def _same(left: Any, right: Any) -> bool:
    return left is right


def _logical(schema: Mapping[str, Any]) -> dict[str, str | int]:
    kind, name = schema.get("type"), schema.get("connect.name")
    if kind == "bytes" and name == "org.apache.kafka.connect.data.Decimal":
        parameters = schema.get("connect.parameters") or {}
        precision = int(parameters.get("connect.decimal.precision") or _LONGEST)
        return {"logicalType": "decimal", "scale": int(parameters.get("scale") or 0), "precision": precision}
    logical = _AVRO.get((kind, name)) if isinstance(kind, str) and isinstance(name, str) else None
    return {"logicalType": logical} if logical else {}


def avro_readers() -> dict[str, Callable[..., Any]]:
    """fastavro's readers of the logical types that are not its own, by its names for them."""
    moment, of_day = _READERS["io.debezium.time.NanoTimestamp"], _READERS["io.debezium.time.NanoTime"]
    return {
        f"long-{NANOS}": lambda value, *_: moment(value, {}),
        f"long-{NANO_TIME}": lambda value, *_: of_day(value, {}),
    }
