"""The baseline: BM25 on names and nothing else, as a first afternoon's work would do it (k1 1.2, b 0.75, Lucene's idf).

A dataset's document is the words of its name, a field's those of its dataset's name and of its path. Whatever is typed is
split at the same places; words that do not occur are passed over.
"""

from __future__ import annotations

import math
import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable
from heapq import nsmallest

from tests.search_set.judged import Place
from tests.search_set.planned import Planned

K1, B = 1.2, 0.75
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-zà-ÿ]+|\d+")


def words(text: str) -> list[str]:
    """`customer.giftEmail` -> customer, gift, email."""
    return [word.lower() for word in _WORDS.findall(text)]


class NamesOnly:
    """The index of all datasets and fields."""

    def __init__(self, datasets: Iterable[Planned]) -> None:
        self._places: list[Place] = []
        self._postings: dict[str, array[int]] = defaultdict(lambda: array("I"))
        self._lengths = array("H")
        for one in datasets:
            name = words(one.name)
            self._add((one.name, None), name)
            for path in one.paths():
                self._add((one.name, path), [*name, *words(path.removeprefix("value."))])
        self._mean = sum(self._lengths) / max(1, len(self._lengths))

    def _add(self, place: Place, of: list[str]) -> None:
        for word in of:
            self._postings[word].append(len(self._places))
        self._places.append(place)
        self._lengths.append(len(of))

    def search(self, q: str, limit: int = 10) -> list[Place]:
        """Best first; of those that fit alike, the one that was added first."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self._places)
        for word in set(words(q)):
            counted = Counter(self._postings[word]) if word in self._postings else {}
            idf = math.log(1 + (total - len(counted) + 0.5) / (len(counted) + 0.5))
            for document, times in counted.items():
                norm = K1 * (1 - B + B * self._lengths[document] / self._mean)
                scores[document] += idf * times * (K1 + 1) / (times + norm)
        best = nsmallest(limit, scores.items(), key=lambda item: (-item[1], item[0]))
        return [self._places[document] for document, _ in best]
