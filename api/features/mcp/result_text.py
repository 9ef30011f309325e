"""The text of a tool's answer: a sentence of Weir's own, then the data between marks, within a number of characters."""

from __future__ import annotations

from api.features.mcp import budget, fence
from api.features.mcp.calls import Reply
from api.features.mcp.tools.spec import ToolAnswer

_SENTENCES = 600
"""Characters kept for Weir's own sentences."""


def text_of(answer: ToolAnswer, most: int) -> str:
    """An answer of at most `most` characters; items are cut whole, and what is left out is counted."""
    data = {key: value if key == "rows" else budget.without_empty(value) for key, value in answer.data.items()}
    data = {key: value for key, value in data.items() if key == answer.items or value not in (None, "", [], {})}
    cut = budget.fit(data, answer.items, most - fence.LENGTH - _SENTENCES)
    return "\n".join(filter(None, (_shown(answer, cut), _shortened(cut), answer.note, fence.fenced(_written(cut)))))


def text_of_failure(reply: Reply, most: int) -> str:
    """What a route refused, and why: its error as it gave it."""
    error = reply.body.get("error", {}) if isinstance(reply.body, dict) else {}
    code = fence.visible(str(error.get("code", "error")), 60)
    again = error.get("details", {}).get("retryAfter")
    wait = f" Try again in {again} s." if isinstance(again, int) else ""
    cut = budget.fit({"error": error}, None, most - fence.LENGTH - _SENTENCES)
    return f"Weir refused this: {code}, HTTP {reply.status}.{wait}\n{fence.fenced(_written(cut))}"


def _written(cut: budget.FittingAnswer) -> str:
    return fence.as_json(cut.data) if cut.written is None else cut.written


def _shown(answer: ToolAnswer, cut: budget.FittingAnswer) -> str:
    if answer.items is None:
        return ""
    rows = answer.data[answer.items]
    total = answer.total if answer.total is not None else answer.offset + (len(rows) if isinstance(rows, list) else 0)
    next_one = answer.offset + cut.shown
    counted = f"{cut.shown} of {total} {answer.items}" + (f", after the first {answer.offset}" if answer.offset else "")
    if next_one >= total:
        return f"{counted}."
    if cut.shown == 0 and answer.offset < total:
        return f"{counted}: the first of them is longer than an answer may be."
    again = answer.again.format(next=next_one, shown=cut.shown)
    return f"{counted}. {total - next_one} are left: {again}."


def _shortened(cut: budget.FittingAnswer) -> str:
    counts = ((cut.cut_texts, "long texts"), (cut.cut_lists, "inner lists"))
    parts = [f"{noun}: {count}" for count, noun in counts if count]
    return f"Shown in part: {', '.join(parts)}." if parts else ""
