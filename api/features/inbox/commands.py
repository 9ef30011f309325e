"""`weir inbox`: what waits for the person who runs the command."""

from __future__ import annotations

import typer

from api.terminal.options import As, Output, api
from api.terminal.output import Format, errors, show

_COLUMNS = ("what", "since", "until", "next")
_COMMANDS = {
    "request": "weir request list",
    "question": "weir request list",
    "right": "weir access-review list",
    "dataset-question": "weir dataset question list DATASET --open",
    "contract": "weir contract list",
    "incident": "weir incident list",
    "departure": "weir dataset list",
    "detection": "weir personal-data review",
    "unmasked": "weir where-is PII",
    "unowned": "weir dataset list",
    "unscanned": "weir scan CLUSTER",
    "unfinished": "weir dataset list",
    "server": "weir status",
    "lineage-lag": "weir status",
    "consumer-lag": "weir cluster groups CLUSTER",
    "failed-scan": "weir dataset list",
    "disk": "weir status",
    "certificate": "weir status",
    "masked-copy": "weir rights copies",
    "grant": "weir request extend GRANT",
    "new-data": "weir dataset list",
}
"""Kind of a row -> the command that shows or does it; the pages have the links."""


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir inbox · weir inbox --as ana -o json")(inbox)


def inbox(output: Output = Format.TABLE, user: As = None) -> None:
    """Show what waits for you: one row a thing to do, what is broken first."""
    answer = api(user).get("/api/v1/inbox")
    rows = [_shown(each) for each in answer["rows"]] if output is Format.TABLE else answer["rows"]
    show(rows, _COLUMNS, output, whole=answer, empty=(answer["next"] or {}).get("text", "No row could be counted."))
    if output is Format.TABLE:
        for each in answer["uncounted"]:
            errors.print(f"Not counted: {each['part']}. {each['message']}", markup=False)


def _shown(row: dict[str, object]) -> dict[str, object]:
    return {
        "what": f"{row['subject']} {row['text']}",
        "since": row["since"] or "",
        "until": row["until"] or "",
        "next": _COMMANDS[str(row["kind"])],
    }
