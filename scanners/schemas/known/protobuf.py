"""Places of a registered Protobuf schema, see `scanners.schemas.known.place`.

The types are those of `scanners.schemas.protobuf.tree`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from catalog.paths import FieldPath
from scanners.schemas.known.place import MOST_REPEATS, Places

_SQL = {
    "double": "DOUBLE",
    "float": "FLOAT",
    "int64": "BIGINT",
    "uint64": "DECIMAL(20,0)",
    "int32": "INT",
    "fixed64": "DECIMAL(20,0)",
    "fixed32": "BIGINT",
    "bool": "BOOLEAN",
    "string": "STRING",
    "bytes": "BINARY",
    "uint32": "BIGINT",
    "sfixed32": "INT",
    "sfixed64": "BIGINT",
    "sint32": "INT",
    "sint64": "BIGINT",
}
_NAMES = (
    "",
    "double",
    "float",
    "int64",
    "uint64",
    "int32",
    "fixed64",
    "fixed32",
    "bool",
    "string",
    "group",
    "message",
    "bytes",
    "uint32",
    "enum",
    "sfixed32",
    "sfixed64",
    "sint32",
    "sint64",
)
_WELL_KNOWN = {
    "google.protobuf.Timestamp": "TIMESTAMP",
    "google.protobuf.Duration": "STRING",
    "google.protobuf.DoubleValue": "DOUBLE",
    "google.protobuf.FloatValue": "FLOAT",
    "google.protobuf.Int64Value": "BIGINT",
    "google.protobuf.UInt64Value": "DECIMAL(20,0)",
    "google.protobuf.Int32Value": "INT",
    "google.protobuf.UInt32Value": "BIGINT",
    "google.protobuf.BoolValue": "BOOLEAN",
    "google.protobuf.StringValue": "STRING",
    "google.protobuf.BytesValue": "BINARY",
}
_OPEN = frozenset(
    {
        "google.protobuf.Struct",
        "google.protobuf.Value",
        "google.protobuf.ListValue",
        "google.protobuf.Any",
        "confluent.type.Decimal",
    }
)
"""Messages whose content no schema gives."""


def always(message: Any) -> frozenset[str]:
    """The fields that every decoded message of a type has, a descriptor's."""
    return frozenset(field.name for field in message.fields if field.is_repeated or not field.has_presence)


def add_protobuf(places: Places, message: Any, docs: Mapping[str, str], at: FieldPath) -> None:
    """Take in a message type (a descriptor); `docs`: full name of a message or field -> its comment."""
    _Walk(places, docs).message(message, at, ())


class _Walk:
    def __init__(self, places: Places, docs: Mapping[str, str]) -> None:
        self._places, self._docs = places, docs

    def message(self, message: Any, at: FieldPath, above: tuple[str, ...]) -> None:
        name = message.full_name
        if name in _OPEN:
            return
        if name in _WELL_KNOWN:
            self._places.add(at, "scalar", _WELL_KNOWN[name], type=name)
            return
        added = self._places.add(at, "object", type=f"message {name}", name=name, doc=self._docs.get(name))
        if not added or above.count(name) >= MOST_REPEATS:
            return
        for field in message.fields:
            self._field(field, at.field(field.name), (*above, name))

    def _field(self, field: Any, at: FieldPath, above: tuple[str, ...]) -> None:
        message = field.message_type
        if message is not None and message.GetOptions().map_entry:
            if self._places.add(at, "map", type="map"):
                self._one(message.fields_by_name["value"], at.values(), above)
        elif field.is_repeated:
            if self._places.add(at, "array", type="repeated"):
                self._one(field, at.elements(), above)
        else:
            self._one(field, at, above)
        oneof = field.containing_oneof
        oneof_name = oneof.name if oneof is not None and not oneof.name.startswith("_") else None
        self._places.describe(at, doc=self._docs.get(field.full_name), oneof=oneof_name, number=field.number)

    def _one(self, field: Any, at: FieldPath, above: tuple[str, ...]) -> None:
        if field.message_type is not None:
            self.message(field.message_type, at, above)
        elif field.enum_type is not None:
            enum = field.enum_type
            self._places.add(
                at,
                "scalar",
                "STRING",
                type=f"enum {enum.full_name}",
                name=enum.full_name,
                symbols=[value.name for value in enum.values],
            )
        else:
            name = _NAMES[field.type]
            self._places.add(at, "scalar", _SQL[name], type=name)
        if field.has_default_value:
            self._places.describe(at, hasDefault=True, default=str(field.default_value))
