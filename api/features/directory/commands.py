"""`weir directory`: what an administrator decides about people whom a directory keeps here (SCIM)."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.markup import escape

from api.terminal.names import complete_user
from api.terminal.options import As, api
from api.terminal.output import console

directory_app = typer.Typer(help="Decide about people whom a company's directory keeps here.", no_args_is_help=True)


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.add_typer(directory_app, name="directory")


@directory_app.callback()
def _group() -> None:
    """Keeps `release` a command of its own while it is the only one."""


@directory_app.command("release", epilog="weir directory release eva")
def release(
    name: Annotated[str, typer.Argument(help="The user's name here.", autocompletion=complete_user)], user: As = None
) -> None:
    """Take a name back from the directory: nothing keeps it out, and the directory may create one user of it."""
    answer = api(user).post("/api/v1/directory/release", {"name": name})
    console.print(f"The directory does not keep {escape(name)}; it may create one user of this name.")
    for each in answer["mentions"]:
        console.print(f"Who gets the name gets what this gives: {escape(each)}")
    console.print(f"Where it goes to another person, take that away first, and run weir session unlink {escape(name)}.")
