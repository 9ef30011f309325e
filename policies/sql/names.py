"""Names as Spark compares them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches


def fold(name: str) -> str:
    """A name as Java's equalsIgnoreCase compares it: each character to upper case, then to lower case, one by one.

    Python's lower() and casefold() differ from it: Spark takes `emaıl`, `EMAİL` and `\u212aey` for email and key.
    """
    return "".join(map(_fold_character, name))


def _fold_character(character: str) -> str:
    if character == "\u0130":  # İ: Python lowers it to two characters, Java to i
        return "i"
    upper = character.upper()
    upper = upper if len(upper) == 1 else character
    lower = upper.lower()
    return lower if len(lower) == 1 else upper


_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def name_sql(name: str) -> str:
    """A name as a query writes it, in back-quotes where it needs them."""
    return name if _PLAIN.match(name) else "`" + name.replace("`", "``") + "`"


def table_sql(cluster: str, topic: str) -> str:
    """A topic as a query names it, with its cluster unless that is empty."""
    return ".".join(name_sql(part) for part in (cluster, topic) if part)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name most like the given one, or None where none is near."""
    by_fold = {fold(candidate): candidate for candidate in known}
    matches = get_close_matches(fold(name), list(by_fold), n=1, cutoff=0.6)
    return by_fold[matches[0]] if matches else None
