"""Which names of people and programs there can be, and which are Weir's own."""

from __future__ import annotations

import re
import unicodedata

from catalog.unseen import has_unseen
from policies.declared.builtin import ADMIN_USER
from policies.spellings import name_key

OWN_NAMES = frozenset({ADMIN_USER, "weir"})
"""Names of Weir's own, as its audit has them; in any spelling they are nobody else's."""
MOST = 253
RULE = (
    f"must be 1 to {MOST} printable characters, without blanks around them, without characters that nobody sees, and without"
    " letters of two alphabets in one word"
)
_ALPHABETS = ("LATIN ", "CYRILLIC ", "GREEK ", "CHEROKEE ", "ARMENIAN ", "COPTIC ")
"""Alphabets that share shapes: a Cyrillic а in a Latin word looks as the Latin letter does."""
_WORD = re.compile(r"[^\W_]+")


def is_own(name: str) -> bool:
    """Whether a name is one of Weir's own, in any spelling."""
    return name_key(name) in OWN_NAMES


def can_be_a_name(name: str) -> bool:
    """See RULE. Control and format characters (Cc, Cf), which make two names look alike, are not printable."""
    whole = bool(name) and name == name.strip() and len(name) <= MOST and not has_unseen(name)
    return whole and (name.isascii() or not any(map(_has_two_alphabets, _WORD.findall(_without_marks(name)))))


def _without_marks(name: str) -> str:
    return "".join(each for each in unicodedata.normalize("NFD", name) if not unicodedata.combining(each))


def _has_two_alphabets(word: str) -> bool:
    names = [unicodedata.name(letter, "") for letter in word]
    return sum(any(name.startswith(each) for name in names) for each in _ALPHABETS) > 1
