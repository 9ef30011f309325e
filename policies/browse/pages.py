"""Rows of a page's query as records, and the page as JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from policies.browse.cursors import NEWER, OLDER, Cursor
from policies.browse.previews import json_bytes, preview
from policies.browse.ranges import after
from policies.browse.statements import BYTES, PLACED, RAW
from policies.plan.model import Range
from policies.plan.views import GovernedTable
from policies.query.result import QueryAnswer
from policies.sql.windows import read_time


@dataclass(slots=True)
class Page:
    """`records` in the order of the query. `parts`: name of a column before the value -> its column in the answer."""

    records: list[dict[str, Any]]
    parts: Mapping[str, dict[str, Any]]
    columns: list[dict[str, Any]]


def read(answer: QueryAnswer, parts: Sequence[str], view: GovernedTable, whole: bool) -> Page:
    """Records {partition, offset, timestamp, key, headers, value, bytes, shownBytes, cut, raw?}.

    bytes  of the value as it was sent; None for who may not see all of it, since it measures what is hidden
    cut    long texts and lists were shortened
    """
    columns = answer.columns
    if columns and columns[-1]["name"] == PLACED:
        columns = columns[:-1]
    fields = columns[len(parts) :]
    names, place = _first_of_each(fields)
    records = [_record(row, parts, names, place, whole) for row in answer.rows]
    return Page(records, dict(zip(parts, columns, strict=False)), [fields[at] for at in place])


def _first_of_each(fields: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[int]]:
    results: dict[str, int] = {}
    for at, field in enumerate(fields):
        results.setdefault(str(field["name"]), at)
    return list(results), list(results.values())


def _record(
    row: Sequence[object], parts: Sequence[str], names: Sequence[str], place: Sequence[int], whole: bool
) -> dict[str, Any]:
    about = dict(zip(parts, row, strict=False))
    value = {name: row[len(parts) + at] for name, at in zip(names, place, strict=True)}
    shown = {"key": about.get("_key"), "headers": about.get("_headers"), "value": value}
    size = json_bytes(shown)
    content, cut = (shown, False) if whole else preview(shown, size)
    record: dict[str, Any] = {
        "partition": about.get("_partition"),
        "offset": about.get("_offset"),
        "timestamp": about.get("_timestamp"),
        **content,
        "bytes": about.get(BYTES),
        "shownBytes": size,
        "cut": cut,
    }
    if RAW in about:
        record["raw"] = about[RAW]
    return record


def bounds_after(
    page: Page, bounds: Mapping[int, int], ranges: Sequence[Range], direction: str, whole: bool
) -> tuple[dict[int, int], dict[int, int]]:
    """Bounds behind the page, and those it began at."""
    places = [(int(r["partition"]), int(r["offset"])) for r in page.records]
    return after(bounds, ranges, places, direction, whole), dict(bounds)


def cursors_by_time(direction: str, at: datetime | None, last: str | None, more: bool) -> dict[str, str | None]:
    """`last`: time of the last record of the page."""
    results: dict[str, str | None] = {OLDER: None, NEWER: None}
    if more and last is not None:
        moment = read_time(last)
        behind = moment if direction == OLDER else moment + timedelta(milliseconds=1)
        results[direction] = Cursor(direction, at=behind).text()
    if at is not None:
        other = NEWER if direction == OLDER else OLDER
        results[other] = Cursor(other, at=at).text()
    return results


def page_json(
    page: Page,
    answer: QueryAnswer,
    view: GovernedTable,
    order: str,
    cursors: Mapping[str, str | None],
    *,
    searched: Mapping[str, int] | None,
    edges: Sequence[Range] | None,
    sql: str,
    follow: str,
) -> dict[str, Any]:
    """{dataset, order, records, key, headers, columns, older, newer, searched, partitions, decision, ...}.

    searched    {records, left}: offsets that were read, and that are left in the page's direction; None where a row
                filter holds, as are `partitions` [{partition, start, end}]
    """
    parts = page.parts
    raw = parts.get(RAW)
    return {
        "dataset": view.table.reference,
        "order": order,
        "records": page.records,
        "key": _part(parts.get("_key")),
        "headers": _part(parts.get("_headers")),
        "columns": page.columns,
        "rawType": raw["type"] if raw else None,
        "rawReadable": BYTES in parts,
        "select": [name for name in parts if name not in (BYTES, RAW)],
        "older": cursors[OLDER],
        "newer": cursors[NEWER],
        "searched": dict(searched) if searched is not None else None,
        "partitions": None
        if edges is None
        else [{"partition": e.partition, "start": e.start, "end": e.end} for e in edges],
        "decision": answer.decision,
        "truncated": answer.truncated and answer.partial is not None and answer.partial["limit"] == "bytes",
        **answer.unreadable.to_json(),
        "notes": list(answer.notes),
        "sql": sql,
        "follow": follow,
    }


def _part(column: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """{type, decision} of the key or the headers; None where they are left out."""
    return None if column is None else {"type": column["type"], "decision": column["decision"]}
