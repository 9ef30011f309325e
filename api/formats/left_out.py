"""What an answer leaves out, in sentences: records outside the window, rows beyond a limit, rows that a filter hides. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from policies.model import RecordWindow
from policies.plan.answer_parts import QueryDecision, QueryWindow

_MOST_NAMED = 5
_OTHER_TIMES = "name other times behind the table (AS OF '2026-11-20' TO '2026-11-21')"
_WAYS = {
    RecordWindow.NEWEST: f'Read all of them with window="all" (--window all), or {_OTHER_TIMES}.',
    RecordWindow.ALL: f"WEIR_QUERY__ALL_WINDOW_RECORDS sets the most that a query reads; to read others, {_OTHER_TIMES}.",
}


class LeftOut(TypedDict):
    """One cause, and a sentence on it. No sentence counts hidden rows."""

    kind: Literal["window", "limit", "hiddenRows"]
    text: str


def parts(
    window: QueryWindow, decision: QueryDecision, limit: str | None, rows: int, records: RecordWindow
) -> list[LeftOut]:
    """`window` and `decision` as answers have them; `limit`: which limit cut rows off, rows or bytes; `rows`: how many it
    lets through; `records`: which the query asked for."""
    causes = [_window(window, records), _limit(limit, rows), _hidden_rows(decision)]
    return [part for part in causes if part is not None]


def _window(window: QueryWindow, records: RecordWindow) -> LeftOut | None:
    amounts = [
        f"{table['records']:,} records of {table['dataset']}" if "records" in table else f"some of {table['dataset']}"
        for table in window.get("tables", ())
        if not table["complete"]
    ]
    if not amounts:
        return None
    text = f"Of the records that the query asks for, only these were read: {_listed(amounts)}. {_WAYS[records]}"
    return {"kind": "window", "text": text}


def _limit(limit: str | None, rows: int) -> LeftOut | None:
    match limit:
        case "rows":
            return {
                "kind": "limit",
                "text": f"Only the first {rows:,} rows are here; more were cut off by the limit of rows, which"
                " WEIR_QUERY__EXPORT_ROWS bounds for exports.",
            }
        case "bytes":
            text = (
                "Only the rows that fit into the server's limit of bytes are here; select fewer columns or rows."
                " WEIR_QUERY__EXPORT_BYTES sets it for exports."
            )
            return {"kind": "limit", "text": text}
    return None


def _hidden_rows(decision: QueryDecision) -> LeftOut | None:
    datasets = list(dict.fromkeys(each["dataset"] for each in decision.get("filters", ())))
    if not datasets:
        return None
    text = f"Rows that you may not see are not in the answer: a row filter holds for {_listed(datasets)}."
    return {"kind": "hiddenRows", "text": text}


def _listed(names: Sequence[str]) -> str:
    more = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
