"""Runs the Avro walk over batches of bodies of one schema, and makes nodes for the places that it meets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanners.tape import opcodes
from scanners.tape.avro_program import NODE, Program
from scanners.tape.avro_walk import walk_avro
from scanners.tape.reader import PADDING, Paths, Walked, beginnings, walked


class AvroReader:
    """Reads bodies of one registered schema; `paths` may be shared with readers of other schemas of the same part.

    `readable` decides whether the exact reader can read a body: only fields of such bodies get a node.
    """

    def __init__(self, paths: Paths, program: Program, readable: Callable[[bytes], bool]) -> None:
        self._paths = paths
        self._program = program
        self._readable = readable
        self._state = np.zeros(6, np.int64)

    def read(self, bodies: Sequence[bytes], records: Sequence[int]) -> Walked:
        """Walk the bodies, heads included; `records` are their records, which new fields are first seen in."""
        program, paths, starts = self._program, self._paths, beginnings(bodies, 0)
        body = np.frombuffer(b"".join(bodies) + program.symbols + PADDING, np.uint8)
        odd = np.zeros(len(bodies), np.bool_)

        def step(*rest: Any) -> int:
            program_arrays = (program.slots, program.several, program.cuts)
            signal: int = walk_avro(body, starts, starts[-1], *program_arrays, paths.hashes, *rest)
            return signal

        while True:
            tape = walked(
                step,
                body,
                odd,
                self._state,
                lambda record: self._readable(bodies[record]),
                lambda signal, state, record: self._learn(signal, state, records[record]),
            )
            failed = self._make(tape) if program.makers else []
            if not failed:
                return tape
            # They are left alone: the walk begins again without them.
            odd[failed] = True

    def _make(self, tape: Walked) -> list[int]:
        """Make the values that Python must make; gives the bodies of those that cannot be made."""
        columns_of: dict[int, tuple[list[Any], list[int]]] = {}
        failed: list[int] = []
        at = np.flatnonzero(tape.kinds == opcodes.MADE)
        columns = (tape.doubles, tape.nodes, tape.rows, tape.places, tape.sizes, tape.numbers)
        for maker, node, row, place, size, number in zip(*(column[at].tolist() for column in columns), strict=True):
            values, rows = columns_of.setdefault(node, ([], []))
            try:
                raw = tape.body[place : place + size].tobytes()
                values.append(self._program.makers[int(maker)].make(raw, number))
                rows.append(row)
            except Exception:
                failed.append(row)
        tape.by_python = columns_of
        return failed

    def _learn(self, signal: int, state: Any, record: int) -> None:
        slot, parent = int(state[opcodes.LENGTH]), int(state[opcodes.PARENT])
        if signal == opcodes.NEW_ELEMENTS:
            node = self._paths.elements(parent)
        else:
            node = self._paths.field(parent, self._program.names[slot], record)
        self._program.slots[NODE, slot] = node
