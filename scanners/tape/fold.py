"""What a walk found, into nodes: the same numbers that `scanners.columns.profiler` counts of Python's values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from scanners.columns.scalar_columns import ScalarColumns
from scanners.sketch.nodes import First
from scanners.tape import columns, hll_filter
from scanners.tape.columns import COUNT, EARLIEST, FILLED, LARGEST, SMALLEST
from scanners.tape.opcodes import (
    ARRAY,
    DOUBLE,
    ESCAPED,
    FALSE,
    INT32,
    INT64,
    KINDS,
    LONG_DOUBLE,
    NULL,
    OBJECT,
    TEXT,
    TRUE,
)
from scanners.tape.reader import Paths, Walked
from scanners.tape.values import Values

_TYPES = {
    NULL: "null",
    FALSE: "boolean",
    TRUE: "boolean",
    DOUBLE: "double",
    LONG_DOUBLE: "double",
    INT32: "int32",
    INT64: "int64",
    TEXT: "string",
    ESCAPED: "string",
    OBJECT: "object",
    ARRAY: "array",
}
_SEED = np.uint64(np.random.default_rng().integers(1, 2**63))


class Fold:
    """One batch: statistics by node at once, then node by node what needs Python.

    `records` are the records of the bodies, `places` those of all records of the batch, which rise when they are `in_order`.
    """

    def __init__(
        self, paths: Paths, walked: Walked, records: Sequence[int], places: Sequence[First], in_order: bool
    ) -> None:
        self._paths = paths
        self._walked = walked
        self._records = np.array(records, np.int64)
        self._places = places
        self._by_place: Sequence[int] = range(len(places))
        ranks = self._records
        if not in_order:
            self._by_place = sorted(self._by_place, key=places.__getitem__)
            rank_of = np.empty(len(places), np.int64)
            rank_of[self._by_place] = np.arange(len(places))
            ranks = rank_of[self._records]
        self._statistics, self._order, self._ends = columns.by_node(
            walked.nodes, walked.rows, walked.kinds, walked.sizes, ranks, len(paths.nodes)
        )

    def count(self) -> None:
        """Count all values by type, and the sizes of objects and arrays; the profiler counts what Python made."""
        for number, statistics in self._met():
            node = self._paths.nodes[number]
            node.count += sum(statistics[COUNT : COUNT + KINDS])
            for kind in range(KINDS):
                if statistics[COUNT + kind] and kind in _TYPES:
                    node.seen(
                        _TYPES[kind],
                        statistics[COUNT + kind],
                        self._places[self._by_place[statistics[EARLIEST + kind]]],
                    )
            if statistics[COUNT + OBJECT] or statistics[COUNT + ARRAY]:
                node.widen("sizes", statistics[SMALLEST], statistics[LARGEST])
                node.filled += statistics[FILLED]

    def scalars(self, into: ScalarColumns) -> None:
        """Hand over the scalars, column by column."""
        walked = self._walked
        self._read_long_doubles()
        which, counts, starts, numbering = columns.different(
            walked.body, walked.kinds, walked.places, walked.sizes, walked.numbers, self._order, self._ends, _SEED
        )
        values = Values(walked, which, counts, starts)
        for number, statistics in self._met():
            node, names = self._paths.nodes[number], self._paths.names[number]
            if statistics[FALSE] or statistics[TRUE]:
                into.booleans(node, statistics[TRUE], statistics[FALSE], partial(self._listed_booleans, number))
            if statistics[DOUBLE] or statistics[LONG_DOUBLE]:
                doubles = columns.doubles_of(walked.kinds, walked.doubles, self._order, self._ends, number)
                into.floats(node, doubles, hll_filter.integers)
            if statistics[INT32] or statistics[INT64]:
                into.integers(node, names, values.integers(number))
            if statistics[TEXT] or statistics[ESCAPED]:
                listed = partial(self._listed_texts, values, numbering, number, int(starts[number]))
                into.texts(node, names, self._paths.depths[number], values.texts(number), listed)

    def _met(self) -> list[tuple[int, list[int]]]:
        met = np.flatnonzero(self._statistics[:, COUNT : COUNT + KINDS].any(axis=1))
        return list(zip(met.tolist(), self._statistics[met].tolist(), strict=True))

    def _read_long_doubles(self) -> None:
        walked = self._walked
        for place in np.flatnonzero(walked.kinds == LONG_DOUBLE).tolist():
            at = walked.places[place]
            walked.doubles[place] = float(walked.body[at : at + walked.sizes[place]].tobytes())

    def _listed_texts(self, values: Values, numbering: Any, number: int, start: int) -> tuple[list[str], list[int]]:
        places = self._order[self._ends[number] : self._ends[number + 1]]
        kinds = self._walked.kinds[places]
        textual = (kinds == TEXT) | (kinds == ESCAPED)
        at = numbering[self._ends[number] : self._ends[number + 1]][textual] - start
        return list(map(values.listed(number).__getitem__, at.tolist())), self._records_of(places[textual])

    def _listed_booleans(self, number: int) -> tuple[list[str], list[int]]:
        places = self._order[self._ends[number] : self._ends[number + 1]]
        kinds = self._walked.kinds[places]
        boolean = (kinds == TRUE) | (kinds == FALSE)
        texts = ["true" if kind == TRUE else "false" for kind in kinds[boolean].tolist()]
        return texts, self._records_of(places[boolean])

    def _records_of(self, places: Any) -> list[int]:
        records: list[int] = self._records[self._walked.rows[places]].tolist()
        return records
