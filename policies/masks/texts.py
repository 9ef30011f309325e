"""Texts with letters and digits crossed out, as Spark SQL and in Python: what masks of texts are made of."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

_KEEPS_SIGNS = r"[^\\p{Lu}\\p{Lt}\\p{N}\\p{Punct}\\s\\p{Cntrl}]"
_SIGNS = frozenset(chr(n) for n in range(128) if not chr(n).isalnum())
# Digits of Unicode 15, which Java 21 knows and Python 3.11 does not.
_NEW_DIGITS = frozenset(
    chr(n)
    for first, last in ((0x11F50, 0x11F59), (0x1D2C0, 0x1D2D3), (0x1E4F0, 0x1E4F9))
    for n in range(first, last + 1)
)


def redacted_sql(value: str) -> str:
    """Letters become x or X, digits n; all else of ASCII stays; anything else becomes x."""
    upper = rf"regexp_replace({value}, '[\\p{{Lu}}\\p{{Lt}}]', 'X')"
    rest = f"regexp_replace({upper}, '{_KEEPS_SIGNS}', 'x')"
    return _quickly(value, f"mask({value}, 'X', 'x', 'n', NULL)", rf"regexp_replace({rest}, '\\p{{N}}', 'n')")


def redacted(text: str) -> str:
    """The same in Python."""

    def one(character: str) -> str:
        if character in _SIGNS:
            return character
        kind = "No" if character in _NEW_DIGITS else unicodedata.category(character)
        return "X" if kind in ("Lu", "Lt") else "n" if kind.startswith("N") else "x"

    return "".join(map(one, text))


def partly_sql(value: str, show: int, hidden: str, join: Callable[[str], str]) -> str:
    """The `hidden` part crossed out and joined with what is shown; all of a text that is no longer than that.

    Everything but blanks and ASCII signs becomes x, as Ranger's partial masks do.
    """

    def masked(crossed_out: Callable[[str], str]) -> str:
        return f"CASE WHEN length({value}) > {show} THEN {join(crossed_out(hidden))} ELSE {crossed_out(value)} END"

    quick = masked(lambda text: f"mask({text}, 'x', 'x', 'x', NULL)")
    return _quickly(
        value, quick, masked(lambda text: rf"regexp_replace({text}, '[^\\p{{Punct}}\\s\\p{{Cntrl}}]', 'x')")
    )


def crossed(text: str) -> str:
    """Everything but blanks and ASCII signs as x."""
    return "".join(c if c in _SIGNS else "x" for c in text)


def _quickly(value: str, quick: str, otherwise: str) -> str:
    """Spark's own mask function for texts of ASCII, for which it does the same in a fifth of the time."""
    return f"CASE WHEN length({value}) = octet_length({value}) THEN {quick} ELSE {otherwise} END"
