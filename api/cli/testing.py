"""`weir test` of a checkout: becomes `python -m tools.testing`, which a wheel does not hold."""

from __future__ import annotations

import os
import sys

import typer

from api.config.home import PROGRAM
from catalog.errors import InvalidInput


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    app.command(
        hidden=True,
        add_help_option=False,
        epilog="weir test · weir test --changed · weir test --all",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False},
    )(test)


def test(context: typer.Context) -> None:
    """Check the code and run its tests; `weir test --help` names the parts. Only in a checkout."""
    if not (PROGRAM / "tools" / "testing").is_dir():
        raise InvalidInput("This Weir was installed from a wheel, which has no tests; run `weir test` in a checkout.")
    os.chdir(PROGRAM)
    os.execv(sys.executable, [sys.executable, "-m", "tools.testing", *context.args])  # noqa: S606 - a command of our own
