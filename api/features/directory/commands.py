"""`weir user release`: what an administrator decides about people whom a directory keeps here (SCIM)."""

from __future__ import annotations

from typing import Annotated

import typer

from api.terminal.names import complete_user
from api.terminal.options import As, api
from api.terminal.output import console, escape
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    noun(app, "user").command(epilog="weir user release eva")(release)


def release(
    name: Annotated[str, typer.Argument(help="The user's name here.", autocompletion=complete_user)], user: As = None
) -> None:
    """Take a name back from the directory: nothing keeps it out, and the directory may create one user of it."""
    answer = api(user).post("/api/v1/directory/release", {"name": name})
    console.print(f"The directory does not keep {escape(name)}; it may create one user of this name.")
    for each in answer["mentions"]:
        console.print(f"Who gets the name gets what this gives: {escape(each)}")
    console.print(f"Where it goes to another person, take that away first, and run weir user unlink {escape(name)}.")
