"""Answers of `/datasets/{namespace}/{name}/quality`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about

Resolution = Literal["scan", "hour", "day"]
Unit = Literal["recordsPerHour", "records", "seconds", "share", "values"]
Direction = Literal["up", "down"]
MarkKind = Literal["deploy", "replay", "other"]


class UsualRange(Answer):
    """Between which figures a series mostly is, at the hour of the last scan."""

    low: float
    high: float


class SeriesPoint(Answer):
    """A figure of one scan, or of the scans of an hour or a day."""

    at: Time
    value: float = about("The mean of the scans.")
    low: float
    high: float
    unusual: bool = about("Whether a scan saw it out of its usual range.")


class QualitySeries(Answer):
    """One figure over time."""

    path: str | None = about("Null for the records as a whole.")
    measure: str = about("volume, records, lateness, nulls, presence, distinct, or type:NAME.")
    unit: Unit
    usual: UsualRange | None = about("Null while there is not enough history to judge by.")
    points: list[SeriesPoint] = about("The oldest first.")


class Anomaly(Answer):
    """A series that left its usual range."""

    id: str
    path: str | None
    measure: str
    direction: Direction
    reason: str = about("One sentence with the figure and what is usual.")
    value: float = about("Of the scan that saw it last.")
    usual: UsualRange
    score: float = about("How far it was out at most, in usual deviations.")
    beganAt: Time
    seenAt: Time
    endedAt: Time | None = about("Null while it lasts.")
    endedWhy: Literal["usual", "accepted", "marked", "off"] | None = about(
        "usual: it is back in its range; accepted: it lasted so long that it is usual now; marked: a mark covers it;"
        " off: the dataset's sensitivity is off."
    )


class QualityMark(Answer):
    """A time in which nothing of a dataset is an anomaly."""

    id: str
    kind: MarkKind = about(
        "deploy: what it leads to is usual from then on. replay, other: it does not count for what is usual."
    )
    startsAt: Time
    endsAt: Time
    note: str
    markedBy: str | None


class RemovedMark(Answer):
    """A mark that was taken back."""

    id: str
    removed: Literal[True]


class DatasetQuality(Answer):
    """The series of a dataset."""

    dataset: str
    checkedAt: Time | None = about("Of the last scan that is in the series; null where none is.")
    sensitivity: Literal["off", "low", "normal", "high"]
    resolution: Resolution
    series: list[QualitySeries]
    total: int = about("Of the series that fit and that the caller may see.")
    marks: list[QualityMark]
    withheld: list[Literal["rows", "fields"]]
    withheldSeries: int = about("Series that the caller may not see figures of.")
    leftOut: int = about("Series that are not kept, as the dataset has too many.")


class Anomalies(Answer):
    """Anomalies of a dataset: those that last, then those that are over; each the newest first."""

    dataset: str
    anomalies: list[Anomaly]
    withheldAnomalies: int = about("Of series that the caller may not see figures of.")
