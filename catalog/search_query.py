"""What people type into the search box -> needles. Pure; every text is understood somehow."""

from __future__ import annotations

import re

from catalog.search_model import Needle
from catalog.words import spelled, split

_PART = re.compile(r'"([^"]*)"|(\S+)')
_MOST_NEEDLES = 12  # of a longer text only the beginning is searched for
_MOST_WORDS = 16


def parse(text: str) -> tuple[tuple[Needle, ...], str | None]:
    """(needles, the whole as a name) of a query; ((), None) for an empty one.

    Words in quotes must stand side by side. `customer.email`, `customerEmail` and `e-mail` are one needle each, whose
    words may also stand apart or be written as one.
    """
    text = text.strip()
    if not text:
        return (), None
    needles: list[Needle] = []
    for phrase, token in _PART.findall(text):
        words = tuple(split(phrase or token)[:_MOST_WORDS])
        if not words:
            continue
        joined = "".join(words) if len(words) > 1 and not phrase and len("".join(words)) <= 64 else None
        needles.append(Needle(words, joined, phrase=bool(phrase) and len(words) > 1, prefix=not phrase))
        if len(needles) == _MOST_NEEDLES:
            break
    return tuple(needles), spelled(text.strip('"'))
