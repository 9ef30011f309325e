"""Names into words, the same way for what is indexed and what is asked. Pure.

Done here and not by the search server: its analyzers differ between installations, and this can be tested alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

CHUNK = re.compile(r"[^\W_]+")
_LONGEST = 64  # letters of a word; more is a key or a hash, found by its spelling
_MAP_KEY = re.compile(r"\{([^}]*)\}")
_DOTS = re.compile(r"\.{2,}")
_SPELLED = 8000  # letters; Lucene takes terms of up to 32,766 bytes


def fold(text: str) -> str:
    """Without accents and compatibility forms; what cannot be encoded is dropped."""
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFKD", text.encode("utf-8", "ignore").decode())
    return "".join(c for c in decomposed if not unicodedata.combining(c))


def split(text: str) -> list[str]:
    """`customerEmail_2` -> customer, email, 2. Lower case, accents folded, in order, repeats kept."""
    return [word for chunk in CHUNK.findall(fold(text)) for word in _words(chunk)]


@lru_cache(50_000)
def _words(chunk: str) -> tuple[str, ...]:
    return tuple(chunk[start:end].lower()[:_LONGEST] for start, end in parts(chunk))


def parts(chunk: str) -> list[tuple[int, int]]:
    """Where the words of a run of letters and digits begin and end: at aB, ABc, letter-digit, and between scripts."""
    if chunk.isascii() and chunk.isalpha() and (chunk.islower() or chunk.isupper()):
        return [(0, len(chunk))]
    kinds = [_kind(c) for c in chunk]
    cuts = [0]
    for n in range(1, len(chunk)):
        before, here = kinds[n - 1], kinds[n]
        new_word = before == "u" and here == "u" and n + 1 < len(chunk) and kinds[n + 1] == "l"
        if new_word or (before != here and (before, here) != ("u", "l")):
            cuts.append(n)
    return list(zip(cuts, [*cuts[1:], len(chunk)], strict=True)) if chunk else []


def _kind(letter: str) -> str:
    if letter.isupper():
        return "u"
    if letter.islower():
        return "l"
    return "d" if letter.isdigit() else "o"


def name_words(names: Iterable[str], limit: int = 200) -> str:
    """The words of names with each name also as one word (`email_address` -> email address emailaddress)."""
    words: dict[str, None] = {}
    for name in names:
        parts = split(name)
        words.update(dict.fromkeys(parts))
        if len(parts) > 1:
            words["".join(parts)[:_LONGEST]] = None
        if len(words) >= limit:
            break
    return " ".join(list(words)[:limit])


def text_words(text: str, limit: int = 1000) -> str:
    """The words of a sentence, in order, so that a phrase can be found."""
    return " ".join(split(text)[:limit])


def spelled(text: str) -> str:
    """A path or name as people type it: `value.items[].sku` -> value.items.sku; lower case."""
    plain = fold(text).replace("[]", "").replace("`", "").replace("@keys", ".keys")
    if "{" in plain:
        plain = _MAP_KEY.sub(r".\1", plain)
    return _DOTS.sub(".", plain).strip(". \t\r\n").lower()[:_SPELLED]


def suffixes(name: str, limit: int = 12) -> tuple[str, ...]:
    """The ends of a dotted name that have at least one dot: a.b.c.d -> b.c.d, c.d."""
    parts = name.split(".")
    return tuple(".".join(parts[start:]) for start in range(max(1, len(parts) - limit), len(parts) - 1))
