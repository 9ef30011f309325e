"""`weir cluster pack`: on the machine of an installation, without its API."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.terminal.options import Output
from api.terminal.output import Format, console, escape, show
from api.terminal.words import noun

_FILE = Annotated[Path, typer.Argument(metavar="FILE.tar.gz", help="The file to write; it must not be there yet.")]
_FAST = Annotated[bool, typer.Option("--fast", help="With hyperscan and numba, where they are installed here.")]


def add_to(app: typer.Typer) -> None:
    """Register this module's command."""
    noun(app, "cluster").command(
        epilog="weir cluster pack environment.tar.gz · weir cluster pack environment.tar.gz --fast -o json"
    )(pack)


def pack(file: _FILE, fast: _FAST = False, output: Output = Format.TABLE) -> None:
    """Pack the Python packages that executors of a Spark cluster need; see "Weir on a Spark cluster"."""
    from api.wiring import executor_archive

    packed = executor_archive.pack(file, fast)
    facts = {"file": str(packed.file), "bytes": packed.size, "python": packed.python, "packages": list(packed.packages)}
    if output is not Format.TABLE:
        show([facts], tuple(facts), output, whole=facts)
        return
    console.print(f"{escape(str(file))}: {len(packed.packages)} packages, {packed.size / 1e6:,.1f} MB.")
    console.print(f"Executors need Python {escape(packed.python)}; the archive refuses another one.")
