"""A tree as the Spark SQL that runs."""

from __future__ import annotations

from typing import Any

from policies.sql.lexer import DIALECT


def to_sql(tree: Any, *, spent: bool = False) -> str:
    """All names quoted, functions as they were spelt, without comments. One way only: what the engine quotes from the
    text that ran is found again by comparing with it. `spent`: nobody uses the tree afterwards, which may be changed."""
    written = tree.sql(dialect=DIALECT, identify=True, comments=False, normalize_functions=False, copy=not spent)
    return str(written)
