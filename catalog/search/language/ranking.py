"""The order of what was found: how well each document holds each needle, and where. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from rapidfuzz.distance import OSA

from catalog.search.language.query import Question
from catalog.search.language.vocabulary import BROADER, CONCEPT, STEM, builtin, stem
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
OF_DATASET = {
    "name": 1.0,
    "term": 0.9,
    "tag": 0.8,
    "text": 0.8,
    "owner": 0.8,
    "entity": 0.5,
    "inside": 0.3,
}
"""Where a word is -> how much it counts, for a field and for a dataset."""

ONLY_RANKED = frozenset({"about"})
"""Words here raise a document that is found by others, and find none."""

PREFIX, SLIP = 0.75, 0.6
_EXACT, _SUFFIX, _BEGUN = 10.0, 4.0, 2.0
_NAME_SHARE = 0.25
USED = 0.02
_LIKE = 0.35
_HINTED = 0.15
_LIKELY = 0.15
_WIDE = 0.68
_OF_ITS_DATASET = 0.12
_BEST_FIELD = 0.12
_CONTAINER = 0.1
_CONTAINERS = frozenset({"object", "record", "struct", "array", "map"})
_CONTEXT = 0.15
_MORE_FIELDS = 0.06
_PARTLY = 0.8
"""Of a needle's words, each found by itself."""
_LAST = 1.3
"""The last word of a question says what is sought, the others which."""


@dataclass(frozen=True, slots=True)
class Held:
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
class Ranked:
    """A hit with its score, and the reasons for it. `held`: None for a needle that it does not hold."""

    hit: IndexHit
    score: float
    held: tuple[Held | None, ...]
    reasons: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Likeness:
    """-1..1, how near a question in meaning: a document, and for a field the name of its dataset."""

    own: float
    dataset: float = 0.0


UNLIKE = Likeness(0.0)


def weights(documents: Sequence[int], size: int) -> list[float]:
    """How much each needle counts: the rarer, the more. `held`: documents that hold it, of `size`."""
    return [max(0.3, math.log((1 + size) / (1 + min(count, size)))) for count in documents]


def slips(word: str) -> int:
    """How many letters of a word may be wrong."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def rank(
    hits: Sequence[IndexHit],
    question: Question,
    weight: Sequence[float],
    likeness: Sequence[Likeness] | None = None,
) -> list[Ranked]:
    """The hits, best first. `likeness`: for each hit, how near its meaning is to the question's."""
    like = likeness or [UNLIKE] * len(hits)
    best: dict[str, float] = {}
    for hit, one in zip(hits, like, strict=True):
        if hit.source["kind"] != "dataset":
            key = hit.id.split(".")[0]
            best[key] = max(one.own, best.get(key, 0.0))
    ranked = [_ranked(hit, question, weight, one, best.get(hit.id, 0.0)) for hit, one in zip(hits, like, strict=True)]
    if len(question.needles) > 1:
        ranked = _with_fields(ranked)
    return sorted(ranked, key=lambda r: (-r.score, r.hit.source["name"], r.hit.source.get("path") or ""))


def _with_fields(ranked: Sequence[Ranked]) -> list[Ranked]:
    """A dataset is raised where different fields of it hold different words of the question."""
    holding: dict[str, set[int]] = {}
    for each in ranked:
        key, _, field = each.hit.id.partition(".")
        if field:
            own = {at for at, match in enumerate(each.held) if match is not None and match.where in ("name", "entity")}
            holding.setdefault(key, set()).update(own)
    raised = []
    for each in ranked:
        of_fields = holding.get(each.hit.id, set())
        single = any(
            match is not None and match.where in ("name", "text", "term", "tag", "owner") for match in each.held
        )
        if each.hit.source["kind"] == "dataset" and single and len(of_fields) > 1:
            gain = _MORE_FIELDS * len(of_fields) / len(each.held)
            each = replace(each, score=each.score + gain, reasons={**each.reasons, "fields": gain})
        raised.append(each)
    return raised


def _ranked(hit: IndexHit, question: Question, weight: Sequence[float], like: Likeness, best_field: float) -> Ranked:
    """`best_field`: likeness of that of the dataset's fields which is the most like the question."""
    likeness = max(0.0, like.own)
    is_dataset = hit.source["kind"] == "dataset"
    places = {
        place: (value, hit.words.get(place, "")) for place, value in (OF_DATASET if is_dataset else OF_FIELD).items()
    }
    matches = tuple(_held(needle, places) for needle in question.needles)
    weight = [w * _LAST if n == len(weight) - 1 else w for n, w in enumerate(weight)] if len(weight) > 1 else weight
    total = sum(weight) or 1.0
    fit = sum(w * h.quality for w, h in zip(weight, matches, strict=True) if h is not None) / total
    reasons = {"words": fit}
    if question.needles:
        reasons["name"] = _NAME_SHARE * fit * _of_name(matches, hit, is_dataset)
        if len(question.words) > 1:
            everywhere = [_set(text) for _, text in places.values()]
            around = sum(1 for word in question.words if any(word in s or STEM + stem(word) in s for s in everywhere))
            reasons["context"] = _CONTEXT * around / len(question.words)
        if likeness:
            reasons["meaning"] = _LIKE * likeness
        if not is_dataset and like.dataset > 0:
            reasons["meaning of dataset"] = _OF_ITS_DATASET * like.dataset
        if is_dataset and best_field > 0:
            reasons["meaning of fields"] = _BEST_FIELD * best_field
        if is_dataset and question.wide:
            reasons["dataset"] = _WIDE * question.wide * min(1.0, fit + likeness)
        if not is_dataset and not _CONTAINERS.isdisjoint(hit.source.get("types") or ()):
            reasons["container"] = -_CONTAINER
        own = _set(hit.words.get("name", "")) | _set(hit.words.get("entity", ""))
        if likely := max((worth for concept, worth in question.likely if CONCEPT + concept in own), default=0.0):
            reasons["likely"] = _LIKELY * likely
        if not is_dataset and question.hints:
            if question.agents & own or any(CONCEPT + concept in own for concept in question.hints):
                reasons["hint"] = _HINTED
            elif any(CONCEPT + concept in own for concept in builtin().hints[("when",)]):
                reasons["hint"] = -_HINTED
    if question.spelled is not None:
        if question.spelled in hit.exact:
            reasons["exact"] = _EXACT
        elif question.spelled in hit.suffixes:
            reasons["exact"] = _SUFFIX
        elif is_dataset and len(question.spelled) > 1 and any(n.startswith(question.spelled) for n in hit.exact):
            reasons["exact"] = _BEGUN
    reasons["used"] = USED * math.log1p(hit.usage)
    score = sum(reasons.values())
    if hit.rank != 1:
        reasons["state"] = hit.rank
        score *= hit.rank
    return Ranked(hit, score, matches, reasons)


def _of_name(matches: Sequence[Held | None], hit: IndexHit, is_dataset: bool) -> float:
    """Which share of the name's own words was asked for. Names of datasets begin with a system or domain."""
    spans = _spans(hit.words.get("name", ""), hit.own)
    covered = {
        at
        for each in matches
        if each is not None and each.where == "name"
        for word in each.words
        for at in spans.get(word, ())
    }
    return min(1.0, len(covered) / max(1, hit.own - (0.5 if is_dataset else 0)))


@lru_cache(20_000)
def _spans(name: str, count: int) -> Mapping[str, frozenset[int]]:
    """Word, stem or concept -> which of a name's own words it is; the first `count` words are its own."""
    words = name.split()
    own = words[:count]
    spans: dict[str, set[int]] = {}
    spread: list[str] = []
    of: list[int] = []
    vocabulary = builtin()
    for at, word in enumerate(own):
        for part in vocabulary.parts(word):
            spread.append(part)
            of.append(at)
        for each in (word, STEM + stem(word), *vocabulary.parts(word)):
            spans.setdefault(each, set()).add(at)
    for phrase in vocabulary.find(spread):
        for concept in phrase.concepts:
            for mark in (CONCEPT + concept, *(BROADER + wider for wider in vocabulary.broader.get(concept, ()))):
                spans.setdefault(mark, set()).update(of[phrase.start : phrase.end])
    every = frozenset(range(len(own)))
    if len(words) > count > 1:
        spans[words[count]] = set(every)  # all of them as one word
    return {word: frozenset(places) for word, places in spans.items()}


_Places = Mapping[str, tuple[float, str]]
"""Where words of a document are -> how much it counts, and the words."""


def _held(needle: Needle, places: _Places) -> Held | None:
    if needle.phrase:
        phrase = f" {' '.join(needle.words)} "
        inside = [(value, place) for place, (value, text) in places.items() if phrase in f" {text} "]
        value, where = max(inside, default=(0.0, ""))
        return Held(needle.text, where, value, "word", words=needle.words) if where else None
    best: Held | None = None
    for way in needle.ways:
        if best is not None and best.quality >= way.quality:
            continue
        match = _by_way(needle, way, places)
        if match is not None and (best is None or match.quality > best.quality):
            best = match
    if needle.parts and (best is None or best.quality < _PARTLY):
        best = _partly(needle, places, best)
    return best


def _partly(needle: Needle, places: _Places, best: Held | None) -> Held | None:
    """How a document holds some of the needle's words, each by itself, where that is better."""
    each = [(part, _held(part, places)) for part in needle.parts]
    parts = [held for _, held in each if held is not None]
    quality = _PARTLY * sum(held.quality for held in parts) / len(each)
    if not parts or (best is not None and best.quality >= quality):
        return best
    lacking = tuple(part.text for part, held in each if held is None)
    words = tuple(word for held in parts for word in held.words)
    first = max(parts, key=lambda held: held.quality)
    return replace(first, needle=needle.text, quality=quality, words=words, lacking=lacking)


def _by_way(needle: Needle, way: Way, places: _Places) -> Held | None:
    """Each word where it counts most; words of one way in several places count a little less."""
    candidates: list[tuple[float, str, str, str]] = []
    for word in way.words:
        one = _word(word, way.loose, word not in way.known, places)
        if one is None:
            return None
        candidates.append(one)
    worst = min(candidates, key=lambda one: one[0])
    apart = 1.0 if len({one[1] for one in candidates}) == 1 else 0.9
    quality = way.quality * apart * sum(one[0] for one in candidates) / len(candidates)
    how = worst[2] if way.words[0][0].isalnum() else "stem" if way.words[0].startswith(STEM) else "meaning"
    slipped = worst[3] if worst[2] == "slip" else None
    return Held(needle.text, worst[1], quality, how, slipped, tuple(one[3] for one in candidates))


def _word(word: str, loose: bool, slipped: bool, places: _Places) -> tuple[float, str, str, str] | None:
    """(quality, where, how, the document's word), or None."""
    best: tuple[float, str, str, str] | None = None
    for place, (value, text) in places.items():
        if text and (best is None or value > best[0]):
            match = _inside(word, loose, slipped, text)
            if match is not None and (best is None or value * match[0] > best[0]):
                best = (value * match[0], place, match[1], match[2])
    return best


@lru_cache(100_000)
def _inside(word: str, loose: bool, slipped: bool, text: str) -> tuple[float, str, str] | None:
    """(how well, in which way, the text's word), or None."""
    if word in _set(text):
        return 1.0, "word", word
    if not loose:
        return None
    words = text.split()
    if len(word) > 1 and (other := next((w for w in words if w.startswith(word)), None)):
        return PREFIX, "beginning", other
    allowed = slips(word) if slipped else 0
    if allowed:
        for other in words:
            if other[:1] == word[:1] and OSA.distance(word, other, score_cutoff=allowed) <= allowed:
                return SLIP, "slip", other
    return None


@lru_cache(20_000)
def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())
