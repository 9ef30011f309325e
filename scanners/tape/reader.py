"""Runs the walk over batches of bodies, and makes nodes for the paths that it meets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Protocol

import numpy as np

from scanners.decode import json_text
from scanners.sketch.nodes import Node
from scanners.tape import opcodes
from scanners.tape.walk import walk

PADDING = b"\0" * 16
MOST_BYTES = 2**31 - 2**20


class Maker(Protocol):
    """Who makes nodes (`scanners.columns.profiler.Profiler`)."""

    def child(self, node: Node, key: str, row: int, names: tuple[str, ...], depth: int, /) -> Node | None:
        """The node of an object's field, first met in a record; None when the key is data."""
        ...

    def elements(self, node: Node, /) -> Node:
        """The node of an array's elements."""
        ...


class Tape:
    """Arrays that a walk writes, a value a place; they grow, and are used again for the next batch."""

    COLUMNS = (
        ("nodes", np.int32),
        ("rows", np.int32),
        ("kinds", np.uint8),
        ("places", np.int32),
        ("sizes", np.int32),
        ("numbers", np.int64),
        ("doubles", np.float64),
    )

    def __init__(self, room: int = 1 << 16) -> None:
        self.columns = [np.zeros(room, kind) for _, kind in self.COLUMNS]

    def filled(self, places: int) -> tuple[Any, Any, Any, Any, Any, Any, Any]:
        """The first places of all columns."""
        nodes, rows, kinds, at, sizes, numbers, doubles = (column[:places] for column in self.columns)
        return nodes, rows, kinds, at, sizes, numbers, doubles

    def grow(self) -> None:
        self.columns = [np.concatenate((column, np.zeros_like(column))) for column in self.columns]


class _Scratch(threading.local):
    """A tape for each thread, which profiles batches one after the other."""

    def __init__(self) -> None:
        self.tape = Tape()


_scratch = _Scratch()


def scratch() -> Tape:
    """The tape of this thread."""
    return _scratch.tape


@dataclass(slots=True)
class Walked:
    """What a walk found: the joined bodies, the tape as far as it is filled, and for each body whether it was left alone
    and the sums of its paths' hashes over all levels and over the first two."""

    body: Any
    nodes: Any
    rows: Any
    kinds: Any
    places: Any
    sizes: Any
    numbers: Any
    doubles: Any
    odd: Any
    shapes: Any
    coarse: Any
    by_python: Mapping[int, tuple[list[Any], list[int]]] = field(default_factory=dict)
    """What Python made values of: number of a node -> values, and which bodies they are of."""

    def kept(self) -> Walked:
        """A copy that the next walk does not write over."""
        return replace(
            self, **{each.name: getattr(self, each.name).copy() for each in fields(self) if each.name != "by_python"}
        )


class Paths:
    """The nodes a walk knows: a table for the compiled code, and what Python knows of each."""

    def __init__(self, root: Node, maker: Maker) -> None:
        self.nodes: list[Node] = []
        self.names: list[tuple[str, ...]] = []
        self.depths: list[int] = []
        self.table = np.zeros((opcodes.TABLE, 256), np.int64)
        self.hashes = np.zeros(256, np.uint64)
        self.keys = np.zeros(4096, np.uint8)
        self._key_bytes = 0
        self._maker = maker
        self._open: dict[int, set[str]] = {}
        """Objects some of whose keys are data -> the keys of them that are none."""
        self._add(root, (), 0)

    def field(self, parent: int, key: str, record: int) -> int:
        """The number of a record's field, which is made when it is new; -1 when its name is data."""
        number = self._known(parent, key)
        if not number:
            self.key(parent, key, record)
            number = self._known(parent, key)
        return number or -1

    def key(self, parent: int, key: str, record: int) -> None:
        """Make known what an unknown key of an object is."""
        node = self._maker.child(self.nodes[parent], key, record, self.names[parent], self.depths[parent])
        if node is None:
            self.table[opcodes.OPEN, parent] = 1
            self._open[parent] = {key for key, _ in self._children(parent)}
        else:
            self._child(parent, node, key)

    def elements(self, parent: int) -> int:
        """The number of an array's elements, which are made known when they are new."""
        if not self.table[opcodes.ELEMENTS, parent]:
            number = self._add(self._maker.elements(self.nodes[parent]), self.names[parent], self.depths[parent] + 1)
            self.table[opcodes.ELEMENTS, parent] = number
        return int(self.table[opcodes.ELEMENTS, parent])

    def refresh(self) -> None:
        """Take over the fields that the exact reader found in objects some of whose keys are data."""
        for parent, keys in self._open.items():
            fields = self.nodes[parent].fields
            if len(fields) > len(keys):
                for key in [key for key in fields if key not in keys]:
                    self._child(parent, fields[key], key)
                    keys.add(key)

    def _known(self, parent: int, key: str) -> int:
        return next((child for name, child in self._children(parent) if name == key), 0)

    def _children(self, parent: int) -> Iterator[tuple[str, int]]:
        child = int(self.table[opcodes.HEAD, parent])
        while child:
            yield self.names[child][-1], child
            child = int(self.table[opcodes.NEXT, child])

    def _child(self, parent: int, node: Node, key: str) -> None:
        raw = np.frombuffer(key.encode(), np.uint8)
        number = self._add(node, (*self.names[parent], key), self.depths[parent] + 1)
        while self._key_bytes + len(raw) > len(self.keys):
            self.keys = np.concatenate((self.keys, np.zeros_like(self.keys)))
        self.keys[self._key_bytes : self._key_bytes + len(raw)] = raw
        table = self.table
        table[opcodes.KEY_AT, number], table[opcodes.KEY_LENGTH, number] = self._key_bytes, len(raw)
        table[opcodes.NEXT, number], table[opcodes.HEAD, parent] = table[opcodes.HEAD, parent], number
        self.hashes[number] = node.hash
        self._key_bytes += len(raw)

    def _add(self, node: Node, names: tuple[str, ...], depth: int) -> int:
        number = len(self.nodes)
        if number == len(self.hashes):
            self.table = np.concatenate((self.table, np.zeros_like(self.table)), axis=1)
            self.hashes = np.concatenate((self.hashes, np.zeros_like(self.hashes)))
        self.nodes.append(node)
        self.names.append(names)
        self.depths.append(depth)
        return number


Step = Callable[..., int]
"""Continues a walk: (the tape's columns, odd, shapes, coarse, state), and returns why it came back (`words`)."""


def walked(
    step: Step,
    body: Any,
    odd: Any,
    state: Any,
    readable: Callable[[int], bool],
    learn: Callable[[int, Any, int], None],
) -> Walked:
    """Walk the joined bodies to their end. `odd` marks those that are left alone; the walk marks more.

    state       of the walk, the same for all batches of a reader: objects are numbered through
    readable    whether the exact reader reads a body: what it does not must leave no fields behind
    learn       make known what is missing: (why the walk came back, its state, the body)
    """
    shapes, coarse = np.zeros(len(odd), np.uint64), np.zeros(len(odd), np.uint64)
    tape, whole = scratch(), -1
    state[opcodes.RECORD] = state[opcodes.PLACES] = 0
    # A walk begins a record again when it comes back for something that is missing.
    while (signal := step(*tape.columns, odd, shapes, coarse, state)) != opcodes.DONE:
        if signal == opcodes.TAPE_FULL:
            tape.grow()
            continue
        record = int(state[opcodes.RECORD])
        if record != whole and not readable(record):
            odd[record] = True
            state[opcodes.RECORD] += 1
            continue
        whole = record
        learn(signal, state, record)
    return Walked(body, *tape.filled(int(state[opcodes.PLACES])), odd, shapes, coarse)


def beginnings(bodies: Sequence[bytes], between: int) -> Any:
    """Where each of the joined bodies begins and, one past the last, where another would; with bytes between them."""
    starts = np.zeros(len(bodies) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, bodies), np.int64, len(bodies)) + between, out=starts[1:])
    return starts


class Reader:
    """Reads batches of JSON bodies of one part; the paths stay from batch to batch."""

    def __init__(self, paths: Paths) -> None:
        self.paths = paths
        self._state = np.zeros(6, np.int64)

    def read(self, bodies: Sequence[bytes], records: Sequence[int]) -> Walked:
        """Walk the bodies; `records` are their records, which new keys are first seen in."""
        body = np.frombuffer(b"\0".join(bodies) + PADDING, np.uint8)
        starts, paths = beginnings(bodies, 1), self.paths
        paths.refresh()

        def learn(signal: int, state: Any, record: int) -> None:
            if signal == opcodes.NEW_ELEMENTS:
                paths.elements(int(state[opcodes.PARENT]))
            else:
                at, length = int(state[opcodes.AT]), int(state[opcodes.LENGTH])
                paths.key(int(state[opcodes.PARENT]), body[at : at + length].tobytes().decode(), records[record])

        return walked(
            # The tables grow as paths are learned.
            lambda *rest: walk(body, starts, paths.keys, paths.table, paths.hashes, *rest),
            body,
            np.zeros(len(bodies), np.bool_),
            self._state,
            lambda record: json_text.readable(bodies[record]),
            learn,
        )
