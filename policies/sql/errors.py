"""One way to refuse, with the place in the text."""

from __future__ import annotations

from catalog.errors import SqlRefused


def refused(sql: str, at: int, sentence: str, reason: str) -> SqlRefused:
    """A refusal at a character of the user's text. `reason` is a short class of it, for programs and tests."""
    line, column = place(sql, at)
    return SqlRefused(
        f"{sentence} (line {line}, column {column})",
        details={"line": line, "column": column, "reasons": [reason]},
    )


def place(sql: str, at: int) -> tuple[int, int]:
    """Line and column, both from 1, of a character."""
    before = sql[: max(0, min(at, len(sql)))]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
