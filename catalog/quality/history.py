"""Reads from the store what a moment is compared with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from catalog.model import DatasetId
from catalog.quality.points import Course, course, same_hours, start_of
from catalog.quality.usual import DAYS, HOURS, WEEKS, History
from catalog.quality_store import QualityPoint, QualityStore, Tier

_OFTEN = 2 * 3600.0
"""Seconds between scans up to which each hour has a point; else the hours beside count, too."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Points like a moment, and the points of its hour and day, where there are any."""

    history: History
    hour: QualityPoint | None
    day: QualityPoint | None


def read(store: QualityStore, dataset: DatasetId, now: datetime, width: int, span: float | None) -> Moments:
    """`span`: the usual seconds between scans."""
    around = 0 if span is not None and span <= _OFTEN else 1
    weeks, days = same_hours(now, WEEKS, DAYS, around)
    hour = start_of(Tier.HOUR, now)
    day = start_of(Tier.DAY, now)
    points = store.quality_points_at(dataset, {Tier.HOUR: {*weeks, *days, hour}, Tier.DAY: {day}})
    alike = [each for each in points if each.tier is Tier.HOUR]

    def level() -> Course:
        newest = store.newest_quality_points(dataset, Tier.HOUR, HOURS + 1)
        return course([each for each in newest if each.at < hour][-HOURS:], width)

    return Moments(
        History(
            _course(alike, weeks, width),
            lambda: _course(alike, days, width),
            level,
        ),
        next((each for each in alike if each.at == hour), None),
        next((each for each in points if each.tier is Tier.DAY), None),
    )


def _course(points: Sequence[QualityPoint], moments: Collection[datetime], width: int) -> Course:
    return course([each for each in points if each.at in moments], width)
