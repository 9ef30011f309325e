"""A text of SQL as statements: each ends with a `;` outside of texts, quoted names and comments. Pure."""

from __future__ import annotations

import re

_PART = re.compile(
    r"""'(?:[^'\\]|\\[\s\S]|'')*(?:'|\Z)|"(?:[^"\\]|\\[\s\S]|"")*(?:"|\Z)|`(?:[^`]|``)*(?:`|\Z)"""
    r"""|--[^\n]*(?:\n|\Z)|/\*[\s\S]*?(?:\*/|\Z)|;"""
)
"""Texts, quoted names and comments, also those that have not ended yet; or the end of a statement."""
_COMMENTS = re.compile(r"\s+|--[^\n]*(?:\n|\Z)|/\*[\s\S]*?(?:\*/|\Z)")


def parted(text: str) -> tuple[list[str], str]:
    """The statements that have ended, without their `;`, and what is behind them. A line that begins with a backslash where a
    statement could begin is one of its own. What holds comments only is left out."""
    results: list[str] = []
    at = 0
    while at < len(text):
        begin = at + len(text[at:]) - len(text[at:].lstrip())
        if text.startswith("\\", begin):
            end = text.find("\n", begin)
            if end < 0:
                return results, text[begin:]
            results.append(text[begin:end].strip())
            at = end + 1
            continue
        end = next((part.start() for part in _PART.finditer(text, at) if part[0] == ";"), -1)
        if end < 0:
            break
        if not is_blank(text[at:end]):
            results.append(text[at:end].strip())
        at = end + 1
    return results, text[at:]


def is_blank(text: str) -> bool:
    """Whether a text has nothing but comments and space."""
    at = 0
    while match := _COMMENTS.match(text, at):
        at = match.end()
    return at == len(text)
