"""A push query in the terminal: rows below one heading as they come; in a pipe, one JSON event a line."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TypedDict

from api.terminal.cells import cell, cell_len, plain
from api.terminal.http import Api, ApiRefused
from api.terminal.output import console, errors, escape, print_text

_GAP = r"(?:\s|--[^\n]*(?:\n|\Z)|/\*.*?\*/)"
_PUSH = re.compile(rf"\bEMIT{_GAP}+CHANGES(?:{_GAP}|;)*\Z", re.IGNORECASE | re.DOTALL)


def is_push(sql: str) -> bool:
    """Whether a statement ends with EMIT CHANGES, however it is spaced and whatever comment is behind it."""
    return _PUSH.search(sql) is not None


def follow_query(
    client: Api, sql: str, purpose: str | None, unreadable: str | None = None, query_id: str | None = None
) -> None:
    """Print the events of a push query as they come. It ends by an error: raises ApiRefused with the reason."""
    asked = {"sql": sql, "purpose": purpose, "unreadable": unreadable, "queryId": query_id}
    rows = _Rows()
    with client.stream("/api/v1/query/stream", **asked) as lines:
        event = "message"
        for line in lines:
            if line.startswith("event:"):
                event = line[6:].strip()
            elif line.startswith("data:"):
                data = json.loads(line[5:])
                if event in ("end", "error"):
                    raise ApiRefused(data.get("message", event))
                if event == "unreadable":
                    errors.print(f"[yellow]{escape(data['text'])}[/]")
                if console.on_terminal:
                    rows.show(event, data)
                else:
                    print_text(json.dumps(data, ensure_ascii=False))


class Column(TypedDict):
    """A column of an answer, and what was decided about it."""

    name: str
    decision: dict[str, str] | None


class _Event(TypedDict, total=False):
    """Of `columns` the columns; of `rows` the others."""

    columns: list[Column]
    rows: list[list[object]]
    truncated: bool


class _Rows:
    """Rows in columns that become wider where a value needs it."""

    def __init__(self) -> None:
        self._widths: list[int] = []

    def show(self, event: str, data: _Event) -> None:
        if event == "columns":
            names = [plain(column["name"]) for column in data["columns"]]
            self._widths = [0] * len(names)
            console.print(self._line(names), style="bold", soft_wrap=True, markup=False, emoji=False)
            for column in data["columns"]:
                if (decision := column["decision"]) and decision.get("effect") not in ("clear", "allow", "derived"):
                    console.print(f"[dim]{escape(column['name'])}: {escape(decision.get('text', ''))}[/]")
        elif event == "rows":
            for row in data["rows"]:
                text = self._line([cell(value, exact=True) for value in row])
                console.print(text, soft_wrap=True, markup=False, emoji=False)
            if data["truncated"]:
                console.print("More rows came at once than are shown.", style="yellow", markup=False)

    def _line(self, texts: Sequence[str]) -> str:
        self._widths = [max(width, cell_len(text)) for width, text in zip(self._widths, texts, strict=True)]
        padded = (text + " " * (width - cell_len(text)) for text, width in zip(texts, self._widths, strict=True))
        return "  ".join(padded).rstrip()
