"""`weir dataset browse`: a topic's records, page by page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import typer

from api.features.queries.commands import Purpose
from api.features.queries.following import follow_query
from api.terminal.cells import cell
from api.terminal.http import Api, dataset_path
from api.terminal.options import As, Output, Topic, api
from api.terminal.output import Format, console, errors, escape, local_time, show, show_rows

_WIDTH = 400
"""Characters of a value that are printed on a terminal; a pipe and -o json get all of them."""


class Where(StrEnum):
    """Where a text is looked for."""

    KEY = "key"
    VALUE = "value"
    HEADERS = "headers"


def browse(
    dataset: Topic,
    oldest: Annotated[bool, typer.Option("--oldest", help="The oldest records first, or from the place on.")] = False,
    partition: Annotated[int | None, typer.Option(min=0, help="Only this partition.")] = None,
    offset: Annotated[int | None, typer.Option(min=0, help="Begin at this offset.")] = None,
    time: Annotated[str | None, typer.Option(help="Begin at this time, RFC 3339.")] = None,
    key: Annotated[str | None, typer.Option(help="Only records with this key.")] = None,
    text: Annotated[str | None, typer.Option(help="Only records that hold this text.")] = None,
    where: Annotated[list[Where] | None, typer.Option("--in", help="Where the text is; repeat for several.")] = None,
    field: Annotated[
        list[str] | None, typer.Option(help="PATH=VALUE or PATH!=VALUE; PATH= is null. Repeat for several.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=500, help="At most this many records.")] = 10,
    cursor: Annotated[str | None, typer.Option(help="A page that an earlier answer names.")] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="Uncut, with the value as it was sent where you may see it.")
    ] = False,
    follow: Annotated[bool, typer.Option("--follow", help="Print what arrives from now on.")] = False,
    purpose: Purpose = None,
    output: Output = Format.TABLE,
    user: As = None,
) -> None:
    """Print records, the newest first, as you may see them. A search continues until it has enough or the topic ends."""
    client, path = api(user), dataset_path(dataset)
    parameters: dict[str, object] = {
        "order": "oldest" if oldest else "newest",
        "partition": partition,
        "offset": offset,
        "time": time,
        "key": key,
        "text": text,
        "in": [str(each) for each in where] if where else None,
        "field": field or None,
        "whole": whole or None,
        "purpose": purpose,
    }
    if follow:
        first = client.get(f"{path}/records", **{**parameters, "limit": 1})
        follow_query(client, first["follow"], purpose)
        return
    onward: Onward = "newer" if oldest else "older"
    page, records, read = _pages(client, f"{path}/records", {**parameters, "cursor": cursor}, limit, onward)
    match output:
        case Format.JSON | Format.YAML:
            show([], (), output, whole={**page, "records": records})
        case Format.CSV:
            rows = [{**record, "headers": record["headers"] or {}} for record in records]
            show(rows, ("timestamp", "partition", "offset", "key", "headers", "value"), output)
        case Format.TABLE:
            _print(page, records, read, onward)


class _Record(TypedDict):
    timestamp: str | None
    partition: int | None
    offset: int | None
    key: object
    headers: dict[str, object] | None
    value: dict[str, object]
    bytes: int | None
    shownBytes: int | None
    raw: NotRequired[str | None]


class _Searched(TypedDict):
    records: int
    left: int


class _Page(TypedDict):
    """The newest first, or the oldest; `older` and `newer`: cursors of the pages beside it."""

    records: list[_Record]
    columns: list[_Column]
    searched: _Searched | None
    partitions: object
    key: object
    headers: object
    rawReadable: bool
    unreadableText: str | None
    older: str | None
    newer: str | None


class _Column(TypedDict):
    name: str
    decision: dict[str, str]


Onward = Literal["older", "newer"]


def _pages(
    client: Api, path: str, parameters: Mapping[str, Any], limit: int, onward: Onward
) -> tuple[_Page, list[_Record], int]:
    """The last page, the records of all, and how many offsets were read; a search continues until it has `limit` of them
    or the topic ends."""
    searched = any(parameters[each] for each in ("key", "text", "field"))
    cursor = parameters["cursor"]
    records: list[_Record] = []
    read = 0
    while True:
        page: _Page = client.get(path, **{**parameters, "limit": limit - len(records), "cursor": cursor})
        records += page["records"]
        cursor = page[onward]
        read += page["searched"]["records"] if page["searched"] else 0
        if len(records) >= limit or cursor is None or not searched:
            return page, records, read
        if errors.on_terminal:
            errors.print(f"[dim]{read:,} offsets read, {len(records)} records found …[/]", end="\r")


def _print(page: _Page, records: list[_Record], read: int, onward: Onward) -> None:
    """Several records as a table; one, and records as they were sent, a value a line."""
    if console.on_terminal and len(records) > 1 and not any("raw" in record for record in records):
        _table(page, records)
    else:
        _blocks(page, records)
    if not records:
        console.print("No record here that you may see and that fits.")
    for column in page["columns"]:
        if column["decision"]["effect"] not in ("clear", "derived"):
            console.print(f"[dim]{escape(column['name'])}: {escape(column['decision']['text'])}[/]")
    if page["unreadableText"]:
        console.print(f"[yellow]{escape(page['unreadableText'])}[/]")
    if page["searched"]:
        console.print(f"[dim]{read:,} offsets read, {page['searched']['left']:,} further on.[/]")
    if page[onward]:
        console.print(f"[dim]Next page: --cursor {page[onward]}[/]")


def _table(page: _Page, records: list[_Record]) -> None:
    """Time and place first, then the key and the columns of the value; headers last."""
    names = [column["name"] for column in page["columns"]]
    rows = [
        [
            local_time(each["timestamp"]),
            *([] if page["partitions"] is None else [f"{each['partition']}:{each['offset']}"]),
            *([] if page["key"] is None else [each["key"]]),
            *(each["value"].get(name) for name in names),
            _size(each["bytes"] if page["rawReadable"] else each["shownBytes"]),
            *([] if page["headers"] is None else [each["headers"]]),
        ]
        for each in records
    ]
    heads = [
        "time",
        *([] if page["partitions"] is None else ["place"]),
        *([] if page["key"] is None else ["key"]),
        *names,
        "size",
        *([] if page["headers"] is None else ["headers"]),
    ]
    show_rows(heads, rows, exact=True, whole="by -o yaml, or --limit 1")


def _blocks(page: _Page, records: list[_Record]) -> None:
    for record in records:
        place = "" if record["offset"] is None else f"  partition {record['partition']}  offset {record['offset']}"
        size = record["bytes"] if page["rawReadable"] else record["shownBytes"]
        at = local_time(record["timestamp"]) if console.on_terminal else record["timestamp"]
        console.print(f"[bold]{at}[/]{place}  [dim]{_size(size)}[/]")
        shown = {"key": record["key"], "headers": record["headers"] or {}, "value": record["value"]}
        lines = [("raw", record["raw"])] if record.get("raw") is not None else list(_lines(shown))
        width = max((len(name) for name, _ in lines), default=0)
        for name, value in lines:
            text = cell(value, exact=True)
            kept = text if "raw" in record or not console.on_terminal else _shortened(text)
            more = f" … {len(text) - len(kept):,} more characters" if kept != text else ""
            console.print(f"  [cyan]{escape(name.ljust(width))}[/]  {escape(kept)}[dim]{more}[/]")


def _lines(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """(path, value) of every leaf; `key`, `headers.trace`, `customer.email`, `items[0].sku`."""
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            at = key if not name or name == "value" else f"{name}.{key}"
            yield from _lines(inner, at)
    elif isinstance(value, list) and value:
        for n, inner in enumerate(value):
            yield from _lines(inner, f"{name}[{n}]")
    elif not isinstance(value, Mapping):
        yield name, value


def _shortened(text: str) -> str:
    """The beginning of a long text, up to the end of a word where one ends."""
    if len(text) <= _WIDTH:
        return text
    head = text[:_WIDTH]
    return head if text[_WIDTH] == " " or " " not in head else head.rpartition(" ")[0]


def _size(n: int | None) -> str:
    if n is None:
        return "no value"
    for unit, size in (("MB", 1_000_000), ("kB", 1000)):
        if n >= size:
            return f"{n / size:.1f} {unit}"
    return f"{n} B"
