"""Where other engines read a pattern otherwise than `regex`, which presidio uses and which defines what a pattern means.

hyperscan runs a pattern over all texts of a column at once, RE2 over one text in linear time. Neither may miss a text that
`regex` finds: a field with personal data would look clean. All with presidio's flags: case ignored, lines, any character.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_WHOLE_ESCAPE = re.compile(r"\\(?:[pP]\{(?!\^?Lt\})[^}]*\}|.)", re.DOTALL)
"""One that leaves no brace behind, but for \\p{Lt}, which is any letter with case to `regex` where case is ignored."""
_ENDS = {"A": "^", "G": "^", "Z": "$", "z": "$"}
_NEWER_ENDS = {"G": r"\A", "z": r"\Z"}
_ONLY_REGEX = re.compile(r"\{(?!\d+(?:,\d*)?\})|\(\?[a-zA-Z]*-[a-zA-Z]*m|\(\?\(")
"""`{,3}` and fuzzy `{e<=1}` are plain characters elsewhere; `(?-m:$)` is the end of the whole text, or before a line break
there; of a condition `(?(1)a|b)` hyperscan misses the one side."""

_CLASSES = frozenset("wWdDsSbBpP")
"""Escapes that RE2 takes for classes of ASCII, or of an older Unicode."""
_WORDS = frozenset("wWpP")
"""Those of which hyperscan's Unicode leaves out many characters, such as all that combine (é of two, vowels of Hindi)."""

_CASED_ALIKE = re.compile("[\x00-\u012f\u0132-\u024f\u0370-\u0482\u048a-\u0527\u4e00-\u9fcc\uac00-\ud7a3]*")
"""A pattern of these characters has no letter that got its other case after hyperscan's Unicode."""
_READ_OTHERWISE = re.compile("[\u0130\u0de6-\u0def\u180e\u1c80-\u1c8f\ua9f0-\ua9f9\U00010000-\U0010ffff]")
"""What hyperscan does not count as a digit or no blank though it is; İ, which is not an i to it; letters of a later case."""
_NO_WORDS = re.compile(
    "[^\x00-\u012f\u0131-\u02ff\u0370-\u0482\u048a-\u0557\u1e00-\u200b\u2010-\u203e\u2055-\u2064\u20a0-\u20cf\u20f1-\u24b5\u24ea-\u2c2e"
    "\u3000-\u3020\u3041-\u3096\u30a0-\u30ff\u31c0-\u4db5\u4e00-\u9fcc\uac00-\ud7a3\uff01-\uff3e\uff40-\uff60]"
)
"""All but the characters of which it is known that hyperscan and `regex` agree whether they are part of a word."""
_ANY = re.compile(r"[^\x00-\x7f]")


def encodable(texts: Sequence[str]) -> Sequence[str]:
    """The texts without lone surrogates, which JSON may hold and UTF-8, RE2 and spaCy may not."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        return [text.encode("utf-8", "replace").decode() for text in texts]
    return texts


def only_regex(expression: str) -> bool:
    """Whether other engines would read something else in the pattern."""
    return _ONLY_REGEX.search(_WHOLE_ESCAPE.sub("_", expression)) is not None


def for_re(expression: str) -> str:
    """The pattern in what `re` knows of anchors, when it is only to be taken apart."""
    return _ESCAPE.sub(lambda m: _NEWER_ENDS.get(m[1], m[0]), expression)


def for_lines(expression: str) -> str:
    """The pattern for texts that are joined with line breaks between them.

    An end of a text is there the end of a line, which may stop at more texts and at none less.
    """
    return _ESCAPE.sub(lambda m: _ENDS.get(m[1], m[0]), expression)


def unsure(expression: str) -> re.Pattern[str]:
    """Characters; of a text with one of them hyperscan cannot prove that the pattern is not in it."""
    if "[:" in expression or not _CASED_ALIKE.fullmatch(expression):
        return _ANY
    return _NO_WORDS if _has(expression, _WORDS) else _READ_OTHERWISE


def re2_reads_alike(expression: str) -> Callable[[str], bool]:
    """Whether RE2 finds the pattern in a text where `regex` does, as far as characters go."""
    if _has(expression, _CLASSES):
        return lambda text: text.isascii() and "\v" not in text
    return lambda text: text.isascii() or "\u0130" not in text


def _has(expression: str, letters: frozenset[str]) -> bool:
    return "[:" in expression or not letters.isdisjoint(_ESCAPE.findall(expression))
