"""Protobuf messages by the text of their registered schema, without the protoc compiler.

`compile_decoder` reads .proto text (proto2 and proto3: messages, enums, maps, oneofs, imports; options, services and
extensions are skipped), builds descriptors with google.protobuf and gives a function from a body to a tree. Fields without
presence (plain proto3 scalars) are always in the tree, with their default when they were not sent, as that is what they
mean. Runs in Spark's workers.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\s+|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<word>[A-Za-z_.][\w.]*)|(?P<number>[-+]?[\w.]+)"""
    r"""|(?P<mark>[{}\[\]();=,<>:/-])""",
    re.S,
)
_SCALARS = (
    "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group", "message", "bytes",
    "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64",
)  # fmt: skip
_SCALAR_NUMBERS = {name: i + 1 for i, name in enumerate(_SCALARS) if name not in ("group", "message", "enum")}
_KNOWN = (
    "any",
    "api",
    "duration",
    "empty",
    "field_mask",
    "source_context",
    "struct",
    "timestamp",
    "type",
    "wrappers",
    "descriptor",
)
_MAX_DEPTH = 100


class ProtoError(ValueError):
    """The text is no .proto this parser knows; the message names the token's kind only."""


class _Tokens:
    def __init__(self, text: str) -> None:
        self._all = list(self._read(text))
        self._at = 0

    @staticmethod
    def _read(text: str) -> Iterator[str]:
        at = 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None or found.end() == at:
                raise ProtoError("unknown character")
            if found.lastgroup:
                yield found.group()
            at = found.end()

    @property
    def next(self) -> str:
        return self._all[self._at] if self._at < len(self._all) else ""

    def take(self, wanted: str = "") -> str:
        token = self.next
        if not token or (wanted and token != wanted):
            raise ProtoError(f"expected {wanted or 'more'}")
        self._at += 1
        return token

    def skip_statement(self) -> None:
        """Past the next `;`, or the block that comes before one."""
        while True:
            token = self.take()
            if token == ";":
                return
            if token == "{":
                self._skip_block()
                return

    def _skip_block(self) -> None:
        depth = 1
        while depth:
            token = self.take()
            depth += (token == "{") - (token == "}")

    def skip_brackets(self) -> None:
        depth = 0
        while True:
            token = self.take()
            depth += (token == "[") - (token == "]")
            if depth == 0:
                return


def parse(text: str, name: str = "schema.proto") -> Any:
    """A FileDescriptorProto of .proto text. Raises ProtoError."""
    from google.protobuf import descriptor_pb2

    tokens = _Tokens(text)
    file = descriptor_pb2.FileDescriptorProto(name=name, syntax="proto2")
    while tokens.next:
        word = tokens.take()
        if word == "syntax":
            tokens.take("=")
            file.syntax = _string(tokens.take())
            tokens.take(";")
        elif word == "package":
            file.package = tokens.take()
            tokens.take(";")
        elif word == "import":
            if tokens.next in ("public", "weak"):
                tokens.take()
            file.dependency.append(_string(tokens.take()))
            tokens.take(";")
        elif word == "message":
            _message(tokens, file.message_type.add(name=tokens.take()), file.syntax == "proto3")
        elif word == "enum":
            _enum(tokens, file.enum_type.add(name=tokens.take()))
        elif word != ";":
            tokens.skip_statement()
    if file.syntax == "proto2":
        file.ClearField("syntax")
    return file


def _string(token: str) -> str:
    return token[1:-1]


def _message(tokens: _Tokens, message: Any, proto3: bool) -> None:
    tokens.take("{")
    while tokens.next != "}":
        word = tokens.next
        if word == "message":
            tokens.take()
            _message(tokens, message.nested_type.add(name=tokens.take()), proto3)
        elif word == "enum":
            tokens.take()
            _enum(tokens, message.enum_type.add(name=tokens.take()))
        elif word == "oneof":
            tokens.take()
            message.oneof_decl.add(name=tokens.take())
            index = len(message.oneof_decl) - 1
            tokens.take("{")
            while tokens.next != "}":
                if tokens.next == "option":
                    tokens.skip_statement()
                elif tokens.next == ";":
                    tokens.take()
                else:
                    _field(tokens, message, proto3, index)
            tokens.take("}")
        elif word in ("option", "reserved", "extensions", "extend"):
            tokens.skip_statement()
        elif word == ";":
            tokens.take()
        else:
            _field(tokens, message, proto3, None)
    tokens.take("}")
    # The oneof that proto3's `optional` stands for comes after all that were written.
    for field in message.field:
        if field.proto3_optional:
            message.oneof_decl.add(name=f"_{field.name}")
            field.oneof_index = len(message.oneof_decl) - 1


def _field(tokens: _Tokens, message: Any, proto3: bool, oneof: int | None) -> None:
    label, optional = 1, False
    if tokens.next in ("optional", "required", "repeated"):
        word = tokens.take()
        label = {"optional": 1, "required": 2, "repeated": 3}[word]
        optional = word == "optional" and proto3
    kind = tokens.take()
    entry = None
    if kind == "map" and tokens.next == "<":
        tokens.take("<")
        key = tokens.take()
        tokens.take(",")
        value = tokens.take()
        tokens.take(">")
        entry, label = (key, value), 3
    elif kind == "group":
        raise ProtoError("groups are not supported")
    name = tokens.take()
    tokens.take("=")
    field = message.field.add(name=name, number=int(tokens.take(), 0), label=label)
    if tokens.next == "[":
        tokens.skip_brackets()
    tokens.take(";")
    if entry is not None:
        made = message.nested_type.add(name="".join(p.capitalize() for p in name.split("_")) + "Entry")
        made.options.map_entry = True
        for number, (part, part_kind) in enumerate(zip(("key", "value"), entry, strict=True), 1):
            _set_type(made.field.add(name=part, number=number, label=1), part_kind)
        field.type, field.type_name = 11, made.name
    else:
        _set_type(field, kind)
    if optional:
        field.proto3_optional = True
    if oneof is not None:
        field.oneof_index = oneof


def _set_type(field: Any, kind: str) -> None:
    if kind in _SCALAR_NUMBERS:
        field.type = _SCALAR_NUMBERS[kind]
    else:
        field.type_name = kind  # message or enum: known once all names are


def _enum(tokens: _Tokens, enum: Any) -> None:
    tokens.take("{")
    while tokens.next != "}":
        word = tokens.take()
        if word in ("option", "reserved"):
            while tokens.take() != ";":
                pass
        elif word != ";":
            tokens.take("=")
            number = tokens.take()
            if number == "-":
                number += tokens.take()
            enum.value.add(name=word, number=int(number, 0))
            if tokens.next == "[":
                tokens.skip_brackets()
            tokens.take(";")
    tokens.take("}")
    numbers = [v.number for v in enum.value]
    if len(set(numbers)) != len(numbers):
        enum.options.allow_alias = True


# --- names ------------------------------------------------------------------------------------------------------------


def _symbols(prefix: str, holder: Any, messages: Any) -> dict[str, int]:
    """Full name -> 11 (message) or 14 (enum) for all that a file or message declares."""
    found: dict[str, int] = {}
    for message in messages:
        name = f"{prefix}.{message.name}"
        found[name] = 11
        found |= _symbols(name, message, message.nested_type)
    for enum in holder.enum_type:
        found[f"{prefix}.{enum.name}"] = 14
    return found


def _resolve(file: Any, symbols: Mapping[str, int]) -> None:
    """Give every field the full name of its type: the innermost scope that has it wins."""

    def visit(scope: str, message: Any) -> None:
        here = f"{scope}.{message.name}"
        for field in message.field:
            if (field.type_name and not field.type_name.startswith(".")) or (field.type_name and not field.type):
                field.type_name, field.type = _find(here, field.type_name, symbols)
        for nested in message.nested_type:
            visit(here, nested)

    for message in file.message_type:
        visit(f".{file.package}" if file.package else "", message)


def _find(scope: str, name: str, symbols: Mapping[str, int]) -> tuple[str, int]:
    if name.startswith("."):
        if name in symbols:
            return name, symbols[name]
        raise ProtoError("unknown type")
    while True:
        full = f"{scope}.{name}"
        if full in symbols:
            return full, symbols[full]
        if not scope:
            raise ProtoError("unknown type")
        scope = scope.rpartition(".")[0]


def _file(text: str, name: str) -> Any:
    """A file from .proto text, or from a serialised descriptor in base64, as some clients register it."""
    from google.protobuf import descriptor_pb2

    try:
        return parse(text, name)
    except ProtoError:
        try:
            made = descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError):
            raise
        made.name = name
        return made


# --- decoding ---------------------------------------------------------------------------------------------------------


def compile_decoder(text: str, imports: Mapping[str, str] | None = None) -> Callable[[bytes], Any]:
    """A function from a body (what follows the schema id) to a tree.

    `imports` are the texts of referenced files by the name they are imported under; google/protobuf/* are known. Raises
    ProtoError for text that cannot be compiled; the function raises ValueError for a body that does not fit.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    imports = imports or {}
    pool = descriptor_pool.DescriptorPool()
    done: dict[str, dict[str, int]] = {}

    def add(name: str, body: str | None) -> dict[str, int]:
        """Add a file after what it imports; returns the names it and its imports declare."""
        if name in done:
            return done[name]
        done[name] = {}
        if body is None:
            short = name.removeprefix("google/protobuf/").removesuffix(".proto")
            if not name.startswith("google/protobuf/") or short not in _KNOWN:
                raise ProtoError("an imported file is missing")
            raw = import_module(f"google.protobuf.{short}_pb2").DESCRIPTOR.serialized_pb
            file = descriptor_pb2.FileDescriptorProto.FromString(raw)
        else:
            file = _file(body, name)
        symbols = _symbols(f".{file.package}" if file.package else "", file, file.message_type)
        for dependency in file.dependency:
            symbols = {**add(dependency, imports.get(dependency)), **symbols}
        if body is not None:
            _resolve(file, symbols)
        pool.Add(file)
        done[name] = symbols
        return symbols

    add("schema.proto", text)
    file = pool.FindFileByName("schema.proto")
    # Declaration order: the wire format counts message types as they stand in the text.
    proto = descriptor_pb2.FileDescriptorProto()
    file.CopyToProto(proto)
    classes: dict[tuple[int, ...], Any] = {}

    def message_class(path: tuple[int, ...]) -> Any:
        if path not in classes:
            holder: Any = proto.message_type
            names = []
            for index in path:
                # The entries that maps stand for count as types in some clients and not in others; none is a message.
                found = holder[index]
                if found.options.map_entry:
                    found = [m for m in holder if not m.options.map_entry][index]
                names.append(found.name)
                holder = found.nested_type
            full = ".".join(([proto.package] if proto.package else []) + names)
            classes[path] = message_factory.GetMessageClass(pool.FindMessageTypeByName(full))
        return classes[path]

    def decode(body: bytes) -> Any:
        path, at = _indexes(body)
        message = message_class(path)()
        message.ParseFromString(body[at:])
        return _tree(message, 0)

    return decode


def _indexes(body: bytes) -> tuple[tuple[int, ...], int]:
    """The path to the message type before a body, and where the body begins. A single 0 stands for the first type."""
    count, at = _varint(body, 0)
    if count == 0:
        return (0,), at
    if not 0 < count <= _MAX_DEPTH:
        raise ValueError("message index")
    path = []
    for _ in range(count):
        index, at = _varint(body, at)
        if index < 0:
            raise ValueError("message index")
        path.append(index)
    return tuple(path), at


def _varint(body: bytes, at: int) -> tuple[int, int]:
    shift = number = 0
    while True:
        byte = body[at]
        at += 1
        number |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return (number >> 1) ^ -(number & 1), at
        shift += 7
        if shift > 63:
            raise ValueError("varint")


def _tree(message: Any, depth: int) -> Any:
    if depth > _MAX_DEPTH:
        raise ValueError("too deep")
    special = _SPECIAL.get(message.DESCRIPTOR.full_name)
    if special is not None:
        return special(message)
    made: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type is not None and field.message_type.GetOptions().map_entry:
            below = field.message_type.fields_by_name["value"]
            made[field.name] = {str(k): _value(v, below, depth) for k, v in value.items()}
        elif field.is_repeated:
            made[field.name] = [_value(v, field, depth) for v in value]
        elif not field.has_presence or message.HasField(field.name):
            made[field.name] = _value(value, field, depth)
    return made


def _value(value: Any, field: Any, depth: int) -> Any:
    if field.message_type is not None:
        return _tree(value, depth + 1)
    if field.enum_type is not None:
        known = field.enum_type.values_by_number.get(value)
        return known.name if known is not None else value
    return value


def _timestamp(message: Any) -> Any:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=message.seconds, microseconds=message.nanos // 1000)


def _json(message: Any) -> Any:
    from google.protobuf import json_format

    return json_format.MessageToDict(message)


def _wrapped(message: Any) -> Any:
    return message.value


_SPECIAL: dict[str, Callable[[Any], Any]] = {
    "google.protobuf.Timestamp": _timestamp,
    "google.protobuf.Duration": lambda m: timedelta(seconds=m.seconds, microseconds=m.nanos // 1000),
    "google.protobuf.Struct": _json,
    "google.protobuf.Value": _json,
    "google.protobuf.ListValue": _json,
    **{
        f"google.protobuf.{kind}Value": _wrapped
        for kind in ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
    },
}
