"""The walk: JSON bodies to a tape, compiled by numba.

A strict reader of RFC 8259: what it takes has the value that orjson gives. It leaves alone whatever needs a second look,
and the exact reader takes such bodies: keys with escapes, keys twice in an object, halves of surrogate pairs, invalid
UTF-8, numbers beyond 64 bits or with more digits than a double holds, documents deeper than `DEEPEST`, and everything
that is not a document. Bodies are joined by NUL bytes, which no JSON holds, so that no loop has to ask where a body ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from scanners.tape.compiled import compiled, inlined
from scanners.tape.opcodes import (
    ARRAY,
    AT,
    DEEPEST,
    DONE,
    ELEMENTS,
    ESCAPED,
    FALSE,
    FIRST,
    GUESS,
    HEAD,
    KEY_AT,
    KEY_LENGTH,
    LENGTH,
    NEW_ELEMENTS,
    NEW_KEY,
    NEXT,
    NULL,
    OBJECT,
    OPEN,
    PARENT,
    PLACES,
    RECORD,
    SEEN,
    SERIAL,
    TAPE_FULL,
    TEXT,
    TRUE,
)
from scanners.tape.tokens import blanks, number, text

_VALUE, _KEY, _AFTER, _ODD, _END = range(5)


@inlined
def _is_key(body: Any, at: int, keys: Any, begin: int, length: int) -> bool:
    """Whether the text after a quote at `at` is this key, with the quote that ends it."""
    for place in range(length):
        if body[at + 1 + place] != keys[begin + place]:
            return False
    return bool(body[at + 1 + length] == 34)


@compiled
def _child(body: Any, at: int, length: int, keys: Any, table: Any, parent: int) -> int:
    """The node of a key by looking at all that are known, or 0."""
    child = table[HEAD, parent]
    while child:
        if table[KEY_LENGTH, child] == length and _is_key(body, at, keys, table[KEY_AT, child], length):
            return int(child)
        child = table[NEXT, child]
    return 0


@compiled
def walk(
    body: Any,
    starts: Any,
    keys: Any,
    table: Any,
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
    """Continue from `state` until all bodies are on the tape, or something is missing; returns which (`words`).

    body, starts                     joined bodies, where each begins and, one past the last, where another would
    keys, table, hashes              UTF-8 of all keys; `words.TABLE` rows of int64 and the hash of its path, a node a column
    nodes, rows, kinds, places, sizes, numbers, doubles   the tape, a value a place: its node, body and kind; where a text or
                                     long double begins and its bytes, or how many entries a container has; its number
    odd, shapes, coarse              a body each: whether it is left alone; sums of the hashes of its paths
    """
    parents = np.zeros(DEEPEST + 1, np.int64)
    before = np.zeros(DEEPEST + 1, np.int64)
    opened = np.zeros(DEEPEST + 1, np.int64)
    serials = np.zeros(DEEPEST + 1, np.int64)
    is_object = np.zeros(DEEPEST + 1, np.bool_)
    shaped = np.zeros(DEEPEST + 1, np.bool_)
    last = len(starts) - 1
    room = len(nodes) - 1
    record, used, serial = state[RECORD], state[PLACES], state[SERIAL]
    while record < last:
        at, begun = starts[record], used
        depth, node, all_paths, some_paths = -1, 0, np.uint64(0), np.uint64(0)
        phase = _VALUE if body[at] == 123 or body[at] == 91 else _ODD
        while phase < _ODD:
            if phase == _KEY:
                at = blanks(body, at)
                parent = parents[depth]
                known = before[depth]
                guess = table[FIRST, parent] if known == 0 else table[GUESS, known]
                if body[at] == 34 and guess and _is_key(body, at, keys, table[KEY_AT, guess], table[KEY_LENGTH, guess]):
                    node = guess
                    at += table[KEY_LENGTH, guess] + 2
                else:
                    if body[at] != 34:
                        phase = _ODD
                        continue
                    after, escaped = text(body, at)
                    if after < 0 or escaped:
                        phase = _ODD
                        continue
                    node = _child(body, at, after - at - 2, keys, table, parent)
                    if node == 0:
                        if table[OPEN, parent]:
                            phase = _ODD
                            continue
                        state[RECORD], state[PLACES], state[SERIAL] = record, begun, serial
                        state[AT], state[LENGTH], state[PARENT] = at + 1, after - at - 2, parent
                        return NEW_KEY
                    if known == 0:
                        table[FIRST, parent] = node
                    else:
                        table[GUESS, known] = node
                    at = after
                if table[SEEN, node] == serials[depth]:
                    phase = _ODD
                    continue
                table[SEEN, node] = serials[depth]
                before[depth] = node
                sizes[opened[depth]] += 1
                if shaped[depth]:
                    all_paths += hashes[node]
                    if depth <= 1:
                        some_paths += hashes[node]
                at = blanks(body, at)
                if body[at] != 58:
                    phase = _ODD
                    continue
                at += 1
                phase = _VALUE
            elif phase == _VALUE:
                at = blanks(body, at)
                if used >= room:
                    state[RECORD], state[PLACES], state[SERIAL] = record, begun, serial
                    return TAPE_FULL
                byte = body[at]
                nodes[used], rows[used] = node, record
                phase = _AFTER
                if byte == 34:
                    after, escaped = text(body, at)
                    kinds[used], places[used], sizes[used] = ESCAPED if escaped else TEXT, at + 1, after - at - 2
                    at = after
                elif byte == 123 or byte == 91:
                    depth += 1
                    if depth >= DEEPEST:
                        phase = _ODD
                        continue
                    serial += 1
                    parents[depth], before[depth], opened[depth], serials[depth] = node, 0, used, serial
                    is_object[depth] = byte == 123
                    shaped[depth] = is_object[depth] and (depth == 0 or shaped[depth - 1])
                    kinds[used], sizes[used] = OBJECT if byte == 123 else ARRAY, 0
                    if byte == 91 and table[ELEMENTS, node] == 0:
                        state[RECORD], state[PLACES], state[SERIAL] = record, begun, serial
                        state[PARENT] = node
                        return NEW_ELEMENTS
                    at = blanks(body, at + 1)
                    if body[at] == byte + 2:
                        at += 1
                        depth -= 1
                    elif byte == 123:
                        phase = _KEY
                    else:
                        sizes[used] = 1
                        node = table[ELEMENTS, node]
                        phase = _VALUE
                elif byte == 45 or 48 <= byte <= 57:
                    after, kind, whole, double = number(body, at)
                    kinds[used], places[used], sizes[used] = kind, at, after - at
                    numbers[used], doubles[used] = whole, double
                    # The exact reader keeps no sign of an integer zero, nor does this one.
                    at = after
                elif byte == 116 and body[at + 1] == 114 and body[at + 2] == 117 and body[at + 3] == 101:
                    kinds[used] = TRUE
                    at += 4
                elif (
                    byte == 102
                    and body[at + 1] == 97
                    and body[at + 2] == 108
                    and body[at + 3] == 115
                    and body[at + 4] == 101
                ):
                    kinds[used] = FALSE
                    at += 5
                elif byte == 110 and body[at + 1] == 117 and body[at + 2] == 108 and body[at + 3] == 108:
                    kinds[used] = NULL
                    at += 4
                else:
                    at = -1
                used += 1
                if at < 0:
                    phase = _ODD
            else:
                at = blanks(body, at)
                if depth < 0:
                    phase = _END if at == starts[record + 1] - 1 else _ODD
                elif body[at] == 44:
                    at += 1
                    if is_object[depth]:
                        phase = _KEY
                    else:
                        sizes[opened[depth]] += 1
                        node = table[ELEMENTS, parents[depth]]
                        phase = _VALUE
                elif body[at] == (125 if is_object[depth] else 93):
                    at += 1
                    depth -= 1
                else:
                    phase = _ODD
        odd[record] = phase == _ODD
        if phase == _ODD:
            used = begun
        shapes[record], coarse[record] = all_paths, some_paths
        record += 1
    state[RECORD], state[PLACES], state[SERIAL] = record, used, serial
    return DONE
