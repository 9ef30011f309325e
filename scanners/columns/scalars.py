"""What is counted of a column of scalars of one kind: lengths, forms, magnitudes, distinct values. Runs in Spark's workers."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from itertools import compress
from typing import Any
from uuid import UUID

from scanners.columns.distinct_values import Integers, Texts
from scanners.decode.formats import as_text
from scanners.sketch.nodes import Node

_NAMES = {
    bool: "boolean",
    bytes: "binary",
    bytearray: "binary",
    memoryview: "binary",
    datetime: "timestamp",
    date: "date",
    UUID: "uuid",
    time: "string",
    type(None): "null",
    float: "double",
    Decimal: "decimal",
}
_INT32 = 2**31
_INT64 = 2**63

NUMBERS_LOOKED_AT = 10_000_000
"""Card, phone and identity numbers are sometimes sent as numbers; smaller ones are none."""


def name_of(kind: type) -> str:
    """The type's name in a profile."""
    return _NAMES.get(kind, "string")


Telling = Callable[[Any, int, Any], Iterable[int]]
"""(sketch, key, numpy array of int64): those that the sketch has to be fed, by exclusive or with the key."""


def every(_sketch: Any, _key: int, numbers: Any) -> Iterable[int]:
    """All numbers, where there is no compiled code to select some."""
    values: list[int] = numbers.tolist()
    return values


class Distinct:
    """Feeds the distinct estimates, under a key so that nobody can look a value up in one."""

    def __init__(self, salt: str) -> None:
        self._salt = salt
        self._number = int.from_bytes(salt.encode()[:7].ljust(7, b"\x5a"), "big")

    def texts(self, node: Node, texts: Iterable[str]) -> None:
        deque(map(node.distinct_sketch().update, map(self._salt.__add__, texts)), maxlen=0)

    def integers(self, node: Node, numbers: Iterable[int]) -> None:
        """Integers of 64 bits."""
        deque(map(node.distinct_sketch().update, map(self._number.__xor__, numbers)), maxlen=0)

    def texts_of(self, node: Node, column: Texts) -> None:
        """The different texts of a column."""
        self.texts(node, column.telling(node.distinct_sketch(), self._salt))

    def integers_of(self, node: Node, column: Integers) -> None:
        """The integers of 64 bits of a column."""
        self.integers(node, column.telling(node.distinct_sketch(), self._number))

    def numbers(self, node: Node, numbers: Any, telling: Telling) -> None:
        """A numpy array of integers of 64 bits."""
        self.integers(node, telling(node.distinct_sketch(), self._number, numbers))


def texts(node: Node, column: Texts, distinct: Distinct) -> Mapping[str, int]:
    """Count texts; returns how many have which form."""
    node.widen("lengths", *column.lengths())
    distinct.texts_of(node, column)
    forms = column.forms()
    for form, count in forms.items():
        node.formats[form] = node.formats.get(form, 0) + count
    return forms


def widths(values: Sequence[int], rows: Sequence[int]) -> dict[str, Sequence[int]]:
    """The rows of each width of integer."""
    low, high = min(values), max(values)
    if low >= -_INT32 and high < _INT32:
        return {"int32": rows}
    rows_of: dict[str, list[int]] = {}
    for value, row in zip(values, rows, strict=True):
        kind = "int32" if -_INT32 <= value < _INT32 else "int64" if -_INT64 <= value < _INT64 else "integer"
        rows_of.setdefault(kind, []).append(row)
    return dict(rows_of)


def integers(node: Node, column: Integers, distinct: Distinct) -> int:
    """Count integers; returns the largest size among them."""
    low, high, smallest = column.extent()
    largest = max(abs(low), abs(high))
    node.add_numbers(_digits(smallest) - 1, _digits(largest) - 1, low < 0, _digits(largest), 0, 0)
    if largest >= _INT64:
        distinct.texts(node, map(str, column.long()))
    distinct.integers_of(node, column)
    return largest


def others(node: Node, kind: type, values: Sequence[Any], distinct: Distinct) -> Mapping[str, int] | None:
    """Count scalars of any other kind; returns the texts a detector should see."""
    if kind is type(None):
        return None
    if kind is Decimal:
        _decimals(node, values)
    distinct.texts(node, set(map(str, values)))
    if name_of(kind) == "binary":
        return _bytes(node, values)
    return Counter(v.isoformat() for v in values) if kind is date else None


def doubles(values: Sequence[float]) -> Any:
    """A numpy array of them."""
    import numpy

    return numpy.fromiter(values, numpy.float64, len(values))


def floats(node: Node, column: Any, distinct: Distinct, telling: Telling) -> None:
    """Count a numpy array of doubles."""
    import numpy

    finite = column[numpy.isfinite(column)]
    if len(finite):
        sizes = numpy.abs(finite)
        low, high = float(sizes.min()), float(sizes.max())
        exponents = [_exponent(low), _exponent(high)]
        if low == 0 < high:
            # The result for numbers is the same however they come together in batches.
            exponents.append(_exponent(float(sizes[sizes > 0].min())))
        places = _places(sizes, node.numbers[4] if node.numbers else 0)
        node.add_numbers(min(exponents), max(exponents), float(finite.min()) < 0, 0, places, len(column) - len(finite))
    else:
        node.add_not_finite(len(column))
    # 0.0 and -0.0 are one number; every NaN is written alike.
    distinct.numbers(node, (numpy.where(numpy.isnan(column), numpy.nan, column) + 0.0).view(numpy.int64), telling)


_INTEGRAL = 2.0**53
"""From here on every double is an integer."""
_COUNTED = 15
"""Places behind the point up to which they are counted; beyond, a bound serves."""


def _places(sizes: Any, least: int) -> int:
    """The most places behind the point that the shortest texts of doubles (a numpy array, all positive) have.

    `least` is a number of places that were met before: most columns have no more.
    """
    import numpy

    left = sizes[sizes < _INTEGRAL]
    for places in (min(least, _COUNTED), *range(_COUNTED + 1)):
        scaled = left * 10.0**places
        # Dividing by a power of ten up to 10^22 rounds correctly, so equality means that the text has so many places.
        left = left[(scaled >= _INTEGRAL) | (numpy.rint(scaled) / 10.0**places != left)]
        if not len(left):
            return int(max(least, places))
    # A double's shortest text has at most 17 significant digits.
    return int(max(least, 16 - _exponent(float(left.min()))))


def _decimals(node: Node, values: Sequence[Decimal]) -> None:
    for value in values:
        if value.is_finite():
            _, digits, exponent = value.as_tuple()
            scale = max(0, -int(exponent))
            size = value.adjusted() if value else 0
            node.add_numbers(size, size, value < 0, max(len(digits) + max(0, int(exponent)), scale), scale, 0)
        else:
            node.add_not_finite(1)


def _bytes(node: Node, values: Sequence[Any]) -> Mapping[str, int]:
    """Bytes may be text all the same; what is not can be looked into by nobody."""
    sizes = list(map(len, values))
    node.widen("lengths", min(sizes), max(sizes))
    texts = list(map(as_text, map(bytes, values)))
    opaque = sum(map(bool, values)) - sum(map(bool, texts))
    if opaque:
        node.traits["opaque"] = node.traits.get("opaque", 0) + opaque
    return Counter(compress(texts, texts))  # type: ignore[arg-type]


def _digits(number: int) -> int:
    return len(str(number)) if number < 10**300 else 301


def _exponent(size: float) -> int:
    return math.floor(math.log10(size)) if size else 0
