"""Runs the Avro walk over batches of bodies of one schema, and makes nodes for the places that it meets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from scanners.tape import words
from scanners.tape.avro_program import NODE, Program
from scanners.tape.avro_walk import walk_avro
from scanners.tape.reader import PADDING, Paths, Walked, scratch


class AvroReader:
    """Reads bodies of one registered schema; `paths` may be shared with readers of other schemas of the same part.

    `readable` says whether the exact reader can read a body: fields are made known of such alone.
    """

    def __init__(self, paths: Paths, program: Program, readable: Callable[[bytes], bool]) -> None:
        self._paths = paths
        self._program = program
        self._readable = readable
        self._state = np.zeros(6, np.int64)

    def read(self, bodies: Sequence[bytes], records: Sequence[int]) -> Walked:
        """Walk the bodies, heads included; `records` are their records, which new fields are first seen in."""
        joined = b"".join(bodies)
        body = np.frombuffer(joined + self._program.symbols + PADDING, np.uint8)
        starts = np.zeros(len(bodies) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, bodies), np.int64, len(bodies)), out=starts[1:])
        odd = np.zeros(len(bodies), np.bool_)
        while True:
            walked = self._walk(bodies, records, body, starts, odd)
            failed = self._make(walked) if self._program.makers else []
            if not failed:
                return walked
            # They are left alone: the walk begins anew without them.
            odd[failed] = True

    def _walk(self, bodies: Sequence[bytes], records: Sequence[int], body: Any, starts: Any, odd: Any) -> Walked:
        program, paths, state, tape = self._program, self._paths, self._state, scratch()
        shapes, coarse = np.zeros(len(bodies), np.uint64), np.zeros(len(bodies), np.uint64)
        state[words.RECORD] = state[words.PLACES] = 0
        whole = -1
        while True:
            # A walk begins a record anew when it comes back for something that is missing.
            said = walk_avro(
                body, starts, starts[-1], program.slots, program.several, program.cuts, paths.hashes, *tape.columns,
                odd, shapes, coarse, state,
            )  # fmt: skip
            if said == words.DONE:
                break
            if said == words.TAPE_FULL:
                tape.grow()
                continue
            record = int(state[words.RECORD])
            if record != whole:
                if not self._readable(bodies[record]):
                    odd[record] = True
                    continue
                whole = record
            self._learn(said, records[record])
        filled = int(state[words.PLACES])
        return Walked(body, *tape.filled(filled), odd, shapes, coarse, {})

    def _make(self, walked: Walked) -> list[int]:
        """Make the values that Python must make; gives the bodies of those that cannot be made."""
        made: dict[int, tuple[list[Any], list[int]]] = {}
        failed: list[int] = []
        at = np.flatnonzero(walked.kinds == words.MADE)
        columns = (walked.doubles, walked.nodes, walked.rows, walked.places, walked.sizes, walked.numbers)
        for maker, node, row, place, size, number in zip(*(column[at].tolist() for column in columns), strict=True):
            values, rows = made.setdefault(node, ([], []))
            try:
                raw = walked.body[place : place + size].tobytes()
                values.append(self._program.makers[int(maker)].make(raw, number))
                rows.append(row)
            except Exception:
                failed.append(row)
        walked.made = made
        return failed

    def _learn(self, said: int, record: int) -> None:
        slot, parent = int(self._state[words.LENGTH]), int(self._state[words.PARENT])
        if said == words.NEW_ELEMENTS:
            node = self._paths.elements(parent)
        else:
            node = self._paths.field(parent, self._program.names[slot], record)
        self._program.slots[NODE, slot] = node
