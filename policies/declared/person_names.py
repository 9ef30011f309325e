"""Names of people and programs: when two of them are one, and which there cannot be."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from catalog.unseen import has_unseen
from policies.declared.builtin import ADMIN_USER

OWN_NAMES = frozenset({ADMIN_USER, "weir"})
"""Names of Weir's own, as its audit has them; in any spelling they are nobody else's."""
MOST = 253
RULE = (
    f"must be 1 to {MOST} printable characters, without blanks around them, without characters that nobody sees, and without"
    " letters of two alphabets in one word"
)
_ALPHABETS = ("LATIN ", "CYRILLIC ", "GREEK ", "CHEROKEE ", "ARMENIAN ", "COPTIC ")
"""Alphabets that share shapes: a Cyrillic а in a Latin word looks as the Latin letter does."""
_WORD = re.compile(r"[^\W\d_]+")


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


def is_own(name: str) -> bool:
    """Whether a name is one of Weir's own, in any spelling."""
    return name_key(name) in OWN_NAMES


def can_be_a_name(name: str) -> bool:
    """See RULE. Control and format characters (Cc, Cf), which make two names look alike, are not printable."""
    whole = bool(name) and name == name.strip() and len(name) <= MOST and not has_unseen(name)
    return whole and (name.isascii() or not any(map(_has_two_alphabets, _WORD.findall(name))))


def _has_two_alphabets(word: str) -> bool:
    names = [unicodedata.name(letter, "") for letter in word]
    return sum(any(name.startswith(each) for name in names) for each in _ALPHABETS) > 1
