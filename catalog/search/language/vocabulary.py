"""Words that mean the same: everyday words, abbreviations and five languages, as concepts. Pure after loading.

A concept becomes a word of its own, `~postcode`, beside those that were written; no name can spell it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

import snowballstemmer
import yaml

from catalog.tokens import split

CONCEPT, BROADER, STEM = "~", "^", "="
"""What the words begin with that stand for a concept, for a kind of it, and for a stem. No split name holds them."""

_SHORTEST = 3
_SHORTEST_PIECE = 4
_SHORT = frozenset({"id", "ip", "no", "nr"})
_COMPOUND = 6
_GERMAN_PLURALS = ("ungen", "ionen", "heiten", "keiten", "schaften", "taten")


class _Stemmers(threading.local):
    """A stemmer for each thread: one keeps the word that it works on in itself, so two threads would mix their words."""

    def __init__(self) -> None:
        self.english = snowballstemmer.stemmer("english")


_stemmers = _Stemmers()
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the one in C is ten times as fast


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words `start` to `end` (without) of a list, which name these concepts."""

    start: int
    end: int
    concepts: tuple[str, ...]


@dataclass(frozen=True)
class Vocabulary:
    """phrases: words -> concepts; broader: concept -> wider ones; entities: kind of personal data -> concepts.

    spoken: concept of the glossary -> its phrases. Documents are not indexed under these concepts, so that a new synonym
    is of use at once; a question for one phrase asks for the words of the others.
    hints: words that ask -> concepts of what answers them; collections: words for datasets.
    lexicon: words that are known, and no compounds; pieces: those that compounds are made of.
    """

    phrases: Mapping[tuple[str, ...], tuple[str, ...]]
    broader: Mapping[str, tuple[str, ...]]
    entities: Mapping[str, tuple[str, ...]]
    other_entities: tuple[str, ...]
    fillers: frozenset[str]
    longest: int
    lexicon: frozenset[str] = field(repr=False)
    spoken: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    hints: Mapping[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)
    collections: frozenset[str] = frozenset()
    pieces: frozenset[str] = field(default_factory=frozenset, repr=False)

    @cached_property
    def personal(self) -> frozenset[str]:
        """Concepts that name kinds of personal data."""
        return frozenset((*(c for concepts in self.entities.values() for c in concepts), *self.other_entities))

    def find(self, words: Sequence[str]) -> list[Phrase]:
        """The longest phrases from left to right; none overlap."""
        phrases: list[Phrase] = []
        at = 0
        while at < len(words):
            for end in range(min(len(words), at + self.longest), at, -1):
                concepts = self.phrases.get(tuple(words[at:end])) or self._plural(words[at:end])
                if concepts:
                    phrases.append(Phrase(at, end, concepts))
                    at = end
                    break
            else:
                at += 1
        return phrases

    def every(self, words: Sequence[str]) -> list[Phrase]:
        """All phrases among the words, also those inside of others."""
        return [
            Phrase(at, end, concepts)
            for at in range(len(words))
            for end in range(at + 1, min(len(words), at + self.longest) + 1)
            if (concepts := self.phrases.get(tuple(words[at:end])) or self._plural(words[at:end]))
        ]

    def _plural(self, words: Sequence[str]) -> tuple[str, ...]:
        """The phrase whose last word is the singular of this one's."""
        for singular in _singulars(words[-1]):
            if concepts := self.phrases.get((*words[:-1], singular)):
                return concepts
        return ()

    def indexed(self, words: Sequence[str]) -> list[str]:
        """What a document is found by besides the words that were written: stems, parts of compounds, concepts; also
        those of words inside a longer phrase, so that a phrase more never makes a document harder to find."""
        concepts: dict[str, None] = {}
        spread: list[str] = []
        for word in words:
            parts = self.parts(word)
            concepts.update(dict.fromkeys(parts if len(parts) > 1 else ()))
            spread += parts
            if (root := stem(word)) != word:
                concepts[STEM + root] = None
        for phrase in self.find(spread):
            concepts.update(dict.fromkeys(self._of(phrase.concepts)))
            for inside in self.every(spread[phrase.start : phrase.end]):
                concepts.update(dict.fromkeys(CONCEPT + concept for concept in inside.concepts))
        return list(concepts)

    def of_entities(self, entities: Iterable[str]) -> list[str]:
        """The same for kinds of personal data."""
        concepts = (c for entity in entities for c in self.entities.get(entity, self._other(entity)))
        return list(dict.fromkeys(self._of(concepts)))

    def _other(self, entity: str) -> tuple[str, ...]:
        return self.other_entities if len(entity.split("_")[0]) == 2 else ()

    def _of(self, concepts: Iterable[str]) -> Iterable[str]:
        for concept in concepts:
            yield CONCEPT + concept
            for wider in self.broader.get(concept, ()):
                yield BROADER + wider

    def parts(self, word: str) -> list[str]:
        """`kundennummer` -> kunden, nummer; a word that is known, or is no compound of known words, stays whole."""
        if len(word) < _COMPOUND or word in self.lexicon or not word.isalpha():
            return [word]
        return list(_cut(word, self.pieces)) or [word]


def _singulars(word: str) -> list[str]:
    """What an English or German plural may be the plural of."""
    if word.endswith(_GERMAN_PLURALS):
        return [word[:-2]]
    if len(word) < 4 or not word.endswith("s"):
        return []
    return [
        word[:-1],
        *([word[:-2]] if word.endswith("es") else []),
        *([f"{word[:-3]}y"] if word.endswith("ies") else []),
    ]


def stem(word: str) -> str:
    """The English stem; short words have none."""
    return _stem(word) if len(word) > 3 and word.isascii() and word.isalpha() else word


@lru_cache(100_000)
def _stem(word: str) -> str:
    root: str = _stemmers.english.stemWord(word)
    return root


@lru_cache(100_000)
def _cut(word: str, pieces: frozenset[str]) -> tuple[str, ...]:
    """The fewest pieces that a word is made of, with an `s`, `n` or `en` between them; none if there are none."""
    best: list[list[str] | None] = [[], *([None] * len(word))]
    for end in range(2, len(word) + 1):
        for start in range(end - 1):
            before = best[start]
            part = word[start:end]
            if before is None or (best[end] is not None and len(best[end] or ()) <= len(before) + 1):
                continue
            if part in pieces:
                best[end] = [*before, part]
            elif before == [] and start == 0:
                for link in ("s", "n", "en", "es"):
                    bare = part.removesuffix(link)
                    if bare != part and bare in pieces and end < len(word):
                        best[end] = [bare]
                        break
    return tuple(best[len(word)] or ())


@lru_cache(1)
def builtin() -> Vocabulary:
    """What comes with Weir: the files of the folder `vocabulary`, one a domain."""
    folder = resources.files("catalog.search.language").joinpath("vocabulary")
    listed = sorted((each for each in folder.iterdir() if each.name.endswith(".yaml")), key=lambda each: each.name)
    return make(_joined(yaml.load(each.read_text("utf-8"), _Loader) for each in listed))  # noqa: S506


def _joined(documents: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """One document of several: a concept that two of them list has the phrases of both."""
    joined: dict[str, Any] = {"concepts": {}, "broader": {}, "entities": {}, "fillers": {}}
    for document in documents:
        for section, content in document.items():
            if isinstance(content, Mapping):
                merged = joined.setdefault(section, {})
                for key, listed in content.items():
                    merged[key] = [*merged.get(key, ()), *listed]
            else:
                joined[section] = [*joined.get(section, ()), *content]
    return joined


def make(document: Mapping[str, Any]) -> Vocabulary:
    """A vocabulary from a document in the form of the files in `vocabulary`."""
    phrases: dict[tuple[str, ...], dict[str, None]] = {}
    for concept, texts in document["concepts"].items():
        for text in (*texts, concept.replace("_", " ")):
            phrases.setdefault(tuple(split(text)), {})[concept] = None
    umlauts = {_plain(word): word for word in document.get("umlauts", ())}
    for phrase, concepts in list(phrases.items()):
        if not umlauts.keys().isdisjoint(phrase):
            phrases.setdefault(tuple(umlauts.get(word, word) for word in phrase), {}).update(concepts)
    for phrase, concepts in phrases.items():  # `reviews` in one concept, and `review` in it and in others
        for singular in _singulars(phrase[-1]):
            others = phrases.get((*phrase[:-1], singular), {})
            if not concepts.keys().isdisjoint(others):
                concepts.update(others)
    fillers = frozenset(word for listed in document["fillers"].values() for text in listed for word in split(text))
    for phrase, concepts in list(phrases.items()):
        bare = tuple(word for word in phrase if word not in fillers)
        if 1 < len(bare) < len(phrase):
            phrases.setdefault(bare, {}).update(concepts)
    alone = {phrase[0] for phrase in phrases if len(phrase) == 1 and len(phrase[0]) >= _SHORTEST_PIECE}
    pieces = (alone - fillers) | {*document.get("pieces", ())}
    for phrase, concepts in list(phrases.items()):  # `due date` is written `duedate`, too
        if len(phrase) < 2 or phrase[0] in fillers or pieces.issuperset(phrase):
            continue
        if len(joined := "".join(phrase)) >= _COMPOUND:
            phrases.setdefault((joined,), dict(concepts))
    words = {word for phrase in phrases for word in phrase if len(word) >= _SHORTEST or word in _SHORT}
    words.update(document.get("whole", ()))
    return Vocabulary(
        phrases={phrase: tuple(concepts) for phrase, concepts in phrases.items()},
        broader={concept: tuple(wider) for concept, wider in document["broader"].items()},
        entities={entity: tuple(concepts) for entity, concepts in document["entities"].items()},
        other_entities=tuple(document.get("other_entities", ())),
        fillers=fillers,
        longest=max(map(len, phrases)),
        lexicon=frozenset(words - fillers),
        hints={tuple(split(question)): tuple(concepts) for question, concepts in document.get("hints", {}).items()},
        collections=frozenset(document.get("collections", ())),
        pieces=frozenset(pieces),
    )


def _plain(word: str) -> str:
    """`waehrung` -> wahrung, as `wahrung` is with its accents folded."""
    return word.replace("ae", "a").replace("oe", "o").replace("ue", "u")


def with_terms(base: Vocabulary, terms: Iterable[tuple[str, Sequence[str]]]) -> Vocabulary:
    """The vocabulary with the glossary's own: (term, its synonyms)."""
    phrases = dict(base.phrases)
    spoken: dict[str, tuple[tuple[str, ...], ...]] = {}
    for term, synonyms in terms:
        concept = f"term {term}"
        spoken[concept] = tuple(dict.fromkeys(words for text in (term, *synonyms) if (words := tuple(split(text)))))
        for words in spoken[concept]:
            phrases[words] = tuple(dict.fromkeys((*phrases.get(words, ()), concept)))
    longest = max((base.longest, *(len(words) for listed in spoken.values() for words in listed)))
    return replace(base, phrases=phrases, spoken=spoken, longest=longest)
