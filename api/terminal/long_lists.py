"""Lists that may be long: a page of them as a table or JSON, or the whole as CSV or JSON lines."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import typer

from api.terminal.options import api
from api.terminal.output import console


class ListFormat(StrEnum):
    """The `-o` of lists that may be long; csv and jsonl are whole."""

    TABLE = "table"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"
    JSONL = "jsonl"


Listed = Annotated[ListFormat, typer.Option("-o", "--output", help="How to print it; csv and jsonl are whole.")]
Limit = Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")]


def print_file(path: str, output: ListFormat, user: str | None, params: Mapping[str, Any]) -> bool:
    """Print the whole list as it comes, where it was asked for as csv or jsonl."""
    if output not in (ListFormat.CSV, ListFormat.JSONL):
        return False
    with api(user).file(path, **params, format=output.value) as pieces:
        for piece in pieces:
            sys.stdout.buffer.write(piece)
    sys.stdout.flush()
    return True


def print_tail(answer: Mapping[str, Any], shown: int) -> None:
    """How many are not shown, and what is not known."""
    if answer["total"] > shown:
        console.print(f"{answer['total'] - shown} more; -o csv or -o jsonl gives all of them.")
    for note in answer["notes"]:
        console.print(note, markup=False)
