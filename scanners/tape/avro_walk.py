"""The walk over Avro bodies to the tape of `scanners.tape.walk`, compiled by numba and led by a schema's program.

What it takes has the value that fastavro gives. It leaves alone bodies that end early or late, texts that are not UTF-8,
numbers and branches that no writer writes, and maps with entries, whose keys are data.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scanners.tape.avro_program import (
    BELOW,
    BINARY64,
    BOOLEAN,
    CHOICE,
    COUNT,
    COUNTED,
    FLOAT,
    FOR_PYTHON,
    LIST,
    NEXT_FIELD,
    NO_ENTRIES,
    NODE,
    NOTHING,
    NUMBER,
    OP,
    RECORD,
    SHAPED,
    STRING,
    UNION,
    WHOLE,
)
from scanners.tape.compiled import compiled, inlined
from scanners.tape.opcodes import (
    ARRAY,
    DEEPEST,
    DONE,
    DOUBLE,
    FALSE,
    INT32,
    INT64,
    LENGTH,
    MADE,
    NEW_ELEMENTS,
    NEW_KEY,
    NULL,
    OBJECT,
    PARENT,
    PLACES,
    TAPE_FULL,
    TEXT,
    TRUE,
)
from scanners.tape.opcodes import RECORD as AT_RECORD
from scanners.tape.tokens import beyond_ascii

HEAD_BYTES = 5
_VALUE, _NEXT, _FIELD, _BLOCK, _ODD, _END = range(6)


@inlined
def _long(body: Any, at: int, end: int) -> Any:
    """(place after a zig-zag number or -1, the number)."""
    shift, mixed = np.uint64(0), np.uint64(0)
    byte: Any = np.uint64(0x80)
    while byte >= np.uint64(0x80) and at < end and shift <= np.uint64(63):
        byte = np.uint64(body[at])
        at += 1
        mixed |= (byte & np.uint64(0x7F)) << shift
        shift += np.uint64(7)
    # The tenth byte has the last bit alone.
    if byte >= np.uint64(0x80) or (shift > np.uint64(63) and byte > np.uint64(1)):
        at = -1
    return at, np.int64(mixed >> np.uint64(1)) ^ -np.int64(mixed & np.uint64(1))


@compiled
def _is_text(body: Any, at: int, end: int) -> bool:
    """Whether these bytes are UTF-8."""
    while at < end:
        if body[at] < 128:
            at += 1
        else:
            at = beyond_ascii(body, at)
            if at < 0:
                return False
    return bool(at == end)


@compiled
def walk_avro(
    body: Any,
    starts: Any,
    symbols_at: int,
    slots: Any,
    several: Any,
    cuts: Any,
    hashes: Any,
    nodes: Any,
    rows: Any,
    kinds: Any,
    places: Any,
    sizes: Any,
    numbers: Any,
    doubles: Any,
    odd: Any,
    shapes: Any,
    coarse: Any,
    state: Any,
) -> int:
    """Continue from `state` until all bodies are on the tape, or something is missing; returns which (`words`), with the
    slot that needs a node in `LENGTH` and the node above it in `PARENT`.

    body, starts                  joined bodies with their heads, where each begins and the last ends
    symbols_at                    where the program's symbols begin in `body`
    slots, several, cuts          the program (`avro_program.Program`)
    hashes                        the hash of its path, a node each
    nodes ... coarse, state       as `walk` has them; bodies that are odd already are left alone, and what Python makes has
                                  the number of its maker for a double
    """
    parents = np.zeros(DEEPEST + 1, np.int64)
    current = np.zeros(DEEPEST + 1, np.int64)
    remaining = np.zeros(DEEPEST + 1, np.int64)
    opened = np.zeros(DEEPEST + 1, np.int64)
    single = np.zeros(1, np.float32)
    single_bits, double_bits = single.view(np.uint32), doubles.view(np.uint64)
    last = len(starts) - 1
    room = len(nodes) - 1
    record, used = state[AT_RECORD], state[PLACES]
    while record < last:
        if odd[record]:
            record += 1
            continue
        at, end, begun = starts[record] + HEAD_BYTES, starts[record + 1], used
        depth, slot, node, all_paths, some_paths = -1, 0, 0, np.uint64(0), np.uint64(0)
        phase = _VALUE if at <= end else _ODD
        while phase < _ODD:
            if phase == _VALUE:
                if used >= room:
                    state[AT_RECORD], state[PLACES] = record, begun
                    return TAPE_FULL
                op = slots[OP, slot]
                if op == UNION:
                    at, number = _long(body, at, end)
                    if at < 0 or number < 0 or number >= slots[COUNT, slot]:
                        phase = _ODD
                        continue
                    slot = several[slots[BELOW, slot] + number]
                    op = slots[OP, slot]
                nodes[used], rows[used] = node, record
                phase = _NEXT
                if op == STRING:
                    at, number = _long(body, at, end)
                    if at < 0 or number < 0 or number > end - at or not _is_text(body, at, at + number):
                        phase = _ODD
                        continue
                    kinds[used], places[used], sizes[used] = TEXT, at, number
                    at += number
                elif op == WHOLE:
                    at, number = _long(body, at, end)
                    if at < 0:
                        phase = _ODD
                        continue
                    kinds[used] = INT32 if -0x80000000 <= number <= 0x7FFFFFFF else INT64
                    numbers[used] = number
                elif op == NOTHING:
                    kinds[used] = NULL
                elif op in (BINARY64, FLOAT):
                    width = 8 if op == BINARY64 else 4
                    if end - at < width:
                        phase = _ODD
                        continue
                    bits = np.uint64(0)
                    for place in range(width):
                        bits |= np.uint64(body[at + place]) << np.uint64(8 * place)
                    kinds[used] = DOUBLE
                    if op == BINARY64:
                        double_bits[used] = bits
                    else:
                        single_bits[0] = np.uint32(bits)
                        doubles[used] = np.float64(single[0])
                    at += width
                elif op == BOOLEAN:
                    if at >= end or body[at] > 1:
                        phase = _ODD
                        continue
                    kinds[used] = TRUE if body[at] else FALSE
                    at += 1
                elif op == CHOICE:
                    at, number = _long(body, at, end)
                    if at < 0 or number < 0 or number >= slots[COUNT, slot]:
                        phase = _ODD
                        continue
                    symbol = several[slots[BELOW, slot] + number]
                    kinds[used] = TEXT
                    places[used], sizes[used] = symbols_at + cuts[symbol], cuts[symbol + 1] - cuts[symbol]
                elif op == FOR_PYTHON:
                    width, before, number = slots[COUNT, slot], at, 0
                    if width < 0:
                        at, number = _long(body, at, end)
                    if width == COUNTED:
                        width, before = number, at
                    if at < 0 or (width != NUMBER and (width < 0 or width > end - at)):
                        phase = _ODD
                        continue
                    if width != NUMBER:
                        at += width
                    kinds[used], places[used], sizes[used] = MADE, before, at - before
                    numbers[used], doubles[used] = number, slots[BELOW, slot]
                elif op == NO_ENTRIES:
                    at, number = _long(body, at, end)
                    if at < 0 or number != 0:
                        phase = _ODD
                        continue
                    kinds[used], sizes[used] = OBJECT, 0
                else:
                    depth += 1
                    parents[depth], opened[depth], current[depth] = node, used, slot
                    kinds[used], sizes[used] = OBJECT if op == RECORD else ARRAY, 0
                    remaining[depth] = -1 if op == RECORD else 0
                    slot = slots[BELOW, slot]
                    phase = _BLOCK if op == LIST else _FIELD
                    if op == LIST and slots[NODE, slot] == 0:
                        state[AT_RECORD], state[PLACES] = record, begun
                        state[LENGTH], state[PARENT] = slot, node
                        return NEW_ELEMENTS
                used += 1
            elif phase == _FIELD:
                if slot == 0:
                    depth -= 1
                    phase = _NEXT
                    continue
                node = slots[NODE, slot]
                if node <= 0:
                    if node < 0:
                        phase = _ODD
                        continue
                    state[AT_RECORD], state[PLACES] = record, begun
                    state[LENGTH], state[PARENT] = slot, parents[depth]
                    return NEW_KEY
                current[depth] = slot
                sizes[opened[depth]] += 1
                if slots[SHAPED, slot]:
                    all_paths += hashes[node]
                    if slots[SHAPED, slot] == 2:
                        some_paths += hashes[node]
                phase = _VALUE
            elif phase == _BLOCK:
                at, number = _long(body, at, end)
                if number < 0 and at >= 0:
                    number = -number
                    at, _ = _long(body, at, end)
                # An element takes a byte at least.
                if at < 0 or number > end - at or number < 0:
                    phase = _ODD
                elif number == 0:
                    depth -= 1
                    phase = _NEXT
                else:
                    remaining[depth] = number
                    sizes[opened[depth]] += number
                    slot = slots[BELOW, current[depth]]
                    node = slots[NODE, slot]
                    phase = _VALUE
            elif depth < 0:
                phase = _END if at == end else _ODD
            elif remaining[depth] < 0:
                slot = slots[NEXT_FIELD, current[depth]]
                phase = _FIELD
            else:
                remaining[depth] -= 1
                slot = slots[BELOW, current[depth]]
                node = slots[NODE, slot]
                phase = _VALUE if remaining[depth] else _BLOCK
        odd[record] = phase == _ODD
        if phase == _ODD:
            used = begun
        shapes[record], coarse[record] = all_paths, some_paths
        record += 1
    state[AT_RECORD], state[PLACES] = record, used
    return DONE
