"""Spellings of the names of people and programs: when two of them are one. Pure."""

from __future__ import annotations

import unicodedata
from functools import lru_cache


def plain(name: str) -> str:
    """The name with each letter composed (NFC): a provider may send `é` as one character, a directory as two."""
    return unicodedata.normalize("NFC", name)


@lru_cache(65_536)
def name_key(name: str) -> str:
    """One text for all spellings of a name that must not be two people: capitals, composed and decomposed letters, other
    forms of a letter such as a full-width one (Unicode's toNFKC_Casefold)."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFD", name).casefold()).casefold()
    return unicodedata.normalize("NFKC", folded)


def earlier_keys(name: str) -> frozenset[str]:
    """Keys under which Weir wrote a name before `name_key` was what it is."""
    return frozenset({name.casefold(), unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())})


def same_person(one: str, other: str) -> bool:
    """Whether two names are spellings of one."""
    return one == other or name_key(one) == name_key(other)
