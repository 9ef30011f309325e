"""`weir request delegate`."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from api.terminal.names import complete_user
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "request").command(
        epilog="weir request delegate grace --days 14 --as petra · weir request delegate --end --as petra"
    )(delegate)


def delegate(
    delegates: Annotated[
        list[str] | None, typer.Argument(help="Who decides in your place.", autocompletion=complete_user)
    ] = None,
    days: Annotated[int, typer.Option(min=1, max=365, help="For how long.")] = 14,
    end: Annotated[bool, typer.Option("--end", help="Decide for yourself again.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Name who decides access requests in your place while you are away; without a name, show it."""
    client = api(user)
    if end:
        client.delete("/api/v1/me/delegation")
        console.print("You decide for yourself again.")
        return
    if delegates:
        until = (datetime.now(UTC) + timedelta(days=days)).isoformat()
        delegation = client.put("/api/v1/me/delegation", {"delegates": delegates, "until": until})
    else:
        delegation = client.get("/api/v1/me/delegation")["delegation"]
    show(
        [delegation] if delegation else [],
        ("user", "delegates", "from", "until", "active"),
        output,
        whole=delegation,
        empty="No delegates.",
    )
