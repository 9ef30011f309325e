"""Answers of `/views`."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.base import Answer, FreeForm, Time, about, absent


class ViewSink(Answer):
    cluster: str
    topic: str
    format: Literal["json", "avro"]


class ViewColumn(Answer):
    name: str
    type: str = about("Spark's name of the type.")


class ViewLag(Answer):
    """What the sources have and the rows do not contain yet."""

    records: int | None
    seconds: float | None = about("For how long that has been so; 0 when nothing is missing.")


class NextGeneration(Answer):
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
        "{recordsIn, rowsWritten, rowsDeleted, batches, lateRecords, unreadable, stateRows, stateBytes} since the stream started."
    )
    error: FreeForm | None = about("{code, message, details} of what ended it last.")
    sql: str
    runAs: FreeForm = about("{user or serviceAccount, purpose}: whose masks and row filters are in it.")
    description: str
    owners: list[str]
    restarts: int
    rows: int = absent("Rows that readers get; only where one view is asked for.")


class Views(Answer):
    views: list[View]


class ViewAction(Answer):
    name: str
    action: Literal["pause", "resume", "restart", "rebuild"]
