"""Rows of a page's query as records, and the page as JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NotRequired, TypedDict

from policies.browse.cursors import NEWER, OLDER, Cursor
from policies.browse.previews import json_bytes, preview
from policies.browse.ranges import after
from policies.browse.statements import BYTES, PLACED, RAW
from policies.plan.answer_parts import AnswerColumn, ColumnEffect, PartitionOffsets, QueryDecision
from policies.plan.model import Range
from policies.plan.unreadable import UnreadableCounts
from policies.plan.views import GovernedTable
from policies.query.result import QueryAnswer
from policies.sql.windows import read_time


class PageRecord(TypedDict):
    """One record as the reader may see it; its place is None where a row filter holds.

    bytes  of the value as it was sent; None for who may not see all of it, since it measures what is hidden
    shownBytes  of what is shown, as JSON
    cut    long texts and lists were shortened
    raw    the value as it was sent
    """

    partition: int | None
    offset: int | None
    timestamp: str | None
    key: object
    headers: object
    value: object
    bytes: int | None
    shownBytes: int
    cut: bool
    raw: NotRequired[str | None]


class PagePart(TypedDict):
    """How the key or the headers are shown."""

    type: str
    decision: ColumnEffect


class RecordsPage(UnreadableCounts):
    """A page of records, with its cursors. `key` and `headers` are None where they are left out.

    searched    {records, left}: offsets that were read, and that are left in the page's direction; None where a row
                filter holds, as are `partitions`
    """

    dataset: str
    order: str
    records: list[PageRecord]
    key: PagePart | None
    headers: PagePart | None
    columns: list[AnswerColumn]
    rawType: str | None
    rawReadable: bool
    select: list[str]
    older: str | None
    newer: str | None
    searched: dict[str, int] | None
    partitions: list[PartitionOffsets] | None
    decision: QueryDecision
    truncated: bool
    notes: list[str]
    sql: str
    follow: str


@dataclass(slots=True)
class Page:
    """`records` in the order of the query. `parts`: name of a column before the value -> its column in the answer."""

    records: list[PageRecord]
    parts: Mapping[str, AnswerColumn]
    columns: list[AnswerColumn]


def read(answer: QueryAnswer, parts: Sequence[str], view: GovernedTable, whole: bool) -> Page:
    """The records of an answer; `parts`: names of its columns before the value."""
    columns = answer.columns
    if columns and columns[-1]["name"] == PLACED:
        columns = columns[:-1]
    fields = columns[len(parts) :]
    names, place = _first_of_each(fields)
    records = [_record(row, parts, names, place, whole) for row in answer.rows]
    return Page(records, dict(zip(parts, columns, strict=False)), [fields[at] for at in place])


def _first_of_each(fields: Sequence[AnswerColumn]) -> tuple[list[str], list[int]]:
    results: dict[str, int] = {}
    for at, field in enumerate(fields):
        results.setdefault(field["name"], at)
    return list(results), list(results.values())


def _record(
    row: Sequence[Any], parts: Sequence[str], names: Sequence[str], place: Sequence[int], whole: bool
) -> PageRecord:
    about = dict(zip(parts, row, strict=False))
    value = {name: row[len(parts) + at] for name, at in zip(names, place, strict=True)}
    shown = {"key": about.get("_key"), "headers": about.get("_headers"), "value": value}
    size = json_bytes(shown)
    content, cut = (shown, False) if whole else preview(shown, size)
    record: PageRecord = {
        "partition": about.get("_partition"),
        "offset": about.get("_offset"),
        "timestamp": about.get("_timestamp"),
        "key": content["key"],
        "headers": content["headers"],
        "value": content["value"],
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
    places = [
        (r["partition"], r["offset"]) for r in page.records if r["partition"] is not None and r["offset"] is not None
    ]
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
) -> RecordsPage:
    """The page as JSON; `edges`: the partitions that were read."""
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


def _part(column: AnswerColumn | None) -> PagePart | None:
    return None if column is None else {"type": column["type"], "decision": column["decision"]}
