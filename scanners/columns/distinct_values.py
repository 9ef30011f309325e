"""The different texts or integers of a column, and what is asked of them; here as Python has them.

`scanners.tape.values` has the same of what compiled code read, without making Python objects of it. In Spark's workers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from scanners.containers.text_forms import forms_of

_INT64 = 2**63


class Texts(Protocol):
    """Different texts."""

    def counts(self) -> Mapping[str, int]:
        """How often each is there."""
        ...

    def lengths(self) -> tuple[int, int]:
        """Characters of the shortest and the longest."""
        ...

    def forms(self) -> Mapping[str, int]:
        """How many texts have which form (`scanners.containers.text_forms`)."""
        ...

    def telling(self, sketch: Any, salt: str, /) -> Iterable[str]:
        """Those that a distinct estimate has to be fed, each as soon as it comes, after the salt."""
        ...


class Integers(Protocol):
    """Different integers."""

    def counts(self) -> Mapping[int, int]:
        """How often each is there."""
        ...

    def extent(self) -> tuple[int, int, int]:
        """The lowest, the highest, and the smallest size."""
        ...

    def telling(self, sketch: Any, key: int, /) -> Iterable[int]:
        """Those of 64 bits that a distinct estimate has to be fed, each as soon as it comes, by exclusive or with the key."""
        ...

    def long(self) -> Iterable[int]:
        """Those beyond 64 bits."""
        ...


class CountedTexts:
    """Texts that are in Python already, each with how often it is there."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts

    def counts(self) -> Mapping[str, int]:
        return self._counts

    def lengths(self) -> tuple[int, int]:
        sizes = list(map(len, self._counts))
        return min(sizes), max(sizes)

    def forms(self) -> Mapping[str, int]:
        return forms_of(self._counts)

    def telling(self, _sketch: Any, _salt: str) -> Iterable[str]:
        return self._counts


class ListedIntegers:
    """Integers of any size that are in Python already, one by one."""

    def __init__(self, values: Sequence[int]) -> None:
        self._values = values
        self._different = set(values)

    def counts(self) -> Mapping[int, int]:
        return Counter(self._values)

    def extent(self) -> tuple[int, int, int]:
        different = self._different
        low, high = min(different), max(different)
        return low, high, 0 if 0 in different else low if low > 0 else min(map(abs, different))

    def telling(self, _sketch: Any, _key: int) -> Iterable[int]:
        return self._different.difference(self.long())

    def long(self) -> Iterable[int]:
        low, high, _ = self.extent()
        return {v for v in self._different if not -_INT64 <= v < _INT64} if low < -_INT64 or high >= _INT64 else ()
