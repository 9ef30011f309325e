"""The order of what was found: how well each document holds each needle, and where. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rapidfuzz.distance import OSA

from catalog.finding.query import Question
from catalog.finding.vocabulary import CONCEPT, STEM, stem
from catalog.search_model import IndexHit, Needle, Way

OF_FIELD = {
    "name": 1.0, "entity": 0.95, "term": 0.9, "tag": 0.8, "path": 0.7, "text": 0.65, "dataset": 0.4, "owner": 0.35,
    "about": 0.25,
}  # fmt: skip
OF_DATASET = {
    "name": 1.0, "term": 0.9, "tag": 0.8, "text": 0.8, "owner": 0.8, "entity": 0.5, "inside": 0.3,
}  # fmt: skip
"""Where a word is -> how much it counts, for a field and for a dataset."""

ONLY_RANKED = frozenset({"about"})
"""Words here raise a document that is found by others, and find none."""

PREFIX, SLIP = 0.75, 0.6
_EXACT, _SUFFIX, _BEGUN = 10.0, 4.0, 2.0
_NAME_SHARE = 0.25
_USED = 0.02
_LIKE = 0.35
_HINTED = 0.15
_WIDE = 0.45
_CONTEXT = 0.15
_MORE_FIELDS = 0.06
_LAST = 1.3
"""The last word of a question says what is sought, the others which."""


@dataclass(frozen=True, slots=True)
class Held:
    """How a document holds a needle. `word` is the document's own where it is another than was typed."""

    needle: str
    where: str
    quality: float
    how: str  # word | beginning | slip | meaning | stem
    word: str | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with its score, and the reasons for it. `held`: None for a needle that it does not hold."""

    hit: IndexHit
    score: float
    held: tuple[Held | None, ...]
    reasons: Mapping[str, float]


def weights(held: Sequence[int], size: int) -> list[float]:
    """How much each needle counts: the rarer, the more. `held`: documents that hold it, of `size`."""
    return [max(0.3, math.log((1 + size) / (1 + min(count, size)))) for count in held]


def slips(word: str) -> int:
    """How many letters of a word may be wrong."""
    return 0 if len(word) < 4 else 1 if len(word) < 8 else 2


def rank(
    hits: Sequence[IndexHit],
    question: Question,
    weight: Sequence[float],
    likeness: Sequence[float] | None = None,
) -> list[Ranked]:
    """The hits, best first. `likeness`: -1..1 for each hit, how near its meaning is to the question's."""
    found = [_ranked(hit, question, weight, likeness[number] if likeness else 0.0) for number, hit in enumerate(hits)]
    if len(question.needles) > 1:
        found = _with_fields(found)
    return sorted(found, key=lambda r: (-r.score, r.hit.source["name"], r.hit.source.get("path") or ""))


def _with_fields(found: Sequence[Ranked]) -> list[Ranked]:
    """A dataset is raised where different fields of it hold different words of the question."""
    holding: dict[str, set[int]] = {}
    for each in found:
        key, _, field = each.hit.id.partition(".")
        if field:
            own = {at for at, held in enumerate(each.held) if held is not None and held.where in ("name", "entity")}
            holding.setdefault(key, set()).update(own)
    raised = []
    for each in found:
        of_fields = holding.get(each.hit.id, set())
        single = any(held is not None and held.where in ("name", "text", "term", "tag", "owner") for held in each.held)
        if each.hit.source["kind"] == "dataset" and single and len(of_fields) > 1:
            gain = _MORE_FIELDS * len(of_fields) / len(each.held)
            each = replace(each, score=each.score + gain, reasons={**each.reasons, "fields": gain})
        raised.append(each)
    return raised


def _ranked(hit: IndexHit, question: Question, weight: Sequence[float], likeness: float) -> Ranked:
    is_dataset = hit.source["kind"] == "dataset"
    places = OF_DATASET if is_dataset else OF_FIELD
    words = {place: hit.words.get(place, "").split() for place in places}
    sets = {place: frozenset(listed) for place, listed in words.items()}
    held = tuple(_held(needle, places, words, sets, hit.words) for needle in question.needles)
    weight = [w * _LAST if n == len(weight) - 1 else w for n, w in enumerate(weight)] if len(weight) > 1 else weight
    total = sum(weight) or 1.0
    fit = sum(w * h.quality for w, h in zip(weight, held, strict=True) if h is not None) / total
    reasons = {"words": fit}
    if question.needles:
        reasons["name"] = _NAME_SHARE * fit * _of_name(held, words["name"], is_dataset)
        if len(question.words) > 1:
            everywhere = frozenset().union(*sets.values())
            around = sum(1 for word in question.words if word in everywhere or STEM + stem(word) in everywhere)
            reasons["context"] = _CONTEXT * around / len(question.words)
        if likeness:
            reasons["meaning"] = _LIKE * max(0.0, likeness)
        if is_dataset and question.wide:
            reasons["dataset"] = _WIDE * question.wide * min(1.0, fit + max(0.0, likeness))
        if not is_dataset and any(CONCEPT + c in sets["name"] or CONCEPT + c in sets["entity"] for c in question.hints):
            reasons["hint"] = _HINTED
    if question.spelled is not None:
        if question.spelled in hit.exact:
            reasons["exact"] = _EXACT
        elif question.spelled in hit.suffixes:
            reasons["exact"] = _SUFFIX
        elif is_dataset and len(question.spelled) > 1 and any(n.startswith(question.spelled) for n in hit.exact):
            reasons["exact"] = _BEGUN
    reasons["used"] = _USED * math.log1p(hit.usage)
    score = sum(reasons.values())
    if hit.rank < 1:
        reasons["state"] = hit.rank
        score *= hit.rank
    return Ranked(hit, score, held, reasons)


def _of_name(held: Sequence[Held | None], name: Sequence[str], is_dataset: bool) -> float:
    """Which share of the name's own words was asked for. Names of datasets begin with a system or domain."""
    own = [word for word in name if word[0].isalnum()]
    own = own[: max(1, len(own) - 1)] if len(own) > 1 else own  # the last is all of them as one word
    matched = sum(len(each.needle.split()) for each in held if each is not None and each.where == "name")
    return min(1.0, matched / max(1, len(own) - (0.5 if is_dataset else 0))) if own else 0.0


def _held(
    needle: Needle,
    places: Mapping[str, float],
    words: Mapping[str, Sequence[str]],
    sets: Mapping[str, frozenset[str]],
    texts: Mapping[str, str],
) -> Held | None:
    if needle.phrase:
        wanted = f" {' '.join(needle.words)} "
        where = max((p for p in places if wanted in f" {texts.get(p, '')} "), key=lambda p: places[p], default=None)
        return Held(needle.text, where, places[where], "word") if where else None
    best: Held | None = None
    for way in needle.ways:
        if best is not None and best.quality >= way.quality:
            continue
        found = _by_way(needle, way, places, words, sets)
        if found is not None and (best is None or found.quality > best.quality):
            best = found
    return best


def _by_way(
    needle: Needle,
    way: Way,
    places: Mapping[str, float],
    words: Mapping[str, Sequence[str]],
    sets: Mapping[str, frozenset[str]],
) -> Held | None:
    """Each word where it counts most; words of one way in several places count a little less."""
    each = [_word(word, way.loose, places, words, sets) for word in way.words]
    if not all(each):
        return None
    found = [one for one in each if one is not None]
    worst = min(found, key=lambda one: one[0])
    apart = 1.0 if len({one[1] for one in found}) == 1 else 0.9
    quality = way.quality * apart * sum(one[0] for one in found) / len(found)
    how = worst[2] if way.words[0][0].isalnum() else "stem" if way.words[0].startswith(STEM) else "meaning"
    word = worst[3] if worst[2] == "slip" else None
    return Held(needle.text, worst[1], quality, how, word)


def _word(
    word: str,
    loose: bool,
    places: Mapping[str, float],
    words: Mapping[str, Sequence[str]],
    sets: Mapping[str, frozenset[str]],
) -> tuple[float, str, str, str] | None:
    """(quality, where, how, the document's word), or None."""
    best: tuple[float, str, str, str] | None = None
    for place, value in places.items():
        if word in sets[place] and (best is None or value > best[0]):
            best = (value, place, "word", word)
    if not loose or (best is not None and best[0] >= PREFIX):
        return best
    for place, value in places.items():
        if best is not None and value * PREFIX <= best[0]:
            continue
        for other in words[place]:
            if len(word) > 1 and other.startswith(word):
                best = (value * PREFIX, place, "beginning", other)
                break
    allowed = slips(word)
    if allowed == 0:
        return best
    for place, value in places.items():
        if best is not None and value * SLIP <= best[0]:
            continue
        for other in words[place]:
            if other[:1] == word[:1] and OSA.distance(word, other, score_cutoff=allowed) <= allowed:
                best = (value * SLIP, place, "slip", other)
                break
    return best
