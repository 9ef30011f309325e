"""`weir version`: the program, what it runs on, and the schema that it writes."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

import typer

from api import VERSION
from api.terminal.options import Output
from api.terminal.output import Format, show

_SPARK = "pyspark"


def add_to(app: typer.Typer) -> None:
    """Register this module's commands."""
    app.command("version", epilog="weir version · weir version -o json")(tell)


def tell(output: Output = Format.TABLE) -> None:
    """Show the version of Weir, and of what it runs on: Python, Spark's client, the schema of the record store, and the extras."""
    parts = versions()
    rows = [{"part": part, "version": _shown(value)} for part, value in parts.items()]
    show(rows, ("part", "version"), output, whole=parts)


def versions() -> dict[str, str | list[str] | None]:
    """Part -> its version; None for what is not installed."""
    from api.config.extras import EXTRAS
    from api.wiring.installation import newest_schema

    return {
        "weir": VERSION,
        "schema": newest_schema(),
        "python": platform.python_version(),
        "spark": _installed(_SPARK),
        "extras": [extra.name for extra in EXTRAS if not extra.missing()],
    }


def _shown(value: str | list[str] | None) -> str:
    return (", ".join(value) if isinstance(value, list) else value) or "none"


def _installed(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
