"""Functions of texts, as Spark has them: characters are code points, the first is 1. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable

from sqlglot import exp

from views.serving.where.refusals import refused

LONGEST = 1_000_000
"""Characters of a text that an expression makes."""


def bounded(text: str) -> str:
    """Raises InvalidInput for a text that is too long."""
    return text if len(text) <= LONGEST else too_long()


def too_long() -> str:
    raise refused(
        f"where makes a text of more than {LONGEST} characters", how="leave out concat, || or replace of long texts"
    )


def substring(text: str, start: int, length: int | None) -> str:
    first = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    if length is None:
        return text[max(0, first) :]
    return text[max(0, first) : max(0, first + length)]


def left(text: str, length: int) -> str:
    return text[: max(0, length)]


def right(text: str, length: int) -> str:
    return text[-length:] if length > 0 else ""


def replace(text: str, old: str, new: str) -> str:
    if not old:
        return text
    if len(text) + text.count(old) * (len(new) - len(old)) > LONGEST:
        return too_long()
    return text.replace(old, new)


def trim(where: str) -> Callable[[str, str], str]:
    """`where`: leading, trailing or both."""
    return {"leading": str.lstrip, "trailing": str.rstrip}.get(where, str.strip)


def like(pattern: str, escape: str, node: exp.Expression) -> Callable[[str], bool]:
    """Whether a text is as LIKE's pattern. It takes time in proportion to the text and the pattern. Raises InvalidInput for a
    pattern whose escape precedes an ordinary character."""
    parts = _pattern_parts(pattern, escape, node)
    if len(parts) == 1:
        return lambda text: parts[0].fullmatch(text) is not None
    first, *middle, last = parts
    last_length = len(_letters(last.pattern))

    def check(text: str) -> bool:
        begin = first.match(text)
        at = begin.end() if begin else -1
        end = len(text) - last_length
        if at < 0 or end < at or not last.fullmatch(text, end):
            return False
        for each in middle:
            result = each.search(text, at, end)
            if result is None:
                return False
            at = result.end()
        return True

    return check


def _letters(pattern: str) -> list[str]:
    return re.findall(r"\\.|.", pattern, re.S)


def _pattern_parts(pattern: str, escape: str, node: exp.Expression) -> list[re.Pattern[str]]:
    """The parts between the `%` of a pattern: each matches a fixed number of characters."""
    parts = [""]
    letters = iter(pattern)
    for letter in letters:
        if letter == escape:
            following = next(letters, "")
            if following not in ("%", "_", escape) or not following:
                raise refused(
                    "where has a pattern of LIKE in which the escape is followed by an ordinary character",
                    node,
                    how="write the escape before %, _ or itself only",
                )
            parts[-1] += re.escape(following)
        elif letter == "%":
            parts.append("")
        else:
            parts[-1] += "." if letter == "_" else re.escape(letter)
    return [re.compile(each, re.S) for each in parts]
