"""The quality of a dataset over time, as it is kept: points of its series, anomalies, marks. No value of a record is among it.

A point holds all series of a dataset at one moment, packed by `catalog.quality.points`. What is kept is bounded by `MOST_POINTS`
of each tier, so a dataset has at most their sum of rows, however often it is scanned.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from catalog.model import DatasetId


class Tier(StrEnum):
    """SCAN: one point a scan. HOUR, DAY: what the scans of an hour and of a day saw together."""

    SCAN = "scan"
    HOUR = "hour"
    DAY = "day"


MOST_POINTS: Mapping[Tier, int] = {Tier.SCAN: 300, Tier.HOUR: 8 * 7 * 24, Tier.DAY: 400}
"""Points that are kept of one dataset; the oldest are forgotten first."""
MOST_ANOMALIES = 500
"""Anomalies that are over and kept of one dataset; the oldest are forgotten first. Those that last are all kept."""
MOST_MARKS = 100
"""Marks that are kept of one dataset; those that ended first are forgotten first."""


@dataclass(frozen=True, slots=True)
class QualityPoint:
    """All series of a dataset at one moment.

    at     of the scan, or the beginning of the hour or day; UTC
    scans  how many scans it is made of
    values packed by `catalog.quality.points`
    """

    tier: Tier
    at: datetime
    scans: int
    values: bytes


@dataclass(frozen=True, slots=True)
class QualityState:
    """What the next check of a dataset needs.

    series   keys of the series in the order of packed values; one that was added stays in its place
    learned  packed: how far values usually are from what is usual
    facts    JSON-ready: offsets of the last scan, series that are out of their usual range, and more
    """

    dataset: DatasetId
    series: tuple[str, ...] = ()
    learned: bytes = b""
    facts: Mapping[str, Any] = field(default_factory=dict)
    checked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Anomaly:
    """A series that left its usual range, from the scan that saw it first to the one that saw it usual again.

    path       None for the records as a whole
    measure    volume, lateness, nulls, presence, distinct, or type:NAME
    direction  up | down
    reason     one sentence with the value and what is usual; never a value of a record
    value      of the scan that saw it last; low, high: what is usual
    score      how far it is out, in usual deviations; the largest seen
    ended_at   None while it lasts; ended_why: usual | accepted | marked
    """

    id: str
    dataset: DatasetId
    measure: str
    direction: str
    reason: str
    value: float
    low: float
    high: float
    score: float
    began_at: datetime
    seen_at: datetime
    path: str | None = None
    ended_at: datetime | None = None
    ended_why: str | None = None


@dataclass(frozen=True, slots=True)
class QualityMark:
    """A time in which a dataset may be unusual: nothing of it is an anomaly.

    kind  deploy: what it leads to is usual from then on. replay, other: it is left out of what is usual.
    """

    id: str
    dataset: DatasetId
    kind: str
    starts_at: datetime
    ends_at: datetime
    note: str = ""
    marked_by: str | None = None


def anomaly_order(anomaly: Anomaly) -> tuple[bool, float, str]:
    """Those that last before those that are over, each the newest first."""
    moment = anomaly.ended_at or anomaly.began_at
    return anomaly.ended_at is not None, -moment.timestamp(), anomaly.id


class QualityStore(Protocol):
    """Keeps the quality of datasets that are in the catalog; the twins in memory and SQL have one contract. What is kept of
    a dataset goes with it, and follows it to another namespace. Writing raises DatasetNotFound for one that is not there."""

    def quality_state(self, dataset: DatasetId) -> QualityState | None: ...

    def put_quality_state(self, state: QualityState, points: Collection[QualityPoint] = ()) -> None:
        """Insert or replace: the state by dataset, points by tier and time. Of each tier the newest `MOST_POINTS` stay."""

    def quality_points_at(self, dataset: DatasetId, moments: Mapping[Tier, Collection[datetime]]) -> list[QualityPoint]:
        """Of these moments, those that there are; the oldest first."""

    def newest_quality_points(
        self, dataset: DatasetId, tier: Tier, limit: int, since: datetime | None = None
    ) -> list[QualityPoint]:
        """The newest ones, the oldest of them first; only those from `since` on."""

    def put_anomaly(self, anomaly: Anomaly) -> None:
        """Insert or replace by id; of those of its dataset that are over the newest `MOST_ANOMALIES` stay."""

    def anomalies(self, dataset: DatasetId, limit: int) -> list[Anomaly]:
        """In `anomaly_order`."""

    def lasting_anomalies(self, dataset: DatasetId) -> list[Anomaly]:
        """Those that are not over, in `anomaly_order`."""

    def put_quality_mark(self, mark: QualityMark) -> None:
        """Insert or replace by id; of its dataset the `MOST_MARKS` that end last stay."""

    def delete_quality_mark(self, dataset: DatasetId, id: str) -> bool:
        """Whether the dataset had it."""

    def quality_marks(self, dataset: DatasetId) -> list[QualityMark]:
        """Those that end last come first."""
