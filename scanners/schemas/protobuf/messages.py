"""Protobuf bodies of the registry's wire format to trees, by the text of their registered schema.

`compile_decoder` makes descriptors of the schema and of what it imports. A body begins with the path to its message type:
zig-zag varints, how many and then each one's place among the types of the one before. Runs in Spark's workers.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from scanners.schemas.protobuf.names import Symbols, resolve, symbols
from scanners.schemas.protobuf.parser import ProtoError, parse
from scanners.schemas.protobuf.tree import MAX_DEPTH, tree

_BUILT_IN = {
    "confluent/meta.proto": 'syntax = "proto3"; package confluent;',
    "confluent/type/decimal.proto": 'syntax = "proto3"; package confluent.type;'
    " message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }",
}
"""Files every Confluent registry has without a reference; of the first only options are used, which no body needs.
Source: https://github.com/confluentinc/schema-registry/tree/master/protobuf-types/src/main/proto/confluent"""

_INSTALLED = re.compile(r"google/(?:protobuf|type|rpc|api)/[a-z_]+\.proto\Z")
"""Files that come with the Protobuf libraries, as modules."""


def compile_decoder(text: str, imports: Mapping[str, str] | None = None) -> ProtobufDecoder:
    """What reads bodies (what follows the schema id) of a schema.

    `imports` are the texts of referenced files by the name they are imported under; google's and Confluent's own are
    known. Raises ProtoError for text that cannot be compiled.
    """
    from google.protobuf import descriptor_pb2, descriptor_pool

    imports = imports or {}
    pool = descriptor_pool.DescriptorPool()
    done: dict[str, Symbols] = {}

    def add(name: str, body: str | None) -> Symbols:
        """Add a file after what it imports; returns the names it and its imports declare."""
        if name in done:
            return done[name]
        done[name] = {}  # files that import one another in a ring end here, and fail where a name is missing
        file = _installed(name) if body is None else _file(body, name)
        declared = symbols(file)
        for dependency in file.dependency:
            declared = {**add(dependency, imports.get(dependency, _BUILT_IN.get(dependency))), **declared}
        if body is not None:
            resolve(file, declared)
        pool.Add(file)
        done[name] = declared
        return declared

    try:
        add(_ROOT, text)
    except (TypeError, ValueError) as error:
        # Protobuf itself refuses it: names twice, numbers out of range.
        raise error if isinstance(error, ProtoError) else ProtoError("a file that cannot be") from error
    # In order of declaration: the wire format counts message types in the order of the text.
    proto = descriptor_pb2.FileDescriptorProto()
    pool.FindFileByName(_ROOT).CopyToProto(proto)
    return ProtobufDecoder(proto, pool)


_ROOT = "schema.proto"


def _installed(name: str) -> Any:
    from google.protobuf import descriptor_pb2

    if not _INSTALLED.match(name):
        raise ProtoError("an imported file is missing")
    try:
        module = import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")
    except ImportError:
        raise ProtoError("an imported file is missing") from None
    return descriptor_pb2.FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb)


def _file(text: str, name: str) -> Any:
    """A file from .proto text, or from a serialised descriptor in base64, as some clients register it."""
    from google.protobuf import descriptor_pb2
    from google.protobuf.message import DecodeError

    try:
        return parse(text, name)
    except ProtoError as error:
        try:
            file = descriptor_pb2.FileDescriptorProto.FromString(base64.b64decode(text, validate=True))
        except (binascii.Error, ValueError, DecodeError):
            raise error from None
        file.name = name
        return file


class ProtobufDecoder:
    """Reads bodies of one schema, whichever of its message types they have."""

    def __init__(self, file: Any, pool: Any) -> None:
        self._file = file
        self._pool = pool
        self._classes: dict[tuple[int, ...], list[Any]] = {}

    def __call__(self, body: bytes) -> Any:
        """The tree of a body. Raises ValueError or an error of google.protobuf for one that does not fit."""
        path, at = _indexes(body)
        return tree(self._message(path, body[at:]))

    def messages(self) -> list[Any]:
        """The descriptors of the file's own message types, in order."""
        prefix = f"{self._file.package}." if self._file.package else ""
        return [self._pool.FindMessageTypeByName(prefix + each.name) for each in self._file.message_type]

    @property
    def several(self) -> bool:
        """Whether bodies may be of different message types."""
        return len(self._file.message_type) > 1 or any(m.nested_type for m in self._file.message_type)

    def name(self, body: bytes) -> str:
        """The full name of a body's message type. Raises as a call does."""
        path, at = _indexes(body)
        classes = self._found(path)
        message = classes[0] if len(classes) == 1 else self._message(path, body[at:])
        return str(message.DESCRIPTOR.full_name)

    def _message(self, path: tuple[int, ...], body: bytes) -> Any:
        classes = self._found(path)
        for each in classes if len(classes) > 1 else ():
            message = _parsed(each, body)
            if message is not None and _all_known(message):
                return message
        return _strict(classes[0], body)

    def _found(self, path: tuple[int, ...]) -> list[Any]:
        """The message types a path may mean, the likeliest first. Raises IndexError when there is none."""
        if path not in self._classes:
            from google.protobuf import message_factory

            self._classes[path] = [
                message_factory.GetMessageClass(self._pool.FindMessageTypeByName(name)) for name in self._names(path)
            ]
        return self._classes[path]

    def _names(self, path: tuple[int, ...]) -> list[str]:
        prefix = [self._file.package] if self._file.package else []
        holders: list[tuple[list[str], Any]] = [(prefix, self._file.message_type)]
        for index in path:
            holders = [([*at, m.name], m.nested_type) for at, types in holders for m in _at(types, index)]
        if not holders:
            raise IndexError("message index")
        return [".".join(at) for at, _ in holders]


def _at(types: Any, index: int) -> list[Any]:
    """The message types that a place among types may mean.

    Some clients (Python, Go) count the types of map entries and others (Java) do not, and the registry's own form of a
    text moves them. A place never means one of these types.
    """
    written = [m for m in types if not m.options.map_entry]
    entries = len(types) - len(written)
    candidates = [types[index]] if index < len(types) and not types[index].options.map_entry else []
    for place in range(index, max(-1, index - entries - 1), -1):
        if place < len(written) and written[place] not in candidates:
            candidates.append(written[place])
    return candidates


def _strict(kind: Any, body: bytes) -> Any:
    message = kind()
    message.ParseFromString(body)
    return message


def _parsed(kind: Any, body: bytes) -> Any:
    from google.protobuf.message import DecodeError

    try:
        return _strict(kind, body)
    except DecodeError:
        return None


def _all_known(message: Any) -> bool:
    from google.protobuf.unknown_fields import UnknownFieldSet

    return len(UnknownFieldSet(message)) == 0


def _indexes(body: bytes) -> tuple[tuple[int, ...], int]:
    """The path to the message type before a body, and where the body begins. A single 0 means the first type."""
    count, at = _varint(body, 0)
    if count == 0:
        return (0,), at
    # Old Python clients could leave out the zig-zag; an odd number of indexes then reads as a negative one.
    zigzag = count > 0
    count = count if zigzag else -2 * count - 1
    if not 0 < count <= MAX_DEPTH:
        raise ValueError("message index")
    path = []
    for _ in range(count):
        index, at = _varint(body, at)
        if not zigzag:
            index = 2 * index if index >= 0 else -2 * index - 1
        if index < 0:
            raise ValueError("message index")
        path.append(index)
    return tuple(path), at


def _varint(body: bytes, at: int) -> tuple[int, int]:
    """A zig-zag varint, and where it ends."""
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
