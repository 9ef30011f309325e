"""What a question may mean that the vocabulary does not name: what the phrases mean that are nearest to it. Pure but for the
`Meaning` given."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import lru_cache
from typing import Any

from catalog.ports import Meaning
from catalog.search.language.labels import nearest
from catalog.search.language.query import Question
from catalog.search.language.vocabulary import CONCEPT, Vocabulary
from catalog.search_model import Needle, Way

_LEAST, _LEAST_WHOLE = 0.6, 0.7  # likeness of one word of a question, and of the whole
_WORTH = 0.6  # of a way by likeness, times the likeness
_SHORTEST = 4  # letters of a word
_WORD, _LONGEST = 2, 5  # words of a phrase that a word may be like, and the whole
_MOST = 2  # concepts of the whole
_NEAREST = 10


class Alike:
    """The phrases of a vocabulary with their meanings, read when first asked for. Safe for threads."""

    def __init__(self, meaning: Meaning, vocabulary: Vocabulary) -> None:
        self._meaning, self._vocabulary = meaning, vocabulary
        self._lock = threading.Lock()
        self._phrases: list[tuple[str, ...]] = []
        self._rows: Any = None
        self._several = self._short = 0
        self._ways = lru_cache(5000)(self._nearest)
        self._likely = lru_cache(5000)(self._of_whole)

    def read(self) -> None:
        """Read the phrases, in about a second."""
        with self._lock:
            if self._rows is not None:
                return
            fillers = self._vocabulary.fillers
            phrases = sorted(
                (p for p in self._vocabulary.phrases if len(p) <= _LONGEST and not fillers.issuperset(p)), key=len
            )
            self._several = sum(len(phrase) == 1 for phrase in phrases)
            self._short = sum(len(phrase) <= _WORD for phrase in phrases)
            self._phrases = phrases
            self._rows = self._meaning.vectors([" ".join(phrase) for phrase in phrases])

    def widened(self, question: Question) -> Question:
        """The question with what it may mean besides: words that no phrase names also match by what the nearest one means,
        and of several words together that is `likely`."""
        needles = tuple(self._needle(needle) for needle in question.needles)
        likely = self._likely(question.text.lower()) if len(question.words) > 1 else ()
        return replace(question, needles=needles, likely=likely)

    def _needle(self, needle: Needle) -> Needle:
        named = any(way.words[0].startswith(CONCEPT) for way in needle.ways)
        if named or not needle.ways[0].loose or len(needle.text) < _SHORTEST:
            return needle
        return replace(needle, ways=(*needle.ways, *self._ways(needle.text.lower())))

    def _nearest(self, text: str) -> tuple[Way, ...]:
        self.read()
        found = self._near(text, 0, self._short, _LEAST, 1)
        return tuple(Way((CONCEPT + concept,), round(_WORTH * likeness, 3)) for concept, likeness in found[:1])

    def _of_whole(self, text: str) -> tuple[tuple[str, float], ...]:
        self.read()
        return self._near(text, self._several, len(self._phrases), _LEAST_WHOLE, _NEAREST)[:_MOST]

    def _near(self, text: str, first: int, end: int, least: float, most: int) -> tuple[tuple[str, float], ...]:
        """(concept, likeness) of the nearest phrases among these, nearest first."""
        found: dict[str, float] = {}
        for at, likeness in nearest(self._rows[first:end], self._meaning.vectors([text])[0], most, least):
            for concept in self._vocabulary.phrases[self._phrases[first + at]][:_MOST]:
                found.setdefault(concept, likeness)
        return tuple(found.items())
