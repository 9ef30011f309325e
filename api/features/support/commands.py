"""`weir server bundle`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.terminal.output import console, errors
from api.terminal.words import noun


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    noun(app, "server").command(epilog="weir server bundle weir.tar.gz")(bundle)


def bundle(
    file: Annotated[Path, typer.Argument(metavar="FILE.tar.gz", help="The file to write; it must not be there yet.")],
) -> None:
    """Write a file for who helps you: no secrets, no values of records, no addresses of people. Read it before you send it."""
    from api.features.support.bundle import write_bundle
    from api.wiring.installation import Subject

    names = write_bundle(Subject.of_environment(), file)
    for name in names:
        console.print(name, markup=False)
    errors.print(f"{len(names)} files are in {file}, cleaned of secrets and names of people.", markup=False)
