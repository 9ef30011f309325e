"""A parsed Protobuf message as a tree of plain values.

Fields without presence (plain proto3 scalars) are always in the tree, with their default when they were not sent, as that
is what they mean. Well-known types become what they mean: a timestamp, a duration, JSON, the value in a wrapper, a
decimal, and the message in an Any whose type the schema knows, with its `@type`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

MAX_DEPTH = 100
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def tree(message: Any, depth: int = 0) -> Any:
    """Raises ValueError for a message deeper than MAX_DEPTH."""
    if depth > MAX_DEPTH:
        raise ValueError("too deep")
    special = _SPECIAL.get(message.DESCRIPTOR.full_name)
    return _fields(message, depth) if special is None else special(message, depth)


def _fields(message: Any, depth: int) -> dict[str, object]:
    answer: dict[str, object] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            below = field.message_type.fields_by_name["value"]
            answer[field.name] = {_key(k): _value(v, below, depth) for k, v in value.items()}
        elif field.is_repeated:
            answer[field.name] = [_value(v, field, depth) for v in value]
        elif not field.has_presence or message.HasField(field.name):
            answer[field.name] = _value(value, field, depth)
    return answer


def _key(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def _value(value: Any, field: Any, depth: int) -> Any:
    if field.message_type is not None:
        return tree(value, depth + 1)
    if field.enum_type is not None:
        symbol = field.enum_type.values_by_number.get(value)
        return symbol.name if symbol is not None else value
    return value


def _timestamp(message: Any, depth: int) -> Any:
    try:
        return _EPOCH + timedelta(seconds=message.seconds, microseconds=message.nanos // 1000)
    except OverflowError:
        # Beyond the year 9999, as when milliseconds were written as seconds.
        return _fields(message, depth)


def _duration(message: Any, depth: int) -> Any:
    try:
        return timedelta(seconds=message.seconds, microseconds=message.nanos // 1000)
    except OverflowError:
        return _fields(message, depth)


def _struct(message: Any, depth: int) -> Any:
    return {name: tree(value, depth + 1) for name, value in message.fields.items()}


def _list(message: Any, depth: int) -> Any:
    return [tree(value, depth + 1) for value in message.values]


def _any_json(message: Any, depth: int) -> Any:
    kind = message.WhichOneof("kind")
    if kind is None or kind == "null_value":
        return None
    value = getattr(message, kind)
    if kind in ("struct_value", "list_value"):
        return tree(value, depth + 1)
    # JSON has one kind of number; whole ones are counted as such, as they are in JSON text.
    return int(value) if kind == "number_value" and value.is_integer() and abs(value) < 2**53 else value


def _wrapped(message: Any, _depth: int) -> Any:
    return message.value


def _decimal(message: Any, _depth: int) -> Any:
    return Decimal(int.from_bytes(message.value, "big", signed=True)).scaleb(-message.scale)


def _any(message: Any, depth: int) -> Any:
    from google.protobuf import message_factory
    from google.protobuf.message import DecodeError

    plain = _fields(message, depth)
    try:
        descriptor = message.DESCRIPTOR.file.pool.FindMessageTypeByName(message.type_url.rpartition("/")[2])
        inner = message_factory.GetMessageClass(descriptor)()
        inner.ParseFromString(message.value)
    except (KeyError, DecodeError):
        return plain
    below = tree(inner, depth + 1)
    return {"@type": message.type_url, **(below if isinstance(below, dict) else {"value": below})}


_SPECIAL: dict[str, Callable[[Any, int], Any]] = {
    "google.protobuf.Timestamp": _timestamp,
    "google.protobuf.Duration": _duration,
    "google.protobuf.Struct": _struct,
    "google.protobuf.Value": _any_json,
    "google.protobuf.ListValue": _list,
    "google.protobuf.Any": _any,
    "confluent.type.Decimal": _decimal,
    **{
        f"google.protobuf.{kind}Value": _wrapped
        for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
    },
}
