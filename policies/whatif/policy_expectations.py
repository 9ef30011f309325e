"""What a test of policies expected, compared with the result."""

from __future__ import annotations

from collections.abc import Sequence

from policies.model import ColumnDecision, Decision, Effect
from policies.whatif.policy_cases import Expected

Unmet = dict[str, str]
"""{what, expected, found} of an expectation that the result does not meet."""


def problem(what: str, expected: str, actual: str) -> Unmet:
    return {"what": what, "expected": expected, "found": actual}


def effect(expect: Expected, actual: str, about: str = "") -> list[Unmet]:
    if expect.effect is None or expect.effect == actual:
        return []
    return [problem(f"effect{about}", expect.effect, actual)]


def closed(expect: Expected, actual: str) -> list[Unmet]:
    """Of a query that would not run: whatever else was expected of it does not hold."""
    return [] if expect.effect == actual else [problem("effect", expect.effect or "allow", actual)]


def mask(expect: Expected, column: ColumnDecision, about: str) -> list[Unmet]:
    problems: list[Unmet] = []
    if expect.mask is not None:
        actual = str(column.mask.type) if column.mask is not None and column.effect is Effect.ALLOW else "none"
        if actual != expect.mask.upper():
            problems.append(problem(f"mask{about}", expect.mask, actual))
    if expect.clear_when is not None and _sql_text(expect.clear_when) != _sql_text(column.clear_when or ""):
        problems.append(problem(f"clearWhen{about}", expect.clear_when, column.clear_when or "none"))
    return problems


def filters(expect: Expected, decisions: Sequence[Decision]) -> list[Unmet]:
    if expect.filter is None:
        return []
    expected = [expect.filter] if isinstance(expect.filter, str) else expect.filter
    expected = [w for w in expected if w and w.lower() != "none"]
    actual = sorted({f.where for d in decisions for f in d.filters})
    if sorted(map(_sql_text, expected)) == sorted(map(_sql_text, actual)):
        return []
    return [problem("filter", "; ".join(expected) or "none", "; ".join(actual) or "none")]


def _sql_text(text: str) -> str:
    """A condition without its blanks and outer brackets, for comparing."""
    compact = "".join(text.split())
    while compact.startswith("(") and compact.endswith(")"):
        compact = compact[1:-1]
    return compact
