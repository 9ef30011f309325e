"""Which bytes a record must have to hold a text, so that records without them need not be decoded. Pure.

A record is looked at as it was sent, so this is for who may see every field of it unmasked, and all rows. It may only leave out
records that the condition of `conditions.py` would leave out, too: where that is not certain there is no needle.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, has_alternatives
from policies.browse.conditions import Filters, system
from policies.plan.explain import is_masked
from policies.plan.views import GovernedTable

_TEXT = re.compile(r"[A-Za-z0-9 _.@+-]{3,200}")
"""Signs that JSON writes as they are, and that end no value: what holds them is within one key, name or value."""
_NUMBER_OR_TIME = re.compile(r"[-+.0-9 etz]*")
_WORDS = ("true", "false", "null", "nan", "infinity", "-infinity")
_KINDS = re.compile(r"STRING|BOOLEAN|TINYINT|SMALLINT|INT|BIGINT|FLOAT|DOUBLE|DECIMAL(\(.*\))?|DATE|TIMESTAMP(_NTZ)?")
_LOWER_TO_ASCII = ("\u212a".encode(), "\u0130".encode())
"""Signs beyond ASCII whose small letter has one of ASCII."""
_ESCAPE = b"\\"
_CONTROL = re.compile(rb"[\x00-\x1f\"]")


@dataclass(frozen=True, slots=True)
class Needle:
    """`text` in small letters; `parts`: key, value, headers, in any of which it may be. `headers`: those that are shown; how far a
    search is must not depend on others."""

    text: bytes
    parts: frozenset[str]
    headers: frozenset[str] = frozenset()

    def may_be_in(self, key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes | None]] | None) -> bool:
        """Whether the record may hold the text; where it does not, the condition on the record as shown does not hold."""
        if value is not None and "value" in self.parts and (self._in(value) or _ESCAPE in value):
            return True
        if key is not None and "key" in self.parts and self._in(key):
            return True
        if headers and "headers" in self.parts:
            for name, each in headers:
                if name not in self.headers:
                    continue
                pair = name.encode() + b"\0" + (each or b"")
                if self._in(pair) or _ESCAPE in pair or _CONTROL.search(pair.replace(b"\0", b"", 1)):
                    return True
        return False

    def _in(self, data: bytes) -> bool:
        return self.text in data.lower() or any(sign in data for sign in _LOWER_TO_ASCII)


def needle(filters: Filters, view: GovernedTable) -> Needle | None:
    """None where the text may be shown by a record that does not have its bytes."""
    text = (filters.text or "").lower()
    if not _TEXT.fullmatch(text) or _NUMBER_OR_TIME.fullmatch(text) or any(text in word for word in _WORDS):
        return None
    table = view.table
    if system(view, "_value") is None or view.filters or table.rows is not None or table.payload is not None:
        return None
    if any(is_masked(decision) for column in view.columns for decision in column.decisions):
        return None
    if table.value.format != "json" or not _is_plain(table.value.kind):
        return None
    key = system(view, "_key")
    has_key = key is not None and key.path is not None  # else it is NULL, whatever was sent
    if has_key and (table.key.format not in ("text", "string") or table.key.kind != Primitive("STRING")):
        return None
    shown = [*_names(table.value.kind), *(column.name for column in view.columns)]
    if any(text in name.lower() for name in shown):
        return None  # the name of a field is written by the schema, too
    parts = frozenset(part for part in filters.parts if part != "key" or has_key)
    return Needle(text.encode(), parts, frozenset(view.places.headers()))


def _is_plain(kind: DataType) -> bool:
    """Whether all of its values are written in JSON by signs that they have, or as numbers, times, true, false and null."""
    return not has_alternatives(kind) and all(_KINDS.fullmatch(each.name) for each in _primitives(kind))


def _primitives(kind: DataType) -> Iterator[Primitive]:
    match kind:
        case StructType(fields):
            for _, inner in fields:
                yield from _primitives(inner)
        case ArrayType(element):
            yield from _primitives(element)
        case MapType(key, value):
            yield from _primitives(key)
            yield from _primitives(value)
        case Primitive():
            yield kind


def _names(kind: DataType) -> Iterator[str]:
    match kind:
        case StructType(fields):
            for name, inner in fields:
                yield name
                yield from _names(inner)
        case ArrayType(element):
            yield from _names(element)
        case MapType(_, value):
            yield from _names(value)
