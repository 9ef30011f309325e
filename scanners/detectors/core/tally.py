"""Counting what a look at whole texts finds, and how many texts of a column are looked at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from zlib import crc32

from scanners.detectors.core.base import CANDIDATES, DISTINCT, TEXTS, VALID, VALID_TEXTS, WHOLE

BUCKETS = 16


def bucket(text: str) -> str:
    """A mark that a few texts share by chance: four bits of a checksum, which show how many kinds there are and none of them."""
    return f"kind_{crc32(text.encode('utf-8', 'replace')) % BUCKETS}"


def kinds(counters: Mapping[str, int], of: str = VALID_TEXTS) -> int:
    """How many buckets hold more than one in fifty of the texts."""
    least = 0.02 * max(1, counters.get(of, 0))
    return sum(counters.get(f"kind_{number}", 0) > least for number in range(BUCKETS))


class Group:
    """Counters of one key while a column is read."""

    __slots__ = ("_counts", "_distinct", "_marks", "_texts", "_valid")

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._texts = self._valid = self._distinct = 0
        self._marks: dict[str, int] = {}

    def add(self, text: str, valid: bool, *marks: str) -> None:
        count = self._counts[text]
        self._texts += count
        if valid:
            self._valid += count
            self._distinct += 1
        for mark in marks:
            self._marks[mark] = self._marks.get(mark, 0) + count

    def counters(self) -> Counter[str]:
        """Non-zero counters."""
        counters = Counter(self._marks)
        if self._texts:
            counters[TEXTS] = counters[CANDIDATES] = self._texts
        if self._distinct:
            counters[VALID_TEXTS] = counters[VALID] = counters[WHOLE] = self._valid
            counters[DISTINCT] = self._distinct
        return counters


MOST = 400
"""Texts of a column and batch that are looked at; shares known from so many are within 0.05 of the truth."""


def sampled(every: Mapping[str, int], most: int) -> Mapping[str, int]:
    """So many of the texts, from all over the column, with their counts."""
    step = len(every) // most
    return every if step <= 1 else {t: every[t] for t in list(every)[::step]}


def whole(counts: Mapping[str, int], fits: Callable[[str], bool], marks: tuple[str, ...] = ()) -> Counter[str]:
    """Counters of a column whose texts have to fit as a whole, blanks around them aside; `marks` of those that do."""
    group = Group(counts)
    for text in counts:
        if text:
            good = fits(text.strip())
            group.add(text, good, *(marks if good else ()))
    return group.counters()
