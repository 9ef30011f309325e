"""How answers look on a terminal and in a pipe: tables, JSON, YAML, CSV."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import yaml
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from catalog.spreadsheet import defused


def _console(*, stderr: bool = False) -> Console:
    """A console that does not fold lines at 80 columns where nobody looks at a terminal."""
    made = Console(stderr=stderr, highlight=False)
    return made if made.is_terminal else Console(stderr=stderr, highlight=False, width=180)


console = _console()
errors = _console(stderr=True)


class Format(StrEnum):
    """The `-o` of every command."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"


def cell(value: Any) -> str:
    """A value as one table cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, list | tuple):
        return ", ".join(cell(v) for v in value)
    if isinstance(value, Mapping):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


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
            writer.writerow(columns)
            writer.writerows([_csv_cell(row.get(name)) for name in columns] for row in rows)
            print_text(buffer.getvalue())
        case Format.TABLE if not rows:
            console.print(empty, markup=False)
        case Format.TABLE:
            if title:
                console.print(title, style="italic", markup=False, soft_wrap=True)
            table = Table(header_style="bold", box=None, pad_edge=False)
            for name in columns:
                table.add_column(escape(name) if verbatim else name.replace("_", " "), overflow="fold")
            for row in rows:
                table.add_row(*(escape(cell(row.get(name))) for name in columns))
            console.print(table)


def _csv_cell(value: Any) -> str:
    """A text that a spreadsheet would run is defused; a negative number is none."""
    return cell(value) if isinstance(value, int | float) else defused(cell(value))


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
