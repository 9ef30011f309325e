"""What a field's name announces: weak evidence, which never decides alone and can count against an entity."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from scanners.detectors.lists.name_words import EXACTLY, OF_PERSONS_ONLY, folded
from scanners.detectors.names.joined_words import apart
from scanners.detectors.names.words_against import AGAINST, GENERIC, PEOPLE
from scanners.detectors.names.words_for import FOR

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")


@lru_cache(maxsize=16384)
def words(name: str) -> tuple[str, ...]:
    """`customerEmail2`, `customer_email2` -> ("customer", "email", "2"); `prénom` -> ("prenom",)."""
    tokens = (w.lower() for w in _WORD.findall(name if name.isascii() else folded(name)))
    return tuple(word for token in tokens for word in (apart(token, _known()) if token.isalpha() else (token,)))


@lru_cache(maxsize=1)
def _known() -> frozenset[str]:
    """Words that are looked for, which stay as they are."""
    every = (*FOR.values(), *AGAINST.values(), *EXACTLY.values(), PEOPLE, OF_PERSONS_ONLY, GENERIC)
    return frozenset(phrase for phrases in every for phrase in phrases if "_" not in phrase)


def speaks(entity: str, names: Iterable[str]) -> int:
    """1 when the nearest name that announces anything is for the entity, -1 when it is against it, 0 for neither.

    `names` are the names on the path, from the root; the last counts first, and its last word most.
    """
    path = tuple(names)
    near = path[-3:]
    # Two names that have words are asked and the one above them: paths differ mostly in the names before these.
    return _speaks(entity, near if len(path) > 3 and words(near[-1]) and words(near[-2]) else path)


_LONGEST = max(phrase.count("_") + 1 for table in (FOR, AGAINST) for phrases in table.values() for phrase in phrases)
"""Words of the longest phrase."""


class _Phrases:
    """Words, and phrases of several, to look for in a name."""

    __slots__ = ("every", "long")

    def __init__(self, every: frozenset[str]) -> None:
        self.every = every
        self.long = frozenset(p for p in every if "_" in p)

    def within(self, tokens: tuple[str, ...]) -> bool:
        """Whether the name contains a phrase of several words."""
        return len(tokens) > 1 and not self.long.isdisjoint(_runs(tokens))

    def word(self, tokens: Iterable[str]) -> bool:
        return not self.every.isdisjoint(tokens)


@lru_cache(maxsize=16384)
def _runs(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """All runs of two and more words, as phrases are written."""
    count = len(tokens)
    return tuple(
        "_".join(tokens[start:end])
        for start in range(count - 1)
        for end in range(start + 2, min(count, start + _LONGEST) + 1)
    )


@lru_cache(maxsize=64)
def _phrases(entity: str) -> tuple[_Phrases, _Phrases]:
    return _Phrases(FOR.get(entity, frozenset())), _Phrases(AGAINST.get(entity, frozenset()))


@lru_cache(maxsize=16384)
def _speaks(entity: str, names: tuple[str, ...]) -> int:
    for_, against = _phrases(entity)
    for depth, name in enumerate(reversed(names)):
        tokens = words(name)
        if not tokens:
            continue
        if "_".join(tokens) in EXACTLY.get(entity, ()):
            return _parent(entity, names, depth, against)
        last = tokens[-1] if not tokens[-1].isdigit() or len(tokens) == 1 else tokens[-2]
        if last in for_.every or "_".join(tokens) in for_.every or for_.within(tokens):
            # `product_name` ends in a word of persons, but names something else.
            return -1 if against.word(tokens[:-1]) else _parent(entity, names, depth, against)
        if against.word(tokens) or against.within(tokens):
            return -1
        if for_.word(tokens):
            return 1
        if depth >= 1:
            break
    return 0


def _parent(entity: str, names: tuple[str, ...], depth: int, against: _Phrases) -> int:
    """A bare `name` means little: the name above decides whose it is."""
    place = len(names) - 1 - depth
    own = words(names[place])
    if len(own) > 1 or own[-1] not in GENERIC or entity not in ("PERSON", "LOCATION"):
        return 1
    above = words(names[place - 1]) if place else ()
    if not PEOPLE.isdisjoint(above):
        return 1
    return -1 if against.word(above) else 1


def named_as(phrases: frozenset[str], names: Iterable[str]) -> bool:
    """Whether one of the names contains one of the phrases."""
    return any(f"_{phrase}_" in f"_{'_'.join(words(name))}_" for name in names for phrase in phrases)


def shared(names: Iterable[str]) -> frozenset[str]:
    """Names as a set of what is worth comparing: themselves in lower case, joined by _."""
    return frozenset("_".join(words(name)) for name in names)


def of_person(names: Iterable[str]) -> bool:
    """Whether a name on the path is that of a person or their account."""
    return any(t in PEOPLE for name in names for t in words(name))
