"""`weir request purposes`: the declared purposes."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, show
from api.terminal.words import noun

_COLUMNS = ("purpose", "title", "legalBasis", "retention", "owner", "users", "deprecated")


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    epilog = "weir request purposes · weir request purposes --mine --as ana"
    noun(app, "request").command(epilog=epilog)(purposes)


def purposes(
    mine: Annotated[bool, typer.Option("--mine", help="Only those that your grants carry or cover.")] = False,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Show the tree of declared purposes, each indented under the one that covers it."""
    answer = api(user).get("/api/v1/purposes")
    rows = [each for each in answer["purposes"] if each["yours"] or not mine]
    shown = [
        {
            **each,
            "purpose": "  " * (len(each["path"]) - 1) + each["name"],
            "deprecated": "deprecated" if each["deprecated"] else "",
            "users": each["uses"] if each["uses"] is not None else "",
        }
        for each in rows
    ]
    show(
        shown if output is Format.TABLE else rows,
        _COLUMNS,
        output,
        whole=answer,
        empty="None of the declared purposes is carried or covered by a grant of yours."
        if answer["purposes"]
        else "No purpose is declared, so purposes are free text; kind: Purpose declares one.",
    )
    if output is Format.TABLE and answer["undeclared"]:
        names = ", ".join(each["name"] for each in answer["undeclared"])
        console.print(f"Used but not declared, so no query can state them: {names}", markup=False)
