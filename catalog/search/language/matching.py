"""How a document holds what is sought: in which place, as which word, and how well. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz.distance import OSA

from catalog.search.language.vocabulary import STEM
from catalog.search_model import IndexHit, Needle, Way

OF_FIELD = {
    "name": 1.0,
    "entity": 0.95,
    "term": 0.9,
    "tag": 0.8,
    "path": 0.7,
    "text": 0.65,
    "dataset": 0.4,
    "owner": 0.35,
    "about": 0.25,
}
OF_DATASET = {"name": 1.0, "term": 0.9, "tag": 0.8, "text": 0.8, "owner": 0.8, "entity": 0.5, "inside": 0.3}
"""Where a word is -> how much it counts, for a field and for a dataset; what counts most comes first."""

ONLY_RANKED = frozenset({"about"})
"""Words here raise a document that is found by others, and find none."""

PREFIX, SLIP = 0.75, 0.6
_PARTLY = 0.8
"""Of a needle's words, each found by itself."""
_APART = 0.9
"""Of a way whose words are in several places."""


@dataclass(frozen=True, slots=True)
class NeedleMatch:
    """How a document holds a needle. `word` is the document's own where it was misspelled; `words`: all of them; `lacking`:
    parts of the needle that it does not hold."""

    needle: str
    where: str
    quality: float
    how: str  # word | beginning | slip | meaning | stem
    word: str | None = None
    words: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """One place of a document: what a word there counts, and its words."""

    name: str
    value: float
    text: str
    words: frozenset[str]


Places = tuple[Place, ...]
"""The places of a document that have words; what counts most comes first."""


def places(hit: IndexHit) -> Places:
    """Where this document has words."""
    values = OF_DATASET if hit.source["kind"] == "dataset" else OF_FIELD
    return tuple(
        Place(name, value, text, words_of(text)) for name, value in values.items() if (text := hit.words.get(name))
    )


@lru_cache(20_000)
def words_of(text: str) -> frozenset[str]:
    """The words of a text of the index."""
    return frozenset(text.split())


def slips(word: str) -> int:
    """How many letters of a word may be wrong."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def held(needle: Needle, where: Places) -> NeedleMatch | None:
    """The best way in which a document holds a needle; None where it does not."""
    if needle.phrase:
        phrase = f" {' '.join(needle.words)} "
        found = next((place for place in where if phrase in f" {place.text} "), None)
        return NeedleMatch(needle.text, found.name, found.value, "word", words=needle.words) if found else None
    best: NeedleMatch | None = None
    for way in needle.ways:
        if best is not None and best.quality >= way.quality:
            continue
        match = _by_way(needle, way, where)
        if match is not None and (best is None or match.quality > best.quality):
            best = match
    if needle.parts and (best is None or best.quality < _PARTLY):
        best = _partly(needle, where, best)
    return best


def around(words: Sequence[tuple[str, str]], where: Places) -> float:
    """0..1: the share of these words that the document has anywhere. words: each with its stem, of which either will do."""
    found = sum(any(word in place.words or root in place.words for place in where) for word, root in words)
    return found / len(words)


def _partly(needle: Needle, where: Places, best: NeedleMatch | None) -> NeedleMatch | None:
    """How a document holds some of the needle's words, each by itself, where that is better."""
    each = [(part, held(part, where)) for part in needle.parts]
    parts = [match for _, match in each if match is not None]
    quality = _PARTLY * sum(match.quality for match in parts) / len(each)
    if not parts or (best is not None and best.quality >= quality):
        return best
    lacking = tuple(part.text for part, match in each if match is None)
    words = tuple(word for match in parts for word in match.words)
    first = max(parts, key=lambda match: match.quality)
    return replace(first, needle=needle.text, quality=quality, words=words, lacking=lacking)


_Match = tuple[float, str, str, str]
"""How well, where, in which way, the document's word."""


def _by_way(needle: Needle, way: Way, where: Places) -> NeedleMatch | None:
    """Each word where it counts most; words of one way in several places count a little less."""
    if len(way.words) == 1:
        worst = _word(way.words[0], way, where)
        if worst is None:
            return None
        quality = way.quality * worst[0]
        words: tuple[str, ...] = (worst[3],)
    else:
        matches: list[_Match] = []
        for word in way.words:
            match = _word(word, way, where)
            if match is None:
                return None
            matches.append(match)
        worst = min(matches, key=lambda match: match[0])
        apart = 1.0 if len({match[1] for match in matches}) == 1 else _APART
        quality = way.quality * apart * sum(match[0] for match in matches) / len(matches)
        words = tuple(match[3] for match in matches)
    how = worst[2] if way.words[0][0].isalnum() else "stem" if way.words[0].startswith(STEM) else "meaning"
    return NeedleMatch(
        needle=needle.text,
        where=worst[1],
        quality=quality,
        how=how,
        word=worst[3] if worst[2] == "slip" else None,
        words=words,
    )


def _word(word: str, way: Way, where: Places) -> _Match | None:
    """Where a document has a word, or one that it may be the beginning or a misspelling of."""
    whole = next((place for place in where if word in place.words), None)
    best: _Match | None = (whole.value, whole.name, "word", word) if whole else None
    if not way.loose:
        return best
    for part, how, other_in in _LOOSELY[:1] if word in way.known else _LOOSELY:
        for place in where:
            if best is not None and place.value * part <= best[0]:
                break
            if (other := other_in(word, place.text)) is not None:
                best = (place.value * part, place.name, how, other)
                break
    return best


def _begun(word: str, text: str) -> str | None:
    """The first word of a text that begins with this one."""
    if len(word) < 2 or f" {word}" not in f" {text}":
        return None
    return next(other for other in text.split() if other.startswith(word))


@lru_cache(100_000)
def _slipped(word: str, text: str) -> str | None:
    """The first word of a text that this one may be misspelled for."""
    allowed = slips(word)
    near = (other for other in text.split() if other[:1] == word[:1]) if allowed else iter(())
    return next((other for other in near if OSA.distance(word, other, score_cutoff=allowed) <= allowed), None)


_LOOSELY = ((PREFIX, "beginning", _begun), (SLIP, "slip", _slipped))
"""(what it is worth, its name, the document's word) for ways in which a word need not be the document's."""
