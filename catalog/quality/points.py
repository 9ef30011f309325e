"""Points of all series of a dataset, packed: four rows of 32-bit numbers, compressed. Absent figures are NaN."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
from numpy.typing import NDArray

from catalog.quality_store import QualityPoint, Tier

Numbers = NDArray[np.float64]
Flags = NDArray[np.bool_]

LOW, MEAN, HIGH, UNUSUAL = range(4)
_ROWS = 4


def pack(values: Numbers) -> bytes:
    """A matrix of figures, one row after the other."""
    return zlib.compress(values.astype("<f4").tobytes(), 1)


def unpack(packed: bytes, rows: int, width: int) -> Numbers:
    """As it was packed; series that were added since are NaN."""
    return _matrix(zlib.decompress(packed) if packed else b"", rows, width)


def _matrix(unpacked: bytes, rows: int, width: int) -> Numbers:
    if not unpacked:
        return np.full((rows, width), np.nan)
    values = np.frombuffer(unpacked, dtype="<f4").reshape(rows, -1).astype(np.float64)
    if values.shape[1] < width:
        missing = np.full((rows, width - values.shape[1]), np.nan)
        return np.concatenate([values, missing], axis=1)
    return values[:, :width]


@dataclass(frozen=True, slots=True)
class Course:
    """Points of a tier, unpacked, the oldest first: rows are points, columns are series.

    unusual  1 where a scan saw the series out of its usual range
    """

    at: tuple[datetime, ...]
    low: Numbers
    mean: Numbers
    high: Numbers
    unusual: Numbers

    def __len__(self) -> int:
        return len(self.at)


def course(points: Sequence[QualityPoint], width: int) -> Course:
    """Points as matrices."""
    stacked = _stacked([zlib.decompress(each.values) if each.values else b"" for each in points], width)
    return Course(
        tuple(each.at for each in points),
        stacked[:, LOW],
        stacked[:, MEAN],
        stacked[:, HIGH],
        stacked[:, UNUSUAL],
    )


def _stacked(unpacked: Sequence[bytes], width: int) -> Numbers:
    """(points, rows, width). Points of one size, as most are, are read at once."""
    if unpacked and all(len(each) == _ROWS * width * 4 for each in unpacked):
        return np.frombuffer(b"".join(unpacked), dtype="<f4").reshape(len(unpacked), _ROWS, width).astype(np.float64)
    stacked = np.empty((len(unpacked), _ROWS, width))
    for i, each in enumerate(unpacked):
        stacked[i] = _matrix(each, _ROWS, width)
    return stacked


def point(tier: Tier, at: datetime, figures: Numbers, unusual: Flags) -> QualityPoint:
    """The first point of a time."""
    values = np.stack([figures, figures, figures, unusual.astype(np.float64)])
    return QualityPoint(tier, start_of(tier, at), 1, pack(values))


def joined(before: QualityPoint | None, tier: Tier, at: datetime, figures: Numbers, unusual: Flags) -> QualityPoint:
    """The point of a time with one scan more. A series keeps its mean over the scans that measured it."""
    if before is None:
        return point(tier, at, figures, unusual)
    old = unpack(before.values, _ROWS, len(figures))
    weighted = (old[MEAN] * before.scans + figures) / (before.scans + 1)
    mean = np.where(np.isnan(old[MEAN]), figures, np.where(np.isnan(figures), old[MEAN], weighted))
    was_unusual = np.nan_to_num(old[UNUSUAL], nan=0.0)
    values = np.stack([np.fmin(old[LOW], figures), mean, np.fmax(old[HIGH], figures), np.maximum(was_unusual, unusual)])
    return QualityPoint(tier, before.at, before.scans + 1, pack(values))


def start_of(tier: Tier, at: datetime) -> datetime:
    """The beginning of the hour or day that a moment is in."""
    if tier is Tier.SCAN:
        return at
    hour = at.replace(minute=0, second=0, microsecond=0)
    return hour if tier is Tier.HOUR else hour.replace(hour=0)


def same_hours(at: datetime, weeks: int, days: int, around: int) -> tuple[set[datetime], set[datetime]]:
    """The hours of earlier weeks and of earlier days that are like the hour of a moment; `around`: hours beside it."""
    hour = start_of(Tier.HOUR, at)
    beside = [timedelta(hours=step) for step in range(-around, around + 1)]
    of_weeks = {hour - timedelta(weeks=n) + step for n in range(1, weeks + 1) for step in beside}
    of_days = {hour - timedelta(days=n) + step for n in range(1, days + 1) for step in beside}
    return of_weeks, {each for each in of_days if each < hour}
