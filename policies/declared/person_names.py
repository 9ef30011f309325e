"""Names of people and programs: when two of them are one, and which there cannot be."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from policies.declared.builtin import ADMIN_USER

OWN_NAMES = frozenset({ADMIN_USER, "weir"})
"""Names of Weir's own, as its audit has them; in any capitals they are nobody else's."""
MOST = 253
RULE = f"must be 1 to {MOST} printable characters, without blanks around them and without characters that nobody sees"


def plain(name: str) -> str:
    """The name with each letter composed (NFC): a provider may send `é` as one character, a directory as two."""
    return unicodedata.normalize("NFC", name)


@lru_cache(65_536)
def name_key(name: str) -> str:
    """One text for all spellings of a name that must not be two people: capitals, composed and decomposed letters."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def can_be_a_name(name: str) -> bool:
    """See RULE. Control and format characters (Cc, Cf), which make two names look alike, are not printable."""
    return bool(name) and name == name.strip() and name.isprintable() and len(name) <= MOST
