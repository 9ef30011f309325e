r"""Sets of characters as Java's patterns write them, each as bits over some hundreds of characters.

An alphabet holds the first 592 characters, some of other scripts, and those of the pattern itself, so that two sets
that share a character anywhere nearly always share one here. A set that cannot be read is every character.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from policies.sql.words import words

_FIRST = 0x250
_OTHERS = "\u2028\u2029\u1680\u3000αΩжЖאع中日가ก😀€№"
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_SPACE = " \t\n\x0b\f\r"
_ACROSS = " \t\xa0\u1680\u180e\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_DOWN = "\n\x0b\f\r\x85\u2028\u2029"
_POSIX: dict[str, Callable[[str], bool]] = {
    "lower": str.islower,
    "upper": str.isupper,
    "ascii": str.isascii,
    "alpha": str.isalpha,
    "digit": str.isdigit,
    "alnum": str.isalnum,
    "blank": lambda c: c in " \t",
    "space": lambda c: c in _SPACE,
    "whitespace": str.isspace,
    "white_space": str.isspace,
    "xdigit": lambda c: c in "0123456789abcdefABCDEF",
    "cntrl": lambda c: not c.isprintable(),
    "punct": lambda c: unicodedata.category(c)[0] in "PS",
    "graph": lambda c: c.isprintable() and not c.isspace(),
    "print": str.isprintable,
    "alphabetic": str.isalpha,
    "letter": str.isalpha,
    "letterordigit": str.isalnum,
    "lowercase": str.islower,
    "uppercase": str.isupper,
    "punctuation": lambda c: unicodedata.category(c)[0] == "P",
    "any": lambda c: True,
    "all": lambda c: True,
    "assigned": lambda c: True,
}
_ASCII_ONLY = frozenset(
    {
        "Lower",
        "Upper",
        "ASCII",
        "Alpha",
        "Digit",
        "Alnum",
        "Punct",
        "Graph",
        "Print",
        "Blank",
        "Cntrl",
        "XDigit",
        "Space",
    }
)
_SCRIPTS = words("latin greek cyrillic hebrew arabic han hiragana katakana hangul thai")


class Alphabet:
    """The characters that represent all, and sets of them as bits."""

    ESCAPE = re.compile(
        r"\\(?:[pP]\{[^}]*\}|[pP][A-Z]|x\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|0[0-3]?[0-7]{1,2}"
        r"|N\{[^}]*\}|c.|[dDwWsShHvVtnrfae]|[^A-Za-z0-9])",
        re.DOTALL,
    )

    def __init__(self, pattern: str) -> None:
        more = {chr(int(h, 16)) for h in re.findall(r"\\(?:x\{0*|u)([0-9a-fA-F]{1,5})", pattern)}
        self.characters = "".join(sorted({*map(chr, range(_FIRST)), *_OTHERS, *pattern, *more}))
        self._bit = {c: 1 << n for n, c in enumerate(self.characters)}
        self.everything = (1 << len(self.characters)) - 1
        self._found: dict[tuple[str, bool], int] = {}

    def one(self, character: str) -> int:
        return self._bit.get(character, self.everything)

    def of(self, holds: Callable[[str], bool]) -> int:
        return sum(bit for character, bit in self._bit.items() if holds(character))

    def between(self, low: int, high: int) -> int:
        """All from the one character of `low` to that of `high`; both sets when they are more than one character."""
        if low & (low - 1) or high & (high - 1) or high < low:
            return low | high
        return (high << 1) - low

    def dot(self, flags: frozenset[str]) -> int:
        if "s" in flags:
            return self.everything
        ends = "\n" if "d" in flags else "\n\r\x85\u2028\u2029"
        return self.everything & ~self.of(lambda c: c in ends)

    def any_case(self, mask: int) -> int:
        for character, bit in self._bit.items():
            if mask & bit:
                for other in {character.lower(), character.upper()}:
                    mask |= self._bit.get(other, 0)
        return mask

    def escape(self, text: str, flags: frozenset[str]) -> int:
        """The set of an escape, `text` without its backslash."""
        key = text, "U" in flags
        if key not in self._found:
            self._found[key] = self._escape(text, "U" in flags)
        return self._found[key]

    def _escape(self, text: str, unicode: bool) -> int:
        letter = text[0]
        if letter in "xu":
            return self.one(_character(text[1:].strip("{}"), 16))
        if letter == "0":
            return self.one(_character(text[1:], 8))
        if letter in _CONTROLS:
            return self.one(_CONTROLS[letter])
        if letter == "c":
            return self.one(chr(ord(text[1]) ^ 64))
        if letter in "NX":
            return self.everything
        if letter in "pP":
            mask = self._property(text[1:].strip("{}^"))
            return mask if letter == "p" or mask == self.everything else self.everything & ~mask
        if letter.lower() in "dwshv":
            mask = self.of(_short(letter.lower(), unicode))
            return mask if letter.islower() else self.everything & ~mask
        return self.one(letter)

    def _property(self, name: str) -> int:
        if name in _ASCII_ONLY:
            return self.of(lambda c: c.isascii() and _POSIX[name.lower()](c))
        short = re.sub(r"\A(?:Is|java|(?:\w+=))", "", name)
        if short.lower() in _POSIX:
            return self.of(_POSIX[short.lower()])
        script = re.sub(r"\A(?:Is|In|(?:\w+=))", "", name).lower()
        if script in _SCRIPTS:
            word = {"han": "CJK"}.get(script, script.upper())
            return self.of(lambda c: unicodedata.name(c, "").startswith(word))
        if re.fullmatch(r"[CLMNPSZ][a-z]?", short):
            return self.of(lambda c: unicodedata.category(c).startswith(short))
        return self.everything


def _short(letter: str, unicode: bool) -> Callable[[str], bool]:
    if letter == "d":
        return str.isdigit if unicode else lambda c: c in "0123456789"
    if letter == "w":
        return lambda c: (c.isalnum() or c == "_") and (unicode or c.isascii())
    if letter == "s":
        return str.isspace if unicode else lambda c: c in _SPACE
    return (lambda c: c in _ACROSS) if letter == "h" else (lambda c: c in _DOWN)


def _character(digits: str, base: int) -> str:
    code = int(digits, base)
    return chr(code) if code < 0x110000 else "\ufffd"
