"""A quick pass of many patterns over all texts of a column at once, by hyperscan where it is installed."""

from __future__ import annotations

import logging
import re
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate
from typing import Any

_FEW = 256
"""Places that are looked up one by one; numpy takes longer to begin and less for each."""


class QuickSet:
    """Which of many patterns may occur in which texts, in one pass over all of them. A text ends with a line break.

    hyperscan when it is installed (x86 and arm64 have wheels), else `re` per pattern and text.
    """

    def __init__(self, patterns: Iterable[bytes]) -> None:
        self._patterns = list(patterns)
        self._plain = [re.compile(p.replace(rb"\b", rb"")) for p in self._patterns]
        self._database = compiled(self._patterns)

    def find(self, texts: Sequence[str], together: str | None = None) -> dict[int, list[int]]:
        """Pattern number -> numbers of the texts, ascending. `together`: the texts with a line break behind each."""
        if not self._patterns:
            return {}
        if self._database is None:
            bodies = list(map(_body, texts))
            return {
                number: where
                for number, pattern in enumerate(self._plain)
                if (where := [i for i, body in enumerate(bodies) if pattern.search(body)])
            }
        whole = "\n".join((*texts, "")) if together is None else together
        if whole.isascii():
            return _where(self._database, whole.encode(), lambda: [len(t) + 1 for t in texts])
        return where_hits(self._database, list(map(_body, texts)))


def _body(text: str) -> bytes:
    return text.encode("utf-8", "replace") + b"\n"


class PatternDatabase:
    """hyperscan's database of some patterns. Its working memory serves one thread at a time, so threads take turns."""

    def __init__(self, database: Any) -> None:
        self._database = database
        self._turn = threading.Lock()

    def stops(self, whole: bytes) -> dict[int, list[int]]:
        """Pattern number -> where in the text its matches end."""
        stops: dict[int, list[int]] = defaultdict(list)

        def hit(number: int, _start: int, end: int, _flags: int, _context: Any) -> None:
            stops[number].append(end)

        with self._turn:
            self._database.scan(whole, match_event_handler=hit)
        return stops


def where_hits(database: PatternDatabase, bodies: Sequence[bytes]) -> dict[int, list[int]]:
    """Pattern number -> numbers of the bodies in which hyperscan saw a match end, ascending."""
    return _where(database, b"".join(bodies), lambda: list(map(len, bodies)))


def _where(database: PatternDatabase, whole: bytes, lengths: Callable[[], list[int]]) -> dict[int, list[int]]:
    """The same for bodies that are joined in one text; their lengths are computed only when there is a match."""
    stops = database.stops(whole)
    if not stops:
        return {}
    ends = list(accumulate(lengths()))
    if max(map(len, stops.values())) <= _FEW:
        return {number: sorted({bisect_left(ends, place) for place in stops[number]}) for number in sorted(stops)}
    return {number: _numbers(ends, stops[number]) for number in sorted(stops)}


def _numbers(ends: list[int], places: list[int]) -> list[int]:
    import numpy

    numbers = numpy.sort(numpy.searchsorted(numpy.array(ends), numpy.array(places)))
    fresh = numpy.ones(len(numbers), numpy.bool_)
    numpy.not_equal(numbers[1:], numbers[:-1], out=fresh[1:])
    bodies: list[int] = numbers[fresh].tolist()
    return bodies


def compiled(patterns: Sequence[bytes], flags: int = 0) -> PatternDatabase | None:
    """hyperscan's database of the patterns; None when it is not installed or cannot take one of them."""
    try:
        import hyperscan

        database = hyperscan.Database(mode=hyperscan.HS_MODE_BLOCK)
        count = len(patterns)
        database.compile(expressions=list(patterns), ids=list(range(count)), elements=count, flags=[flags] * count)
    except Exception:
        logging.getLogger(__name__).info("hyperscan cannot be used; patterns run one by one")
        return None
    return PatternDatabase(database)
