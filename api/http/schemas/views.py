"""Answers of `/views`."""

from __future__ import annotations

from typing import Any, Literal

from api.http.schemas.base import Answer, FreeForm, Time, about, absent


class ViewSink(Answer):
    """The topic that a view writes for others."""

    cluster: str
    topic: str
    format: Literal["json", "avro"]


class ViewColumn(Answer):
    """A column of the rows."""

    name: str
    type: str = about("Spark's name of the type.")


class ViewLag(Answer):
    """What the sources have and the rows do not contain yet."""

    records: int | None
    seconds: float | None = about("For how long that has been so; 0 when nothing is missing.")


class NextGeneration(Answer):
    """A generation that is being built, and why."""

    generation: int
    why: str
    since: Time


class View(Answer):
    """A view and how it is."""

    name: str
    state: Literal["starting", "catching up", "running", "paused", "restarting", "failed", "stopped"]
    since: Time | None = about("When it came into this state.")
    generation: int | None = about("The one that readers get; null before the first.")
    building: NextGeneration | None = about("The one that will replace it.")
    sources: list[str] = about("CLUSTER/TOPIC of each topic it follows.")
    sink: ViewSink | None = about("The topic it writes for others; null for a private one.")
    key: list[str] = about("Columns that identify a row; none: each record is a row.")
    columns: list[ViewColumn]
    lag: ViewLag
    rates: FreeForm = about("{batchSeconds, recordsPerSecond} of the last batch.")
    counts: FreeForm = about(
        "{recordsIn, rowsWritten, rowsDeleted, batches, lateRecords, unfitValues, unreadable, stateRows, stateBytes} since the"
        " stream started."
    )
    error: FreeForm | None = about("{code, message, details} of what ended it last.")
    notes: list[str] = about("What to know of its SQL, in sentences.")
    sql: str
    runAs: FreeForm = about("{user or serviceAccount, purpose}: whose masks and row filters are in it.")
    description: str
    owners: list[dict[str, str]] = about("{user} or {group} each.")
    restarts: int
    rows: int = absent("Rows that readers get; only where one view is asked for.")


class Views(Answer):
    """All views."""

    views: list[View]


class RowsColumn(Answer):
    """A column as the reader sees it."""

    name: str
    type: str = about("As the reader sees it: a hash is a string.")
    decision: FreeForm = about("`{effect: clear | masked | derived | denied | withheld, text, masks, fields}`")


class Freshness(Answer):
    """How far the rows are behind the sources."""

    records: int | None = about("Records that the sources have and the rows do not contain.")
    seconds: float | None = about("For how long that has been so.")
    offsets: dict[str, dict[str, int]] = about("Source topic -> partition -> next offset: what the rows contain.")


class ViewRows(Answer):
    """A page of rows."""

    columns: list[RowsColumn]
    rows: list[list[Any]] = about("Values in the order of the columns, in the forms of `/query`.")
    generation: int
    freshness: Freshness
    next: str | None = about("`cursor` of the next page; null on the last.")
    leftOut: list[str] = about("Columns, and fields inside of them, that the reader may not see.")


class ViewAction(Answer):
    """What was asked of a view; the runner does it within a second or two."""

    name: str
    action: Literal["pause", "resume", "restart", "rebuild"]
