"""The words by which search finds an entry: of names, paths, texts and kinds of personal data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from catalog.model import PERSONAL_DATA_TAG, FieldProfile
from catalog.search.language.vocabulary import builtin
from catalog.tokens import name_words, split, text_words

MOST_INSIDE = 2000  # words of its fields that find the dataset itself
_MEANT = 400  # stems, parts and concepts beside the words of names


def words_of_names(names: Iterable[str], limit: int = 200) -> str:
    """Words of so many names at most, then what else they are found by."""
    return _of_listed(tuple(names), limit)


@lru_cache(10_000)
def _of_listed(names: tuple[str, ...], limit: int) -> str:
    """Words of names, then what else they are found by."""
    vocabulary = builtin()
    more = dict.fromkeys(word for name in names for word in vocabulary.indexed(split(name)))
    return " ".join((name_words(names, limit), *list(more)[: min(limit, _MEANT)])).strip()


@lru_cache(10_000)
def words_of_path(names: tuple[str, ...]) -> str:
    """The names of a path behind its root, and what the last two mean together (`billing.address`)."""
    words = [word for name in (names[-2:] if len(names) > 2 else ()) for word in split(name)]
    return " ".join((name_words(names), *builtin().indexed(words))).strip()


@lru_cache(1000)
def words_of_text(text: str) -> str:
    """Words of a text, then what else they are found by."""
    words = text_words(text)
    return " ".join((words, *builtin().indexed(words.split()))).strip()


@lru_cache(1000)
def words_of_entities(entities: tuple[str, ...]) -> str:
    """Words of kinds of personal data, then what people call them."""
    return " ".join((name_words(with_personal_data(entities)), *builtin().of_entities(entities))).strip()


def registered_words(profile: FieldProfile | None) -> list[str]:
    """What else finds a field: the names of its registered type, its aliases, the symbols of an enumeration."""
    known = profile.details.get("registered", {}) if profile else {}
    listed = (*known.get("symbols", ()), *known.get("aliases", ()), *known.get("union", ()))
    return [str(each) for each in (known.get("name"), *listed) if each is not None][:MOST_INSIDE]


def with_personal_data(entities: Sequence[str]) -> tuple[str, ...]:
    """What holds personal data of any kind is found by that word too."""
    return (*entities, PERSONAL_DATA_TAG) if entities else ()
