"""An Avro schema as arrays that the compiled walk follows: a slot for each place in a record where a value may be.

A named type that is used in two places has its slots twice, so that each knows its own node. Schemas that contain
themselves have no program.
Source of the encoding: https://avro.apache.org/docs/1.11.1/specification/#binary-encoding
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from fastavro.read import LOGICAL_READERS

from scanners.tape.opcodes import DEEPEST

NOTHING, BOOLEAN, WHOLE, FLOAT, BINARY64, STRING, CHOICE, RECORD, LIST, UNION, NO_ENTRIES, FOR_PYTHON = range(12)
"""Kinds of slots. CHOICE: an enum; NO_ENTRIES: a map, which is followed only where it is empty; FOR_PYTHON: what
Python makes a value of: bytes, fixed, and logical types."""

_PLAIN = {
    "null": NOTHING,
    "boolean": BOOLEAN,
    "int": WHOLE,
    "long": WHOLE,
    "float": FLOAT,
    "double": BINARY64,
    "string": STRING,
}

OP, BELOW, NEXT_FIELD, COUNT, SHAPED, NODE = range(6)
"""Rows of the slots: the kind; a record's first field, a list's elements, where a union's branches or an enum's
symbols begin in `several`, or the number of a maker; the field after this one of the same record; how many branches or
symbols there are, or the bytes of what Python makes; how many sums of hashes the field belongs to (2: over all levels and
over the first two); its node (0: not yet known, -1: none)."""
SLOTS = 6

_MOST_SLOTS = 5000

NUMBER, COUNTED = -1, -2
"""Bytes of what Python makes that are not always as many: those of a number, and as many as the number before them gives."""


class _Beyond(Exception):
    """The schema has something that is not followed."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes values of a type (`bytes`, `fixed`, `string`, `int`, `long`) as fastavro does for this schema."""

    kind: str
    schema: Any

    @property
    def width(self) -> int:
        """How many bytes a value takes, or NUMBER or COUNTED."""
        if self.kind == "fixed":
            return int(self.schema["size"])
        return COUNTED if self.kind in ("bytes", "string") else NUMBER

    def make(self, raw: bytes, number: int) -> Any:
        """The value of these bytes, or of this number. Raises whatever fastavro does."""
        base: Any = number if self.width == NUMBER else raw.decode() if self.kind == "string" else raw
        reader = LOGICAL_READERS.get(_logical(self.kind, self.schema))
        return base if reader is None else reader(base, self.schema, None)


def _logical(kind: str, schema: Any) -> str:
    return f"{kind}-{schema.get('logicalType')}" if isinstance(schema, dict) else ""


@dataclass(slots=True)
class Program:
    """`slots`: int64, `SLOTS` rows, a slot a column, the first the record itself. `several`: slots of branches, numbers of
    symbols. `symbols`: all symbols one after the other; `cuts`: where each begins. `names`: the field's name of each slot."""

    makers: list[Maker]
    slots: Any
    several: Any
    symbols: bytes
    cuts: Any
    names: list[str]


def program_of(schema: Any) -> Program | None:
    """The program of a schema as fastavro parses it; None for one that is read in Python."""
    making = _Making(dict(schema.get("__named_schemas") or {}) if isinstance(schema, dict) else {})
    try:
        making.slot(schema, 0, shaped=True, within=frozenset())
    except _Beyond:
        return None
    branches = [making.slots[number][OP] for number in making.several[: making.slots[0][COUNT]]]
    if making.slots[0][OP] != RECORD and (making.slots[0][OP] != UNION or not {RECORD, NOTHING}.issuperset(branches)):
        return None
    cuts = np.cumsum([0, *map(len, making.symbols)])
    return Program(
        makers=making.makers,
        slots=np.array(making.slots, np.int64).T.copy(),
        several=np.array([*making.several, 0], np.int64),
        symbols=b"".join(making.symbols),
        cuts=cuts.astype(np.int64),
        names=making.names,
    )


class _Making:
    def __init__(self, definitions: Mapping[str, Any]) -> None:
        self.slots: list[list[int]] = []
        self.names: list[str] = []
        self.several: list[int] = []
        self.symbols: list[bytes] = []
        self.makers: list[Maker] = []
        self._named = dict(definitions)

    def slot(self, schema: Any, depth: int, shaped: bool, within: frozenset[str], name: str = "") -> int:
        """Make the slot of a value, and those below it; `within` are the records that it is a part of."""
        slot = len(self.slots)
        if slot >= _MOST_SLOTS or depth >= DEEPEST - 1:
            raise _Beyond
        self.slots.append([0] * SLOTS)
        self.names.append(name)
        if isinstance(schema, list):
            self._fill(slot, UNION)
            self._several(slot, [self._branch(branch, depth, shaped, within) for branch in schema])
            return slot
        kind, definition = self._kind(schema)
        if kind in ("record", "error"):
            self._fill(slot, RECORD)
            self._fields(slot, definition, depth, shaped, within)
        elif kind == "array":
            self._fill(slot, LIST)
            self.slots[slot][BELOW] = self.slot(definition["items"], depth + 1, False, within)
        elif kind == "enum":
            self._fill(slot, CHOICE)
            self._several(slot, range(len(self.symbols), len(self.symbols) + len(definition["symbols"])))
            self.symbols += [symbol.encode() for symbol in definition["symbols"]]
        elif kind == "map":
            self._fill(slot, NO_ENTRIES)
        elif kind in ("bytes", "fixed") or _logical(kind, definition) in LOGICAL_READERS:
            self._fill(slot, FOR_PYTHON)
            maker = Maker(kind, definition)
            self.slots[slot][BELOW], self.slots[slot][COUNT] = len(self.makers), maker.width
            self.makers.append(maker)
        else:
            self._fill(slot, _PLAIN[kind])
        return slot

    def _branch(self, schema: Any, depth: int, shaped: bool, within: frozenset[str]) -> int:
        if isinstance(schema, list):
            raise _Beyond
        return self.slot(schema, depth, shaped, within)

    def _fill(self, slot: int, op: int) -> None:
        self.slots[slot][OP] = op

    def _several(self, slot: int, numbers: Any) -> None:
        self.slots[slot][BELOW], self.slots[slot][COUNT] = len(self.several), len(numbers)
        self.several += numbers

    def _fields(self, slot: int, definition: dict[str, Any], depth: int, shaped: bool, within: frozenset[str]) -> None:
        if definition["name"] in within:
            raise _Beyond
        before = None
        for field in definition["fields"]:
            below = self.slot(field["type"], depth + 1, shaped, within | {definition["name"]}, field["name"])
            self.slots[below][SHAPED] = (2 if depth <= 1 else 1) if shaped else 0
            if before is None:
                self.slots[slot][BELOW] = below
            else:
                self.slots[before][NEXT_FIELD] = below
            before = below

    def _kind(self, schema: Any) -> tuple[str, dict[str, Any]]:
        """The type's name and the details of it: its definition, also where it is named, or its logical type."""
        if isinstance(schema, str):
            if schema in _PLAIN or schema == "bytes":
                return schema, {}
            if schema not in self._named:
                raise _Beyond
            return self._kind(self._named[schema])
        kind = schema["type"]
        if not isinstance(kind, str):
            if isinstance(kind, list) or "logicalType" in schema:
                raise _Beyond
            return self._kind(kind)
        if "name" in schema and kind in ("record", "error", "enum", "fixed"):
            self._named[schema["name"]] = schema
        known = kind in ("record", "error", "array", "enum", "map", "fixed", "bytes") or kind in _PLAIN
        return (kind, schema) if known else self._kind(kind)
