"""Names of a .proto file's types: which there are, and which one a field means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scanners.schemas.protobuf.parser import ENUM, GROUP, MESSAGE, ProtoError

Symbols = dict[str, int]
"""Full name, with a dot before it, -> MESSAGE or ENUM."""


def symbols(file: Any) -> Symbols:
    """All types that a file declares itself."""
    return _below(_scope(file), file, file.message_type)


def _scope(file: Any) -> str:
    return f".{file.package}" if file.package else ""


def _below(prefix: str, holder: Any, messages: Any) -> Symbols:
    symbols: Symbols = {}
    for message in messages:
        name = f"{prefix}.{message.name}"
        symbols[name] = MESSAGE
        symbols |= _below(name, message, message.nested_type)
    for enum in holder.enum_type:
        symbols[f"{prefix}.{enum.name}"] = ENUM
    return symbols


def resolve(file: Any, symbols_of: Mapping[str, int]) -> None:
    """Give every field the full name of its type: the innermost scope that has it wins. Raises ProtoError."""

    def visit(scope: str, message: Any) -> None:
        here = f"{scope}.{message.name}"
        for field in message.field:
            if field.type_name and not (field.type_name.startswith(".") and field.type):
                field.type_name, kind = _find(here, field.type_name, symbols_of)
                if field.type != GROUP:
                    field.type = kind
        for nested in message.nested_type:
            visit(here, nested)

    for message in file.message_type:
        visit(_scope(file), message)


def _find(scope: str, name: str, symbols_of: Mapping[str, int]) -> tuple[str, int]:
    if name.startswith("."):
        if name in symbols_of:
            return name, symbols_of[name]
        raise ProtoError("unknown type")
    while True:
        full = f"{scope}.{name}"
        if full in symbols_of:
            return full, symbols_of[full]
        if not scope:
            raise ProtoError("unknown type")
        scope = scope.rpartition(".")[0]
