"""Text of .proto files to descriptors, without the protoc compiler: proto2, proto3 and editions.

Messages, enums, maps, oneofs, groups and imports are read; options, services and extensions are skipped, as no body needs
them. The types of fields are names as the text has them until `protobuf_names.resolve` has seen all of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|\s+|(?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?P<word>[A-Za-z_.][\w.]*)|(?P<number>[-+]?[\w.]+)"""
    r"""|(?P<mark>[{}\[\]();=,<>:/-])""",
    re.S,
)
_SCALARS = (
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
_SCALAR_NUMBERS = {name: i + 1 for i, name in enumerate(_SCALARS) if name not in ("group", "message", "enum")}
GROUP, MESSAGE, ENUM = 10, 11, 14
"""Numbers of types in FieldDescriptorProto."""

_EDITIONS = {"2023": 1000, "2024": 1001}
"""Numbers of editions in descriptor.proto."""


class ProtoError(ValueError):
    """The text is not a .proto that this parser can read; the message names the token's kind only."""


class _Tokens:
    def __init__(self, text: str) -> None:
        self._all = list(self._read(text))
        self._at = 0

    @staticmethod
    def _read(text: str) -> Iterator[str]:
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or match.end() == at:
                raise ProtoError("unknown character")
            if match.lastgroup:
                yield match.group()
            at = match.end()

    @property
    def next(self) -> str:
        return self._all[self._at] if self._at < len(self._all) else ""

    def take(self, expected: str = "") -> str:
        token = self.next
        if not token or (expected and token != expected):
            raise ProtoError(f"expected {expected or 'more'}")
        self._at += 1
        return token

    def skip_statement(self) -> None:
        """Past the next `;`, or the block that comes before one."""
        while True:
            if self.next == "[":
                self.skip_brackets()
                continue
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

    tokens = _Tokens(text.removeprefix("\ufeff"))
    file = descriptor_pb2.FileDescriptorProto(name=name, syntax="proto2")
    while tokens.next:
        word = tokens.take()
        if word == "syntax":
            tokens.take("=")
            file.syntax = _string(tokens.take())
            tokens.take(";")
        elif word == "edition":
            tokens.take("=")
            edition = _EDITIONS.get(_string(tokens.take()))
            if edition is None:
                raise ProtoError("unknown edition")
            file.syntax, file.edition = "editions", edition
            tokens.take(";")
        elif word == "package":
            file.package = tokens.take()
            tokens.take(";")
        elif word == "import":
            if tokens.next in ("public", "weak", "option"):
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
    # The oneof that proto3's `optional` means comes after all that were written.
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
    name = tokens.take()
    tokens.take("=")
    field = message.field.add(name=name, number=int(tokens.take(), 0), label=label)
    if tokens.next == "[":
        tokens.skip_brackets()
    if kind == "group":
        # A message and a field of it in one; the field is named in lower case.
        _message(tokens, message.nested_type.add(name=name), proto3)
        field.name, field.type, field.type_name = name.lower(), GROUP, name
        if oneof is not None:
            field.oneof_index = oneof
        return
    tokens.take(";")
    if entry is not None:
        map_entry = message.nested_type.add(name=_entry(name))
        map_entry.options.map_entry = True
        for number, (part, part_kind) in enumerate(zip(("key", "value"), entry, strict=True), 1):
            _set_type(map_entry.field.add(name=part, number=number, label=1), part_kind)
        field.type, field.type_name = MESSAGE, map_entry.name
    else:
        _set_type(field, kind)
    if optional:
        field.proto3_optional = True
    if oneof is not None:
        field.oneof_index = oneof


def _entry(field: str) -> str:
    """The name of the message for an entry of a map, as protoc forms it."""
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


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
            tokens.skip_statement()
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
