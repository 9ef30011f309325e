"""Conditions on rows, as far as a decision needs them: AND of ORs of SQL texts that are never looked into.

`ALWAYS` is the empty AND. No NOT ever occurs, so whether one condition follows from another is known exactly, for
texts that are independent of each other: every OR of the second must contain an OR of the first.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable

from catalog.errors import InvalidInput

Condition = frozenset[frozenset[str]]

ALWAYS: Condition = frozenset()
MAX_CLAUSES = 1024


def rows(texts: Iterable[str | None]) -> Condition:
    """True in a row where any of the texts is; None among them is true in every row."""
    conditions = list(texts)
    return (
        ALWAYS if any(t is None for t in conditions) else frozenset({frozenset(t for t in conditions if t is not None)})
    )


def either(first: Condition, second: Condition) -> Condition:
    """True where one of the two is. Raises InvalidInput where the result would be larger than anybody could read."""
    if len(first) * len(second) > MAX_CLAUSES:
        raise InvalidInput("the conditions on rows of the grants that apply are too many to combine; revoke some.")
    return _smallest(a | b for a in first for b in second)


def any_of(parts: Iterable[Condition]) -> Condition:
    """True where any part is; ALWAYS for no parts."""
    conditions = list(parts)
    return ALWAYS if not conditions or ALWAYS in conditions else functools.reduce(either, conditions)


def both(*parts: Condition) -> Condition:
    """True where all are."""
    return _smallest(clause for part in parts for clause in part)


def beyond(known: Condition, wanted: Condition) -> Condition:
    """What `wanted` still asks for in rows where `known` is true; ALWAYS when it asks for nothing more."""
    return frozenset(clause for clause in wanted if not any(k <= clause for k in known))


def text(condition: Condition) -> str:
    """The condition as SQL, the same text for the same condition. A single text stays as it was written."""
    clauses = sorted(sorted(clause) for clause in condition)
    if len(clauses) == 1:
        return _either_text(clauses[0], alone=True)
    return " AND ".join(_either_text(clause, alone=False) for clause in clauses)


def _either_text(texts: list[str], alone: bool) -> str:
    if not texts:
        return "FALSE"
    if len(texts) == 1:
        return texts[0] if alone else f"({texts[0]})"
    joined = " OR ".join(f"({t})" for t in texts)
    return joined if alone else f"({joined})"


def _smallest(clauses: Iterable[frozenset[str]]) -> Condition:
    """Without the clauses that follow from a smaller one."""
    different = set(clauses)
    return frozenset(c for c in different if not any(other < c for other in different))
