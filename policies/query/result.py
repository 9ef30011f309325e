"""Answers of governed queries: whole, or open while their rows come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from policies.plan.answer_parts import AnswerColumn, Partial, QueryDecision, QueryWindow
from policies.plan.model import Batches
from policies.plan.unreadable import UnreadableCounts, UnreadableReport


class AnswerJson(UnreadableCounts):
    """A whole answer, as JSON has it."""

    columns: list[AnswerColumn]
    rows: list[list[object]]
    decision: QueryDecision
    window: QueryWindow
    truncated: bool
    partial: Partial | None
    notes: list[str]


@dataclass(frozen=True, slots=True)
class QueryAnswer:
    """`rows`: see `policies.plan.model.Result`; `truncated`: a limit cut rows off.

    unreadable  what was counted of values that do not fit their column, see `policies.plan.unreadable`
    notes    sentences about the question: what of it was not done, or does not mean what it looks like
    """

    columns: list[AnswerColumn]
    rows: list[list[object]]
    decision: QueryDecision
    window: QueryWindow
    truncated: bool
    partial: Partial | None = None
    unreadable: UnreadableReport = field(default_factory=UnreadableReport)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> AnswerJson:
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

    columns: list[AnswerColumn]
    decision: QueryDecision
    window: QueryWindow
    batches: Batches
    limit: int
    unreadable: Callable[[], UnreadableReport] = UnreadableReport
    notes: list[str] = field(default_factory=list)
