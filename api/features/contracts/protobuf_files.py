"""What a Protobuf schema in a file expects of a value, as `scanners.schemas.expect` states it. Only the first message counts: it
is the one that serializers write by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.errors import InvalidInput

Form = Mapping[str, Any]
_DEEPEST = 20
_OPEN: Form = {"kind": "open", "nullable": True}
_LEAF: Form = {"kind": "leaf", "is": ["any"], "type": "protobuf", "nullable": False}
_ONE_VALUE = (
    "Timestamp",
    "Duration",
    *(f"{n}Value" for n in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32")),
)
_LEAVES = {f"google.protobuf.{name}" for name in (*_ONE_VALUE, "BoolValue", "StringValue", "BytesValue")} | {
    "confluent.type.Decimal"
}
_ANYTHING = {f"google.protobuf.{name}" for name in ("Struct", "Value", "ListValue", "Any")}


def from_protobuf(text: str) -> Form:
    """Raises ValueError and errors of google.protobuf for a text that cannot be read."""
    from scanners.schemas.protobuf.messages import compile_decoder

    messages = compile_decoder(text).messages()
    if not messages:
        raise ValueError("it has no message")
    return _message(messages[0], 0)


def require_protobuf(text: str, name: str) -> None:
    """Raises InvalidInput for a text that cannot be read as a Protobuf schema, or that imports a file which is not there."""
    try:
        from_protobuf(text)
    except Exception as error:  # a parser's own, and those of google.protobuf, which share no base
        raise InvalidInput(f"{name} is not a Protobuf schema that can be read alone: {str(error)[:200]}.") from None


def _message(message: Any, depth: int) -> Form:
    if message.full_name in _LEAVES:
        return _LEAF
    if message.full_name in _ANYTHING or depth > _DEEPEST:
        return _OPEN
    return {
        "kind": "struct",
        "nullable": False,
        "closed": True,
        "fields": {field.name: _field(field, depth) for field in message.fields},
        "required": {field.name for field in message.fields if field.is_repeated or not _has_presence(field)},
    }


def _field(field: Any, depth: int) -> Form:
    if field.message_type is None:
        one = _LEAF
    elif field.message_type.GetOptions().map_entry:
        below = field.message_type.fields_by_name["value"]
        return {"kind": "map", "nullable": False, "values": _field(below, depth + 1)}
    else:
        one = _message(field.message_type, depth + 1)
    return {"kind": "list", "nullable": False, "items": one} if field.is_repeated else one


def _has_presence(field: Any) -> bool:
    """Whether a record may lack it: plain fields of proto3 always have a value, and required ones of proto2 must."""
    return bool(field.has_presence) and not field.is_required
