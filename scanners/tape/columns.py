"""From the tape to columns: values by node, each different text and integer once; compiled by numba."""

from __future__ import annotations

from typing import Any

import numpy as np

from scanners.tape.compiled import compiled
from scanners.tape.opcodes import DOUBLE, ESCAPED, INT32, INT64, KINDS, LONG_DOUBLE, OBJECT, TEXT
from scanners.tape.raw import hashed, same

COUNT, EARLIEST, SMALLEST, LARGEST, FILLED = 0, KINDS, 2 * KINDS, 2 * KINDS + 1, 2 * KINDS + 2
"""Columns of the statistics of a node: values by kind, the earliest record by kind (its rank), fewest and most entries of
containers, and how many containers are not empty."""
STATISTICS = 2 * KINDS + 3

_NEVER = np.iinfo(np.int64).max


@compiled
def by_node(nodes: Any, rows: Any, kinds: Any, sizes: Any, ranks: Any, width: int) -> Any:
    """(statistics, order, ends): numbers of each of `width` nodes; the tape's places by node, and where each node's end.

    nodes, rows, kinds, sizes    the tape, as far as it is filled
    ranks                        of each record: how many are earlier
    """
    statistics = np.zeros((width, STATISTICS), np.int64)
    for node in range(width):
        for kind in range(KINDS):
            statistics[node, EARLIEST + kind] = _NEVER
        statistics[node, SMALLEST] = _NEVER
    ends = np.zeros(width + 1, np.int64)
    for place in range(len(nodes)):
        node, kind = nodes[place], kinds[place]
        row = statistics[node]
        row[COUNT + kind] += 1
        row[EARLIEST + kind] = min(row[EARLIEST + kind], ranks[rows[place]])
        if kind >= OBJECT:
            size = sizes[place]
            row[SMALLEST] = min(row[SMALLEST], size)
            row[LARGEST] = max(row[LARGEST], size)
            if size:
                row[FILLED] += 1
        else:
            ends[node + 1] += 1
    for node in range(width):
        ends[node + 1] += ends[node]
    filled = ends[:-1].copy()
    order = np.empty(ends[width], np.int64)
    for place in range(len(nodes)):
        if kinds[place] < OBJECT:
            node = nodes[place]
            order[filled[node]] = place
            filled[node] += 1
    return statistics, order, ends


@compiled
def different(body: Any, kinds: Any, places: Any, sizes: Any, numbers: Any, order: Any, ends: Any, seed: Any) -> Any:
    """(which, counts, starts, numbering): the first place of each different text or integer of a node, and how often
    it is there; where each node's begin in those; and of each place in `order` the number of its text or integer, or -1.

    `seed` makes collisions of hashes unforeseeable.
    """
    width = len(ends) - 1
    most = 0
    for node in range(width):
        most = max(most, ends[node + 1] - ends[node])
    slots = 16
    while slots < 2 * most:
        slots *= 2
    taken = np.full(slots, -1, np.int64)
    owner = np.full(slots, -1, np.int64)
    which = np.empty(len(order), np.int64)
    counts = np.empty(len(order), np.int64)
    numbering = np.empty(len(order), np.int64)
    starts = np.zeros(width + 1, np.int64)
    distinct = 0
    for node in range(width):
        starts[node] = distinct
        for index in range(ends[node], ends[node + 1]):
            place = order[index]
            kind = kinds[place]
            textual = kind in (TEXT, ESCAPED)
            if not textual and kind != INT32 and kind != INT64:
                numbering[index] = -1
                continue
            if textual:
                mixed = hashed(body, places[place], sizes[place]) ^ np.uint64(kind)
            else:
                mixed = np.uint64(numbers[place]) ^ np.uint64(0x5851F42D4C957F2D)
            mixed = (mixed ^ seed) * np.uint64(0xC4CEB9FE1A85EC53)
            mixed ^= mixed >> np.uint64(33)
            slot = np.int64(mixed & np.uint64(slots - 1))
            number = -1
            while owner[slot] == node:
                known = which[taken[slot]]
                if kinds[known] == kind and (
                    (sizes[known] == sizes[place] and same(body, places[known], places[place], sizes[place]))
                    if textual
                    else numbers[known] == numbers[place]
                ):
                    number = taken[slot]
                    break
                slot = (slot + 1) & (slots - 1)
            if number < 0:
                number = distinct
                taken[slot], owner[slot] = number, node
                which[number], counts[number] = place, 0
                distinct += 1
            counts[number] += 1
            numbering[index] = number
    starts[width] = distinct
    return which[:distinct], counts[:distinct], starts, numbering


@compiled
def doubles_of(kinds: Any, doubles: Any, order: Any, ends: Any, node: int) -> Any:
    """The doubles of a node, in the order of the tape."""
    values = np.empty(ends[node + 1] - ends[node], np.float64)
    count = 0
    for index in range(ends[node], ends[node + 1]):
        place = order[index]
        if kinds[place] == DOUBLE or kinds[place] == LONG_DOUBLE:
            values[count] = doubles[place]
            count += 1
    return values[:count]
