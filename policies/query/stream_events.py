"""Events of a push query, as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict

from catalog.errors import WeirError
from policies.plan.answer_parts import AnswerColumn, QueryDecision


class ColumnsEvent(TypedDict):
    """Comes first, and whenever a decision changes what shows."""

    type: Literal["columns"]
    columns: list[AnswerColumn]
    decision: QueryDecision


class RowsEvent(TypedDict):
    """Rows, in the order of the columns; `unreadable`: values that did not fit since the query began."""

    type: Literal["rows"]
    rows: list[list[object]]
    truncated: bool
    unreadable: Mapping[str, int]


class UnreadableEvent(TypedDict):
    """Values that did not fit since the query began, and a sentence on them."""

    type: Literal["unreadable"]
    unreadable: Mapping[str, int]
    text: str


class IdleEvent(TypedDict):
    """Comes about every second without news."""

    type: Literal["idle"]


class EndEvent(TypedDict):
    """The last event: access ended, or the engine failed."""

    type: Literal["end"]
    code: str
    message: str
    reasons: list[dict[str, str]]


StreamEvent = ColumnsEvent | RowsEvent | UnreadableEvent | IdleEvent | EndEvent


def ended(error: WeirError) -> EndEvent:
    """The last event of a push query that an error ended."""
    return {"type": "end", "code": error.code, "message": error.message, "reasons": error.details.get("reasons", [])}
