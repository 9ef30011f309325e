"""How answers look on a terminal and in a pipe: tables, JSON, YAML, CSV."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import yaml
from rich.console import Console, ConsoleDimensions
from rich.text import Text

from api.terminal.cells import cell
from api.terminal.layout import laid_out
from catalog.spreadsheet import defused

_ENDLESS = 1_000_000
"""Cells of a line that nobody looks at on a terminal: nothing is wrapped or cut there."""


class Lines(Console):
    """A console that wraps at the width of a terminal, between words, and nowhere else."""

    @property
    def on_terminal(self) -> bool:
        """Whether a person looks at it; colours may be asked for elsewhere too (FORCE_COLOR)."""
        return self.file.isatty()

    @property  # type: ignore[misc]  # Console lets one set it, and nobody does
    def size(self) -> ConsoleDimensions:
        """That of the terminal; a pipe has no end of a line."""
        plain = super().size
        return plain if self.on_terminal else ConsoleDimensions(_ENDLESS, plain.height)


console = Lines(highlight=False)
errors = Lines(stderr=True, highlight=False)


class Format(StrEnum):
    """The `-o` of every command."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"


def show(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    form: Format,
    *,
    whole: Any = None,
    title: str | None = None,
    empty: str = "Nothing to show.",
    verbatim: bool = False,
) -> None:
    """Print rows. `whole` is the full answer that json and yaml print in place of the rows; `verbatim` keeps names."""
    match form:
        case Format.JSON | Format.YAML:
            print_text(as_text(rows, whole, form))
        case Format.CSV:
            buffer = io.StringIO()
            writer = csv.writer(buffer)
            writer.writerow(map(_csv_cell, columns))
            writer.writerows([_csv_cell(row.get(name)) for name in columns] for row in rows)
            print_text(buffer.getvalue())
        case Format.TABLE if not rows:
            console.print(empty, markup=False)
        case Format.TABLE:
            if title:
                console.print(title, style="italic", markup=False)
            names = columns if verbatim else [_heading(name) for name in columns]
            show_rows(names, [[row.get(name) for name in columns] for row in rows])


def show_rows(names: Sequence[str], rows: Sequence[Sequence[Any]], *, exact: bool = False) -> None:
    """Rows by position as a table, or where it is wider than the terminal one value a line; `exact`: data of records."""
    width = console.width if console.on_terminal else None
    for line in laid_out(names, rows, width, exact=exact):
        console.print(Text(line.text, style="bold" if line.heading else ""), soft_wrap=True)


def _heading(name: str) -> str:
    """`clearWhen` in words."""
    return re.sub(r"(?<=[a-z])([A-Z])", lambda match: f" {match[1].lower()}", name)


def _csv_cell(value: Any) -> str:
    """A text that a spreadsheet would run is defused; a negative number is none. Objects are JSON, for programs."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, list | tuple):
        return defused(", ".join(_csv_inner(each) for each in value))
    return defused(_csv_inner(value))


def _csv_inner(value: Any) -> str:
    if isinstance(value, bool | None):
        return cell(value)
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, list | Mapping) else str(value)


def as_text(rows: Any, whole: Any, form: Format) -> str:
    """Rows, or the full answer in their place, as JSON or YAML."""
    shown = rows if whole is None else whole
    if form is Format.JSON:
        return json.dumps(shown, indent=2, ensure_ascii=False, default=str)
    return yaml.safe_dump(_plain(shown), sort_keys=False, allow_unicode=True)


def print_text(text: str) -> None:
    """Text as it is, for pipes: no wrapping, no markup."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))
