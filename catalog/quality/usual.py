"""What is usual of each series at a moment, from what was seen at moments like it. Pure; all series at once.

Moments like it are the same hour of the week in earlier weeks; while there are too few, the same hour of earlier days; for
shares of fields, which depend little on the hour, else the last hours that there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Literal

import numpy as np

from catalog.quality.layout import Layout
from catalog.quality.points import Course, Flags, Numbers

WEEKS, DAYS, HOURS = 8, 14, 48
"""How far back moments are compared: weeks, days, and hours with a point."""
_LEAST = {"week": 3, "day": 5, "level": 12}
_OLDEST = {"week": timedelta(days=20), "day": timedelta(days=6, hours=20), "level": timedelta(days=2)}
_LEAST_TOGETHER = 12
"""Points at moments like it, and deviations learned, that a judgement needs together."""
_TO_SIGMA = 1.4826
_MEAN_TO_SIGMA = 1.2533
_EDGE = 0.1

Kind = Literal["week", "day", "level", ""]


@dataclass(frozen=True, eq=False)
class Usual:
    """What is usual of each series.

    middle       median of what is compared
    least, most  the extremes
    low, high    figures between which it mostly is, for people
    spread       usual deviation from the middle, on the scale of `Layout.compared`
    own          the same of the compared figures alone, without what was learned before
    enough       whether there is enough to judge by
    kinds        by which moments: W week, D day, L level, space: none
    """

    middle: Numbers
    least: Numbers
    most: Numbers
    low: Numbers
    high: Numbers
    spread: Numbers
    own: Numbers
    enough: Flags
    kinds: np.ndarray

    def kind(self, place: int) -> Kind:
        """By which moments a series is judged; empty where it is not."""
        kinds: dict[str, Kind] = {"W": "week", "D": "day", "L": "level"}
        return kinds.get(str(self.kinds[place]), "") if self.enough[place] else ""


@dataclass(frozen=True, eq=False)
class History:
    """Points like a moment: of the same hour of the week, and of the same hour of the day.

    read_days, read_level  give those of the days, and the last points there are, where these are needed
    """

    weeks: Course
    read_days: Callable[[], Course]
    read_level: Callable[[], Course]

    @cached_property
    def days(self) -> Course:
        """Points of the same hour of the day."""
        return self.read_days()

    @cached_property
    def level(self) -> Course:
        """The last points there are."""
        return self.read_level()


@dataclass(frozen=True, eq=False)
class Levels:
    """Since when what a series does is usual, and until when what was unusual is taken as usual; seconds since 1970, NaN:
    always, never."""

    since: Numbers
    accepted: Numbers


def usual(history: History, layout: Layout, levels: Levels, learned: Numbers, now: datetime) -> Usual:
    """What is usual of every series now. `learned`: (mean deviation, how many it is of) of each."""
    width = layout.width
    nothing = np.full((7, width), np.nan)
    result = Usual(
        middle=nothing[0],
        least=nothing[1],
        most=nothing[2],
        low=nothing[3],
        high=nothing[4],
        spread=nothing[5],
        own=nothing[6],
        enough=np.zeros(width, np.bool_),
        kinds=np.full(width, " "),
    )
    open_ones = np.ones(width, np.bool_)
    for name in ("week", "day", "level"):
        if name == "level" and not (open_ones & layout.share).any():
            break
        seen = history.weeks if name == "week" else history.days if name == "day" else history.level
        one = _of(seen, layout, levels, now)
        fits = (one.count >= _LEAST[name]) & (one.age >= _OLDEST[name].total_seconds())
        if name == "level":
            fits &= layout.share
        fits &= open_ones
        open_ones &= ~fits
        if not fits.any():
            continue
        together = one.count + learned[1]
        spread = np.maximum(_TO_SIGMA * one.deviation, _MEAN_TO_SIGMA * np.nan_to_num(learned[0]))
        for kept, fresh in (
            (result.middle, one.middle),
            (result.least, one.least),
            (result.most, one.most),
            (result.low, one.low),
            (result.high, one.high),
            (result.spread, spread),
            (result.own, _TO_SIGMA * one.deviation),
        ):
            kept[fits] = fresh[fits]
        result.enough[fits] = (together >= _LEAST_TOGETHER)[fits]
        result.kinds[fits] = name[0].upper()
        if not open_ones.any():
            break
    return result


@dataclass(frozen=True, eq=False)
class _Of:
    count: Numbers
    age: Numbers
    middle: Numbers
    deviation: Numbers
    least: Numbers
    most: Numbers
    low: Numbers
    high: Numbers


def _of(seen: Course, layout: Layout, levels: Levels, now: datetime) -> _Of:
    width = layout.width
    if not len(seen):
        nothing = np.full(width, np.nan)
        return _Of(np.zeros(width), np.zeros(width), *(nothing for _ in range(6)))
    moments = np.array([each.timestamp() for each in seen.at])[:, None]
    unusual = (seen.unusual > 0) & ~(moments <= levels.accepted)
    left_out = unusual | (moments < levels.since)
    # The three together: of so few figures a call costs more than what it computes.
    values = np.where(left_out, np.nan, layout.with_types(np.stack([seen.low, seen.mean, seen.high])))
    mean = values[1]
    absent = np.isnan(mean)
    count = len(mean) - absent.sum(axis=0)
    lows, means, highs = np.sort(values, axis=1)
    middle = _at(means, count, 0.5)
    deviations = np.sort(np.abs(layout.compared(mean) - layout.compared(middle)), axis=0)
    oldest = np.where(absent, np.inf, moments).min(axis=0)
    return _Of(
        count=count.astype(np.float64),
        age=np.where(count > 0, now.timestamp() - oldest, 0.0),
        middle=middle,
        deviation=_at(deviations, count, 0.5),
        least=lows[0],
        most=_at(highs, count, 1.0),
        low=_at(lows, count, _EDGE),
        high=_at(highs, count, 1 - _EDGE),
    )


def medians(values: Numbers) -> Numbers:
    """Of each column; NaN is left out."""
    ordered, count = _sorted(values)
    return _at(ordered, count, 0.5)


def _sorted(values: Numbers) -> tuple[Numbers, np.ndarray]:
    """Each column sorted, NaN last, and how many of it are none."""
    return np.sort(values, axis=0), (~np.isnan(values)).sum(axis=0)


def _at(values: Numbers, count: np.ndarray, quantile: float) -> Numbers:
    """The quantile of sorted columns; NaN of empty ones."""
    last, columns = np.maximum(count - 1, 0), np.arange(values.shape[1])
    place = last * quantile
    below = place.astype(int)
    under, over = values[below, columns], values[np.minimum(below + 1, last), columns]
    between: Numbers = under + (over - under) * (place - below)
    return between
