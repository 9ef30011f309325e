"""`weir view follow`: the rows of a view and then every change, a JSON line for each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Annotated, Any, TypedDict

import typer

from api.terminal.http import Api, segment
from api.terminal.names import complete_purpose, complete_view
from api.terminal.options import As, api
from api.terminal.output import errors, print_text
from catalog.errors import Unavailable


def follow(
    name: Annotated[str, typer.Argument(help="The view's name, as in `weir view list`.", autocompletion=complete_view)],
    after: Annotated[str | None, typer.Option(help="Continue behind this event's id.")] = None,
    purpose: Annotated[
        str | None, typer.Option(help="What the rows are read for.", autocompletion=complete_purpose)
    ] = None,
    user: As = None,
) -> None:
    """Print all rows of a view and then every change, as they come, a JSON line for each, until Ctrl-C.

    A connection that breaks off is opened again, and continues where it was.
    """
    client, at = api(user), after
    while True:
        before = at
        try:
            for kind, data, newest in _events(client, name, before, purpose):
                at = newest
                if kind == "end":
                    errors.print(data["message"], style="yellow", markup=False)
                    raise typer.Exit(1)
                for line in _lines(kind, data):
                    print_text(json.dumps(line, ensure_ascii=False))
        except Unavailable:
            if at == before:
                raise
        errors.print("[dim]The connection broke off; it is opened again.[/]")


def _events(client: Api, name: str, at: str | None, purpose: str | None) -> Iterator[tuple[str, Any, str | None]]:
    """(type, data, id of the newest event that has one)."""
    path = f"/api/v1/views/{segment(name)}/changes"
    with client.stream(path, lastEventId=at, purpose=purpose) as lines:
        kind = "message"
        for line in lines:
            field, _, value = line.partition(":")
            if field == "id":
                at = value.strip()
            elif field == "event":
                kind = value.strip()
            elif field == "data":
                yield kind, json.loads(value), at


class _Event(TypedDict, total=False):
    generation: int
    reason: str
    columns: list[dict[str, object]]
    key: object
    row: object
    rows: list[object]


def _lines(kind: str, data: _Event) -> Iterable[dict[str, object]]:
    """An event as it is printed: each row of a snapshot by itself, and nothing for a sign of life."""
    match kind:
        case "snapshot":
            if "reason" in data:
                yield {"type": "snapshot", "generation": data["generation"], "reason": data["reason"]}
            if "columns" in data:
                yield {"type": "columns", "columns": [each["name"] for each in data["columns"]], "key": data["key"]}
            for row in data["rows"]:
                yield {"type": "row", "row": row}
        case "upsert" | "delete":
            yield {"type": kind, "key": data["key"]} | ({"row": data["row"]} if kind == "upsert" else {})
        case "generation":
            yield {"type": kind, **data}
        case "resumed":
            yield {"type": kind, "generation": data["generation"]}
