"""The order of what was found: how well each document holds each needle, and where. Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from catalog.search.language.matching import NeedleMatch, around, held, places, words_of
from catalog.search.language.query import Question
from catalog.search.language.vocabulary import BROADER, CONCEPT, STEM, builtin, stem
from catalog.search_model import IndexHit

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
_LAST = 1.3
"""The last word of a question says what is sought, the others which."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A hit with its score, and the reasons for it. `held`: None for a needle that it does not hold."""

    hit: IndexHit
    score: float
    held: tuple[NeedleMatch | None, ...]
    reasons: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Likeness:
    """-1..1, how near a question in meaning: a document, and for a field the name of its dataset."""

    own: float
    dataset: float = 0.0


UNLIKE = Likeness(0.0)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question with how much each of its needles counts, 0..1 and 1 in all, and its words with their stems."""

    question: Question
    shares: tuple[float, ...]
    words: tuple[tuple[str, str], ...]


def weights(documents: Sequence[int], size: int) -> list[float]:
    """How much each needle counts: the rarer, the more. documents: how many hold each needle, of `size`."""
    return [max(0.3, math.log((1 + size) / (1 + min(count, size)))) for count in documents]


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
    asked = _asked(question, weight)
    ranked = [_ranked(hit, asked, one, best.get(hit.id, 0.0)) for hit, one in zip(hits, like, strict=True)]
    if len(question.needles) > 1:
        ranked = _with_fields(ranked)
    return sorted(ranked, key=lambda r: (-r.score, r.hit.source["name"], r.hit.source.get("path") or ""))


def _asked(question: Question, weight: Sequence[float]) -> _Asked:
    counts = [*weight[:-1], weight[-1] * _LAST] if len(weight) > 1 else list(weight)
    total = sum(counts) or 1.0
    words = tuple((word, STEM + stem(word)) for word in question.words)
    return _Asked(question, tuple(count / total for count in counts), words)


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


def _ranked(hit: IndexHit, asked: _Asked, like: Likeness, best_field: float) -> Ranked:
    """`best_field`: likeness of that of the dataset's fields which is the most like the question."""
    question = asked.question
    likeness = max(0.0, like.own)
    is_dataset = hit.source["kind"] == "dataset"
    where = places(hit)
    matches = tuple(held(needle, where) for needle in question.needles)
    fit = sum(share * match.quality for share, match in zip(asked.shares, matches, strict=True) if match is not None)
    reasons = {"words": fit}
    if question.needles:
        reasons["name"] = _NAME_SHARE * fit * _of_name(matches, hit, is_dataset)
        if len(asked.words) > 1:
            reasons["context"] = _CONTEXT * around(asked.words, where)
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
        own = words_of(hit.words.get("name", "")) | words_of(hit.words.get("entity", ""))
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


def _of_name(matches: Sequence[NeedleMatch | None], hit: IndexHit, is_dataset: bool) -> float:
    """Which share of the name's own words was asked for. Names of datasets begin with a system or domain."""
    words = [word for match in matches if match is not None and match.where == "name" for word in match.words]
    if not words:
        return 0.0
    spans = _spans(hit.words.get("name", ""), hit.own)
    covered = {at for word in words for at in spans.get(word, ())}
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
