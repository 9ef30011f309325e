"""The different texts and integers of a batch as compiled code found them; Python objects are made of what is asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
import orjson
import pyarrow

from scanners.columns import scalars
from scanners.columns.distinct_values import CountedTexts, Texts
from scanners.columns.scalars import Distinct
from scanners.containers.text_forms import FEW, forms_of_column
from scanners.sketch.nodes import Node
from scanners.tape import hll_filter
from scanners.tape.opcodes import ESCAPED, INT32, INT64, TEXT
from scanners.tape.raw import characters, gathered
from scanners.tape.reader import Walked

_V = TypeVar("_V", str, int)


class Values:
    """The different texts and integers of a batch, node by node.

    walked    the tape
    which     their places on it; `starts` has where each node's begin in it and, one past the last, where another's would
    counts    how often each is there
    """

    def __init__(self, walked: Walked, which: Any, counts: Any, starts: Any) -> None:
        self._walked, self._which, self._counts, self._starts = walked, which, counts, starts.tolist()
        self._kinds = walked.kinds[which]
        plain = self._kinds == TEXT
        # How many texts without escapes are before each.
        self._before = np.zeros(len(which) + 1, np.int64)
        np.cumsum(plain, out=self._before[1:])
        places = which[plain]
        self._held, self._offsets = gathered(walked.body, walked.places[places], walked.sizes[places])
        self._plain = _arrow(self._held, self._offsets)

    def texts(self, node: int) -> Texts:
        """A node's texts."""
        begin, end = self._starts[node], self._starts[node + 1]
        first, last = int(self._before[begin]), int(self._before[end])
        textual = (self._kinds[begin:end] == TEXT) | (self._kinds[begin:end] == ESCAPED)
        counts = self._counts[begin:end]
        if last - first <= FEW or np.count_nonzero(textual) > last - first:
            values = [value for value in self.listed(node) if type(value) is str]
            return CountedTexts(_counted(values, counts[textual].tolist()))
        return PlainTexts(
            self._plain[first:last],
            self._held,
            self._offsets[first : last + 1],
            counts if last - first == end - begin else counts[textual],
        )

    def integers(self, node: int) -> DifferentIntegers:
        """A node's integers."""
        begin, end = self._starts[node], self._starts[node + 1]
        kinds, numbers = self._kinds[begin:end], self._walked.numbers[self._which[begin:end]]
        whole = (kinds == INT32) | (kinds == INT64)
        if whole.all():
            return DifferentIntegers(numbers, self._counts[begin:end])
        return DifferentIntegers(numbers[whole], self._counts[begin:end][whole])

    def listed(self, node: int) -> list[Any]:
        """A node's texts and integers, as they are numbered."""
        begin, end = self._starts[node], self._starts[node + 1]
        texts: list[Any] = self._plain[int(self._before[begin]) : int(self._before[end])].to_pylist()
        if len(texts) == end - begin:
            return texts
        walked, which, kinds = self._walked, self._which[begin:end], self._kinds[begin:end]
        values: list[Any] = walked.numbers[which].tolist()
        for index, text in zip(np.flatnonzero(kinds == TEXT).tolist(), texts, strict=True):
            values[index] = text
        for index in np.flatnonzero(kinds == ESCAPED).tolist():
            at = walked.places[which[index]]
            values[index] = orjson.loads(walked.body[at - 1 : at + walked.sizes[which[index]] + 1].tobytes())
        return values


class PlainTexts:
    """Texts of one node without escapes.

    column           an Arrow array of them; `weights` is a numpy array of how often each is there
    content, offsets   their bytes, and where each begins in them and, one past the last, where another would
    """

    def __init__(self, column: Any, content: Any, offsets: Any, weights: Any) -> None:
        self._column, self._held, self._offsets, self._weights = column, content, offsets, weights
        self._counts: Mapping[str, int] | None = None

    def counts(self) -> Mapping[str, int]:
        if self._counts is None:
            self._counts = dict(zip(self._column.to_pylist(), self._weights.tolist(), strict=True))
        return self._counts

    def lengths(self) -> tuple[int, int]:
        fewest, most = characters(self._held, self._offsets)
        return int(fewest), int(most)

    def forms(self) -> Mapping[str, int]:
        return forms_of_column(self._column, self._weights)

    def telling(self, sketch: Any, salt: str) -> Iterable[str]:
        return hll_filter.texts(sketch, salt, self._column, self._held, self._offsets)


class DifferentIntegers:
    """Integers of one node: numpy arrays of them and of how often each is there."""

    def __init__(self, numbers: Any, weights: Any) -> None:
        self._numbers, self._weights = numbers, weights

    def counts(self) -> Mapping[int, int]:
        return _counted(self._numbers.tolist(), self._weights.tolist())

    def extent(self) -> tuple[int, int, int]:
        # The size of the lowest integer there is needs the 64th bit.
        sizes = np.abs(self._numbers).view(np.uint64)
        return int(self._numbers.min()), int(self._numbers.max()), int(sizes.min())

    def telling(self, sketch: Any, key: int) -> Iterable[int]:
        return hll_filter.integers(sketch, key, self._numbers)

    def long(self) -> Iterable[int]:
        return ()


def _arrow(content: Any, offsets: Any) -> Any:
    return pyarrow.LargeStringArray.from_buffers(
        len(offsets) - 1, pyarrow.py_buffer(offsets), pyarrow.py_buffer(content)
    )


def tried() -> None:
    """Run what a column of a few values does not come to, so that it is compiled."""
    body = np.frombuffer(b"".join(b"%03d" % number for number in range(200)), np.uint8)
    content, offsets = gathered(body, np.arange(0, 600, 3, dtype=np.int32), np.full(200, 3, np.int32))
    distinct, node, weights = Distinct(""), Node(), np.ones(200, np.int64)
    for _ in range(2):
        scalars.texts(node, PlainTexts(_arrow(content, offsets), content, offsets, weights), distinct)
        scalars.integers(node, DifferentIntegers(np.arange(200), weights), distinct)
        scalars.floats(node, np.arange(200.0), distinct, hll_filter.integers)


def _counted(values: Sequence[_V], often: Sequence[int]) -> dict[_V, int]:
    """Value -> how often; two texts may be one but for escapes, and two integers but for their kinds."""
    counts = dict(zip(values, often, strict=True))
    if len(counts) < len(values):
        counts = dict.fromkeys(values, 0)
        for value, count in zip(values, often, strict=True):
            counts[value] += count
    return counts
