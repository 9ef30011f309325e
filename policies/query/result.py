"""Answers of governed queries: whole, or open while their rows come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from policies.plan.model import Batches
from policies.plan.unreadable import UnreadableReport


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """columns [{name, type, decision: {effect, text, ...}}], rows (see `policies.plan.model.Result`), decision {effect,
    reasons, gaps, grants, filters, expires}, window {tables: [...]}; truncated = a limit cut rows off.

    partial  None, or {limit: rows | bytes, text}: which limit it was, in words too
    unreadable  what was counted of values that do not fit their column, see `policies.plan.unreadable`
    notes    sentences about the question: what of it was not done, or does not mean what it looks like
    """

    columns: list[dict[str, Any]]
    rows: list[list[object]]
    decision: dict[str, Any]
    window: dict[str, Any]
    truncated: bool
    partial: dict[str, Any] | None = None
    unreadable: UnreadableReport = field(default_factory=UnreadableReport)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return {
            "columns": self.columns,
            "rows": self.rows,
            "decision": self.decision,
            "window": self.window,
            "truncated": self.truncated,
            "partial": self.partial,
            **self.unreadable.to_json(),
            "notes": self.notes,
        }


@dataclass(frozen=True, slots=True)
class OpenAnswer:
    """An answer whose rows are still to come: the heads of `QueryAnswer`, and the batches.

    unreadable  gives `QueryAnswer.unreadable`, once the last batch was given
    """

    columns: list[dict[str, Any]]
    decision: dict[str, Any]
    window: dict[str, Any]
    batches: Batches
    limit: int
    unreadable: Callable[[], UnreadableReport] = UnreadableReport
    notes: list[str] = field(default_factory=list)
