"""`weir thread`, `ask-back`, `comment`, `extend`, `templates`: what people do with requests besides deciding them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from api.terminal.http import segment
from api.terminal.names import complete_grant, complete_request
from api.terminal.options import As, Output, api
from api.terminal.output import Format, show

_ID = Annotated[str, typer.Argument(help="As `weir requests` shows it.", autocompletion=complete_request)]
_TEXT = Annotated[str, typer.Argument(help="What you write.")]
_COLUMNS = ("at", "by", "kind", "text")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command(epilog="weir thread req-3f2a9c81d04e --as otto")(thread)
    app.command("ask-back", epilog="weir ask-back req-3f2a9c81d04e 'Which campaign?' --as otto")(ask_back)
    app.command(epilog="weir comment req-3f2a9c81d04e 'The one in spring.' --as ana")(comment)
    app.command(epilog="weir extend GRANT --days 30 --reason 'two more weeks' --as ana")(extend)
    app.command(epilog="weir templates --as ana · weir request --template sales-analyst --as ana")(templates)


def thread(identifier: _ID, output: Output = Format.TABLE, user: As = None) -> None:
    """Show the history of a request: decisions, messages and escalations, oldest first."""
    request = api(user).get(f"/api/v1/access-requests/{segment(identifier)}")
    show(history(request), _COLUMNS, output, whole=request, empty="Nothing happened yet.")


def history(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Messages and decisions of a request in one list, oldest first."""
    decisions = [
        {
            "at": d["at"],
            "by": d["by"],
            "kind": d["verdict"] + (" in part" if d["narrowed"] else ""),
            "text": d["comment"],
        }
        for d in request["decisions"]
    ]
    return sorted([*request["thread"], *decisions], key=lambda each: str(each["at"]))


def ask_back(identifier: _ID, text: _TEXT, output: Output = Format.TABLE, user: As = None) -> None:
    """Ask the requester something; the request waits for the answer."""
    _write(identifier, "ask-back", text, output, user)


def comment(identifier: _ID, text: _TEXT, output: Output = Format.TABLE, user: As = None) -> None:
    """Write into the thread of a request; of the requester it answers a question."""
    _write(identifier, "comments", text, output, user)


def _write(identifier: str, verb: str, text: str, output: Format, user: str | None) -> None:
    answer = api(user).post(f"/api/v1/access-requests/{segment(identifier)}/{verb}", {"text": text})
    show(history(answer), _COLUMNS, output, whole=answer)


def extend(
    grant: Annotated[str, typer.Argument(help="As `weir grant list` shows it.", autocompletion=complete_grant)],
    days: Annotated[int, typer.Option(min=1, help="New end, in days from now.")],
    reason: Annotated[str, typer.Option(help="A word to the approvers.")] = "",
    ticket: Annotated[str, typer.Option(help="Id of a ticket in another system.")] = "",
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Ask that a grant of yours ends later; its end moves when the request is approved."""
    until = (datetime.now(UTC) + timedelta(days=days)).isoformat()
    body = {"until": until, "reason": reason, "ticket": ticket}
    answer = api(user).post(f"/api/v1/grants/{segment(grant)}/extend", body)
    show([answer], ("id", "state", "stage", "extends", "dataset", "until"), output, whole=answer)


def templates(output: Output = Format.TABLE, user: As = None) -> None:
    """List the requests that people make often, those that you may use."""
    answer = api(user).get("/api/v1/request-templates")
    columns = ("name", "description", "datasets", "fields", "purpose", "duration")
    show(answer["templates"], columns, output, whole=answer, empty="No templates are declared (kind: RequestTemplate).")
