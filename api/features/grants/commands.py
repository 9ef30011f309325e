"""`weir access grants`, `weir access revoke`, `weir request extend`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from api.terminal.http import segment
from api.terminal.names import complete_grant
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    access = noun(app, "access")
    access.command("grants", epilog="weir access grants --as ana")(grant_list)
    access.command("revoke", epilog="weir access revoke NAME")(grant_revoke)
    noun(app, "request").command(epilog="weir request extend GRANT --days 30 --reason 'two more weeks' --as ana")(
        extend
    )


def grant_list(output: Output = Format.TABLE, user: As = None) -> None:
    """List grants you may see."""
    answer = api(user).get("/api/v1/grants")
    columns = ("name", "status", "subject", "dataset", "fields", "purpose", "validTo")
    show(answer["grants"], columns, output, whole=answer, empty="No grants.")


def grant_revoke(
    name: Annotated[str, typer.Argument(help="As `weir access grants` shows it.", autocompletion=complete_grant)],
    reason: Annotated[str, typer.Option(help="Why; kept with the decision.")] = "",
    user: As = None,
) -> None:
    """End a grant now; a running live query that rests on it ends too."""
    api(user).delete(f"/api/v1/grants/{segment(name)}", reason=reason or None)
    console.print(f"Grant {escape(name)} is revoked.")


def extend(
    grant: Annotated[str, typer.Argument(help="As `weir access grants` shows it.", autocompletion=complete_grant)],
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
