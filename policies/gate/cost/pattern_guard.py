"""Patterns that can keep the engine busy for ever, which are refused.

Nothing stops a pattern of Java's once it is being matched. So this looks for the forms that grow beyond measure, and lets
their everyday relatives be. How long values get is left to the engine: docs/decisions/0072-what-the-engine-bounds.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from policies.gate.cost.pattern_calls import PATTERNS_AT, written
from policies.gate.cost.patterns import endless, is_readable, like_is_endless
from policies.sql.words import words

Problem = tuple[Any, str, str]
"""The node, the sentence, the class of the reason."""

_MAKES_CHARACTERS = words(
    "chr char unhex unbase64 to_binary try_to_binary url_decode try_url_decode typeof aes_decrypt try_aes_decrypt"
    " format_string printf"
)
"""Functions that can make a bracket of a text that has none."""
_MAKES_MANY = words("repeat lpad rpad array_repeat array_join aggregate reduce listagg string_agg")


def problems(root: exp.Expression) -> Iterator[Problem]:
    for node in root.walk():
        if isinstance(node, exp.Anonymous):
            name = str(node.this).lower()
            for at in PATTERNS_AT.get(name, ()):
                if len(node.expressions) > at:
                    yield from _pattern(root, node, node.expressions[at])
            if name in ("like", "ilike") and len(node.expressions) > 1:
                yield from _like(root, node, *node.expressions[1:3])
        elif isinstance(node, exp.RegexpLike):
            yield from _pattern(root, node, node.expression)
        elif isinstance(node, (exp.Like, exp.ILike)):
            escape = node.parent.expression if isinstance(node.parent, exp.Escape) else None
            yield from _like(root, node, node.expression, escape)


def _compiles(pattern: str) -> bool:
    """False for a pattern that neither Java nor Python reads, such as one with an open bracket."""
    if is_readable(pattern):
        return True
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def _pattern(root: exp.Expression, node: Any, pattern: Any) -> Iterator[Problem]:
    text_of = written(pattern)
    if text_of is not None:
        if endless(text_of) or not _compiles(text_of):
            text = (
                "One text can fit the pattern in so many ways that it keeps the engine busy for ever;"
                " write a+ instead of (a+)+, and [^,]* instead of .* before a comma."
            )
            unread = "The pattern cannot be read as a regular expression; mind its brackets and repetitions."
            yield node, text if is_readable(text_of) else unread, "pattern"
        return
    # It may be put together of texts of the query, so none of them may open a group, or be repeated.
    literals = (each for each in root.find_all(exp.Literal) if each.is_string)
    texts = [each.name for each in literals if not isinstance(each.parent, exp.Predicate) or each.parent is node]
    if any("(" in text or "\\u" in text for text in texts):
        yield node, "A pattern with groups is written out as one text.", "pattern"
    elif (name := _makes_characters(root)) is not None or (name := _makes_many(root, "*+{")) is not None:
        yield node, f"A pattern beside {name} is written out as one text.", "pattern"


def _like(root: exp.Expression, node: Any, pattern: Any, escape: Any = None) -> Iterator[Problem]:
    if isinstance(pattern, (exp.Any, exp.All)):
        pattern = pattern.this
    if isinstance(pattern, (exp.Tuple, exp.Paren)):
        for each in pattern.expressions or [pattern.this]:
            yield from _like(root, node, each, escape)
        return
    text_of = written(pattern)
    if text_of is not None:
        if like_is_endless(text_of, escape.name if isinstance(escape, exp.Literal) else "\\"):
            yield node, "The pattern of LIKE has so many % that one text can keep it busy for ever.", "pattern"
    elif (name := _makes_many(root, "%")) is not None:
        yield node, f"A pattern of LIKE beside {name} is written out as one text.", "pattern"


def _makes_characters(root: exp.Expression) -> str | None:
    calls = (str(each.this).lower() for each in root.find_all(exp.Anonymous))
    called = next((name for name in calls if name in _MAKES_CHARACTERS), None)
    binary = any(each.this == exp.DType.BINARY for each in root.find_all(exp.DataType))
    return called or ("BINARY" if binary or root.find(exp.HexString) is not None else None)


def _makes_many(root: exp.Expression, signs: str) -> str | None:
    """A call that can write one of the signs many times over."""

    def signed(node: Any) -> bool:
        literals = (each for each in node.find_all(exp.Literal) if each.is_string)
        return any(sign in each.name for each in literals for sign in signs)

    if not signed(root):
        return None
    for call in root.find_all(exp.Anonymous):
        name = str(call.this).lower()
        if name in _MAKES_MANY and (signed(call) or (name == "repeat" and call.find(exp.Column) is not None)):
            return name
        if name == "replace" and len(call.expressions) > 2 and signed(call.expressions[2]):
            return name
    return None
