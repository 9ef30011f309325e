"""A bounded cache of the patterns' verdicts on texts: batches of a column repeat most of its texts.

It holds hashes under a key of this process and outcomes; no text and no part of one.
"""

from __future__ import annotations

import secrets
from collections import defaultdict
from collections.abc import Mapping, Sequence

MOST = 20_000
"""Texts of one generation. Two-generation cache: entries unused for one generation are evicted."""
_REPEATED = 2
"""Times the texts of a column have to be there on average: what hardly repeats within a batch is not worth knowing."""

TextVerdict = tuple[int, int, bool, tuple[str, ...]] | None
"""A pattern's verdict on one text: candidates, valid ones, whether one is the whole text, marks; None: no candidate."""


class Outcome:
    """The numbers of the patterns whose quick pass stopped at a text, and the results of those that looked closely."""

    __slots__ = ("stops", "verdicts")

    def __init__(self, stops: tuple[int, ...]) -> None:
        self.stops = stops
        self.verdicts: dict[int, TextVerdict] = {}


_NOTHING = Outcome(())


class VerdictCache:
    """Outcomes by text. What an outcome holds may depend on nothing but the text."""

    def __init__(self, most: int = MOST) -> None:
        # A key of our own: that of `hash` is fixed where PYTHONHASHSEED is set, and then two texts with one hash can be made.
        self._key = secrets.token_hex(8)
        self._most = most
        self._young: dict[int, Outcome] = {}
        self._old: dict[int, Outcome] = {}

    def should_cache(self, weights: Mapping[str, int]) -> bool:
        return self._most > 0 and len(weights) * _REPEATED <= sum(weights.values())

    def hashes(self, texts: Sequence[str]) -> list[int]:
        return list(map(hash, map(self._key.__add__, texts)))

    def known(self, hashes: Sequence[int]) -> list[Outcome | None]:
        outcomes: list[Outcome | None] = list(map(self._young.get, hashes))
        if self._old and None in outcomes:
            for place, outcome in enumerate(outcomes):
                if outcome is None:
                    outcomes[place] = again = self._old.get(hashes[place])
                    if again is not None:
                        self._keep(hashes[place], again)
        return outcomes

    def add(self, hashes: Sequence[int], stopped: Mapping[int, Sequence[int]]) -> list[Outcome]:
        """The outcomes of texts with these hashes. `stopped`: pattern number -> numbers of the texts it stopped at."""
        count = len(hashes)
        # Texts of one column are alike: what stops at one stops at all, mostly.
        everywhere = tuple(number for number in sorted(stopped) if len(stopped[number]) == count)
        here: dict[int, list[int]] = defaultdict(list)
        for number in sorted(stopped.keys() - set(everywhere)):
            for place in stopped[number]:
                here[place].append(number)
        outcomes = [Outcome(everywhere) for _ in hashes] if everywhere else [_NOTHING] * count
        for place, numbers in here.items():
            outcomes[place] = Outcome((*everywhere, *numbers))
        if len(self._young) + count > self._most:
            self._old, self._young = self._young, {}
        self._young.update(zip(hashes, outcomes, strict=True))
        return outcomes

    def _keep(self, key: int, outcome: Outcome) -> None:
        if len(self._young) >= self._most:
            self._old, self._young = self._young, {}
        self._young[key] = outcome


def places(outcomes: Sequence[Outcome]) -> dict[int, list[int]]:
    """Pattern number -> numbers of the texts it stopped at, ascending; by number."""
    groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for place, outcome in enumerate(outcomes):
        if outcome.stops:
            groups[outcome.stops].append(place)
    by_pattern: dict[int, list[int]] = {}
    for number in sorted({number for stops in groups for number in stops}):
        parts = [texts for stops, texts in groups.items() if number in stops]
        by_pattern[number] = parts[0] if len(parts) == 1 else sorted(place for part in parts for place in part)
    return by_pattern
