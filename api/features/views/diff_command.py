"""`weir view diff`: the running generation of a view against the one that would be built."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from api.terminal.http import segment
from api.terminal.names import complete_view
from api.terminal.options import As, Output, api
from api.terminal.output import Format, console, escape, show
from api.terminal.text_input import text_of
from catalog.errors import InvalidInput

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def diff(
    name: Annotated[str, typer.Argument(help="The view's name, as in `weir view list`.", autocompletion=complete_view)],
    file: Annotated[
        Path | None,
        typer.Option("-f", "--file", help="A changed declaration (kind: View); what is declared when absent."),
    ] = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Compare what runs with what would be built: SQL, columns, what breaks, who gains and loses, rows."""
    body = {"spec": _spec(name, file)} if file is not None else {}
    answer = api(user).post(f"/api/v1/views/{segment(name)}/diff", body)
    if output is not Format.TABLE:
        show([answer], ("name", "changed"), output, whole=answer)
        return
    console.print(escape(answer["text"]))
    for line in answer["sql"].splitlines():
        console.print(line, style=_COLOURS.get(line[:1], ""), markup=False)
    changed = [column for column in answer["columns"] if column["change"] != "same"]
    if changed:
        show(
            [
                {
                    "column": each["name"],
                    "change": each["change"],
                    "before": _column(each["before"], each["tagsBefore"]),
                    "after": _column(each["after"], each["tagsAfter"]),
                }
                for each in changed
            ],
            ("column", "change", "before", "after"),
            output,
        )
    for sentence in answer["breaks"]:
        console.print(f"[yellow]breaks:[/] {escape(sentence)}")
    for sentence in answer["topic"]:
        console.print(escape(sentence))
    for reader in answer["readers"]:
        for kind in ("gains", "loses"):
            if reader[kind]:
                console.print(f"{escape(reader['user'])} {kind} {escape(', '.join(reader[kind]))}")
    if answer["rows"] and answer["rows"]["columns"]:
        counts = ", ".join(f"{column} in {count:,}" for column, count in answer["rows"]["columns"].items())
        console.print(f"[dim]Columns that differ: {escape(counts)} rows.[/]")


def _column(kind: str | None, tags: list[str]) -> str:
    return "" if kind is None else " ".join([kind, *(f"#{tag}" for tag in tags)])


def _spec(name: str, file: Path) -> Any:
    """The spec of the view in a file. Raises InvalidInput."""
    try:
        documents = [each for each in yaml.safe_load_all(text_of(file)) if isinstance(each, dict)]
    except yaml.YAMLError:
        raise InvalidInput(f"{file} is not YAML.") from None
    for each in documents:
        metadata = each.get("metadata")
        if each.get("kind") == "View" and isinstance(metadata, dict) and metadata.get("name") == name:
            return json.loads(json.dumps(each.get("spec") or {}, default=lambda day: day.isoformat()))
    raise InvalidInput(f"{file} declares no View {name}.")
