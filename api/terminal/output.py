"""How answers look on a terminal and in a pipe: tables, JSON, YAML, CSV."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TextIO

from api.terminal.cells import cell
from api.terminal.layout import laid_out
from catalog.spreadsheet import defused

if TYPE_CHECKING:
    from rich.status import Status

    from api.terminal.lines import Lines

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII)


class Printer:
    """Prints by rich what is for a terminal or in colours, and plain text without it: rich takes longer to import than most
    commands run."""

    def __init__(self, stderr: bool = False) -> None:
        self._stderr = stderr
        self._lines: Lines | None = None
        self._of: TextIO | None = None

    @property
    def rich(self) -> Lines:
        """The console of rich, for the stream as it is now."""
        from api.terminal.lines import Lines

        if self._lines is None or self._of is not self._file:
            self._lines, self._of = Lines(stderr=self._stderr, highlight=False), self._file
        return self._lines

    @property
    def on_terminal(self) -> bool:
        """Whether a person looks at it; colours may be asked for elsewhere too (FORCE_COLOR)."""
        return self._file.isatty()

    @property
    def width(self) -> int:
        """Cells of a line."""
        return self.rich.width

    def print(self, *shown: Any, **how: Any) -> None:
        """As rich's `Console.print`."""
        if how.get("markup") is False and self._is_plain and all(isinstance(each, str) for each in shown):
            self._file.write(" ".join(shown) + "\n")
        else:
            self.rich.print(*shown, **how)

    def status(self, text: str) -> Status:
        """As rich's `Console.status`."""
        return self.rich.status(text)

    @property
    def _file(self) -> TextIO:
        return sys.stderr if self._stderr else sys.stdout

    @property
    def _is_plain(self) -> bool:
        return not self.on_terminal and not os.environ.get("FORCE_COLOR")


console = Printer()
errors = Printer(stderr=True)


def escape(text: str) -> str:
    """Text as it is, within markup of rich."""
    from rich.markup import escape as escaped

    return escaped(text)


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
    """Print rows. `whole` is the full answer that json and yaml print in place of the rows; `verbatim` keeps names.

    `columns` begin with what matters most: on a terminal the last ones are left out, and named, where all do not fit. There, times
    are local and short.
    """
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
            names = list(columns) if verbatim else [_heading(name) for name in columns]
            cells = [[row.get(name) for name in columns] for row in rows]
            show_rows(names, cells)


def show_rows(
    names: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    exact: bool = False,
    blocks: bool = False,
    whole: str = "by -o yaml",
) -> None:
    """Rows by position as a table. `exact`: data of records; `blocks`: one value a line. On a terminal times are local, columns
    that do not fit are left out and named, with where they are (`whole`)."""
    on_terminal = console.on_terminal
    if on_terminal and not exact:
        rows = [[local_time(value) for value in row] for row in rows]
    laid = laid_out(names, rows, console.width if on_terminal else None, exact=exact, blocks=blocks)
    for line in laid.lines:
        console.print(line.text, style="bold" if line.heading else "", soft_wrap=True, markup=False, emoji=False)
    if laid.left or laid.cut:
        what = [*laid.left, *(["values that end with …"] if laid.cut else [])]
        console.print(f"{', '.join(what)}: in a wider window, or {whole}.", style="dim", markup=False)


def local_time(value: Any) -> Any:
    """A time of RFC 3339 as a clock on the wall shows it, to the second; other values as they are."""
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        return value
    try:
        return f"{datetime.fromisoformat(value).astimezone():%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError):
        return value


def _heading(name: str) -> str:
    """`clearWhen` and `rowsADay` in words."""
    return re.sub(r"(?<=[a-zA-Z])([A-Z])", lambda match: f" {match[1].lower()}", name)


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
    import yaml

    return yaml.safe_dump(_plain(shown), sort_keys=False, allow_unicode=True)


def print_text(text: str) -> None:
    """Text as it is, for pipes: no wrapping, no markup."""
    sys.stdout.write(text if text.endswith("\n") else text + "\n")
    sys.stdout.flush()


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str))
