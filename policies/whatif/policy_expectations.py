"""What a test of policies expected, held against what was found: nothing, or a problem {what, expected, found}."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from policies.model import ColumnDecision, Decision, Effect
from policies.whatif.policy_cases import Expected


def problem(what: str, expected: Any, found: Any) -> dict[str, Any]:
    return {"what": what, "expected": expected, "found": found}


def effect(expect: Expected, found: str, about: str = "") -> list[dict[str, Any]]:
    if expect.effect is None or expect.effect == found:
        return []
    return [problem(f"effect{about}", expect.effect, found)]


def closed(expect: Expected, found: str) -> list[dict[str, Any]]:
    """Of a query that would not run: whatever else was expected of it does not hold."""
    return [] if expect.effect == found else [problem("effect", expect.effect or "allow", found)]


def mask(expect: Expected, column: ColumnDecision, about: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    if expect.mask is not None:
        named = str(column.mask.type) if column.mask is not None and column.effect is Effect.ALLOW else "none"
        if named != expect.mask.upper():
            found.append(problem(f"mask{about}", expect.mask, named))
    if expect.clear_when is not None and _sql_text(expect.clear_when) != _sql_text(column.clear_when or ""):
        found.append(problem(f"clear_when{about}", expect.clear_when, column.clear_when or "none"))
    return found


def filters(expect: Expected, decisions: Sequence[Decision]) -> list[dict[str, Any]]:
    if expect.filter is None:
        return []
    wanted = [expect.filter] if isinstance(expect.filter, str) else expect.filter
    wanted = [w for w in wanted if w and w.lower() != "none"]
    found = sorted({f.where for d in decisions for f in d.filters})
    if sorted(map(_sql_text, wanted)) == sorted(map(_sql_text, found)):
        return []
    return [problem("filter", "; ".join(wanted) or "none", "; ".join(found) or "none")]


def _sql_text(text: str) -> str:
    """A condition without its blanks and outer brackets, for comparing."""
    shown = "".join(text.split())
    while shown.startswith("(") and shown.endswith(")"):
        shown = shown[1:-1]
    return shown
