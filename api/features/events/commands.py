"""`weir events`: what happened, and what happens."""

from __future__ import annotations

import json
import time
from typing import Annotated, TypedDict

import typer

from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, print_text, show

_POLL_S = 1.0
_COLUMNS = ("time", "type", "subject", "what")


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(epilog="weir events --type 'schema.*' --subject prod/orders · weir events --follow -o json")(events)


def events(
    type: Annotated[list[str] | None, typer.Option(help="schema.changed, or a glob; repeat for several.")] = None,
    subject: Annotated[str | None, typer.Option(help="CLUSTER/TOPIC or a glob: 'prod/*'.")] = None,
    since: Annotated[str | None, typer.Option(metavar="TIME", help="Not before, RFC 3339.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 50,
    follow: Annotated[
        bool, typer.Option("--follow", "-f", help="Continue with what happens; end it with Ctrl-C.")
    ] = False,
    deliveries: Annotated[bool, typer.Option("--deliveries", help="Show how far each receiver was notified.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show events: schema changes, scans, new datasets and more."""
    client = api(user)
    if deliveries:
        answer = client.get("/api/v1/events/deliveries")["deliveries"]
        show(
            answer,
            ("receiver", "behind", "dropped", "deliveredAt", "failures", "nextTryAt", "problem"),
            output,
            empty="Nobody was notified of events yet.",
        )
        return
    filters = {"type": type, "subject": subject, "since": since}
    answer = client.get("/api/v1/events", **filters, limit=limit)
    page = answer["events"][::-1]
    if not follow:
        empty = "No event fits." if type or subject or since else "Nothing happened yet."
        show([row(event) for event in page], _COLUMNS, output, whole=page, empty=empty)
        return
    _print(page, output)
    after = answer["next"]
    while True:
        answer = client.get("/api/v1/events", **filters, after=after, limit=1000)
        after = answer["next"]
        _print(answer["events"], output)
        if len(answer["events"]) < 1000:
            time.sleep(_POLL_S)


class _Event(TypedDict):
    time: str
    type: str
    subject: str
    data: dict[str, object]


def _print(rows: list[_Event], output: Format) -> None:
    """One event a line, so that a pipe can read it."""
    for event in rows:
        if output is Format.TABLE:
            shown = row(event)
            console.print(f"{shown['time']}  {shown['type']:24}  {shown['subject']}  {shown['what']}", markup=False)
        else:
            print_text(json.dumps(event, ensure_ascii=False))


def row(event: _Event) -> dict[str, object]:
    """An event as a table row; `what` is its own short sentence."""
    data = event["data"]
    kind = event["type"].removeprefix("weir.")
    what = data.get("summary") or ", ".join(
        f"{name} {value}" for name, value in data.items() if isinstance(value, str | int | float)
    )
    return {"time": event["time"], "type": kind, "subject": event["subject"], "what": what}
