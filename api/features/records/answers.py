"""Answers of `/datasets/{namespace}/{name}/records`."""

from __future__ import annotations

from typing import Any, Literal

from api.edge.answer import Answer, Time, about, absent
from api.features.queries.answers import ColumnDecision, QueryColumn, QueryDecision, TablePartition


class BrowsedRecord(Answer):
    """One record as the caller may see it."""

    partition: int | None = about("null where a row filter holds.")
    offset: int | None = about("null where a row filter holds.")
    timestamp: Time | None
    key: Any = about("null for no key, and where it is left out.")
    headers: dict[str, object] | None
    value: dict[str, object] = about("Column -> value; decimals and times as texts.")
    bytes: int | None = about("Of the value as it was sent; null for a tombstone and where `rawReadable` is false.")
    shown_bytes: int = about("Of what is shown, as JSON.")
    cut: bool = about("Long texts and lists were shortened; ask for it with whole=true.")
    raw: str | None = absent("The value as it was sent, with whole=true, for who may see every field unmasked.")


class BrowsedPart(Answer):
    """How the key or the headers are shown."""

    type: str = about("Spark's type.")
    decision: ColumnDecision


class Searched(Answer):
    """Offsets that a page read."""

    records: int
    left: int = about("Behind this page, in its direction.")


class Records(Answer):
    """A page of records."""

    dataset: str = about("CLUSTER/TOPIC.")
    order: Literal["newest", "oldest"]
    records: list[BrowsedRecord]
    key: BrowsedPart | None = about("null where it is left out.")
    headers: BrowsedPart | None = about("null where they are left out.")
    columns: list[QueryColumn] = about("Of the value.")
    raw_type: str | None = about("string, or binary where `raw` is base64; null without it.")
    raw_readable: bool = about("Whether the caller may see values as they were sent.")
    select: list[str] = about("What the rows of `follow` have before the columns of the value.")
    older: str | None = about("Cursor of the page with older records; null at the first record.")
    newer: str | None = about("Cursor of the page with newer records; null at the last record.")
    searched: Searched | None = about("null where a row filter holds.")
    partitions: list[TablePartition] | None = about("First and end offset of each; null where a row filter holds.")
    decision: QueryDecision
    truncated: bool = about("The limit of bytes of an answer cut the page.")
    unreadable: dict[str, int] | None = about("Column -> values that do not fit it; null: not counted.")
    unreadable_text: str | None = about("The same as one sentence, with the fix.")
    notes: list[str]
    sql: str = about("The same question as SQL.")
    follow: str = about("SQL of what arrives from now on, for /query/stream.")
