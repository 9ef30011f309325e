"""What one scan measured of a dataset, as figures of series. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from catalog.model import FieldProfile, ScanWindow, SchemaVersion
from catalog.quality.series import MOST_TYPES, Measure, Series, of_field, of_type

Ends = Mapping[str, int]
"""Partition, as text, -> offset behind its last record."""

_SHORTEST, _LONGEST = 0.5, 2.0
"""A span between scans that is outside of these times the usual one is not compared."""
_WEIGHT = 0.2
"""Of the newest span in what is the usual one."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far the topic had come at a scan. `span`: the usual seconds between scans, None while there was only one."""

    at: datetime
    ends: Ends
    span: float | None = None


@dataclass(frozen=True, slots=True)
class Flow:
    """Records an hour since the scan before; None where the two cannot be compared. `reach`: for the next scan."""

    rate: float | None
    reach: Reach


def flow(window: ScanWindow, now: datetime, before: Reach | None, compacted: bool) -> Flow:
    """How many records arrived, from the offsets of this scan and of the one before.

    Partitions that one of them lacks are left out, and so is a topic that was created again. A scan soon after another one is
    not counted: the next one counts from the one before.
    """
    ends = {str(each["partition"]): int(each["end"]) for each in window.partitions if each.get("end") is not None}
    if before is None or compacted or not ends:
        return Flow(None, Reach(now, ends, before.span if before else None))
    seconds = (now - before.at).total_seconds()
    if seconds <= 0:
        return Flow(None, before)
    usual = before.span or seconds
    if seconds < _SHORTEST * usual:
        return Flow(None, Reach(before.at, before.ends, usual * (1 - _WEIGHT) + seconds * _WEIGHT))
    both = ends.keys() & before.ends.keys()
    more = [ends[each] - before.ends[each] for each in both]
    reach = Reach(now, ends, usual * (1 - _WEIGHT) + seconds * _WEIGHT)
    if not both or min(more) < 0 or seconds > _LONGEST * usual:
        return Flow(None, reach)
    return Flow(sum(more) * 3600 / seconds, reach)


def lateness(schema: SchemaVersion, newest: str | None, now: datetime) -> float | None:
    """Seconds since the newest record; None where the scan did not read the newest ones, and for clocks that disagree."""
    if newest is None or not _ends_read(schema.window):
        return None
    age = (now - datetime.fromisoformat(newest.replace("Z", "+00:00"))).total_seconds()
    return age if age >= 0 else None


def measured(schema: SchemaVersion, rate: float | None, late: float | None) -> dict[Series, float]:
    """Figures of one scan; a series of which it measured nothing is absent. Those of the records come first, then by field."""
    figures: dict[Series, float] = {}
    if rate is not None:
        figures[Series(Measure.VOLUME)] = rate
    if late is not None:
        figures[Series(Measure.LATENESS)] = late
    if schema.window.records:
        figures[Series(Measure.RECORDS)] = float(schema.window.records)
        for profile in schema.fields:
            figures.update(_of_field(profile))
    return figures


def _of_field(profile: FieldProfile) -> Iterator[tuple[Series, float]]:
    path = profile.path
    nulls, presence, distinct = of_field(path)
    yield nulls, profile.null_share
    yield presence, profile.presence
    if profile.distinct is not None:
        yield distinct, float(profile.distinct)
    filled = 1 - profile.types.get("null", 0.0)
    if filled <= 0:
        return
    shares = sorted(((share, name) for name, share in profile.types.items() if name != "null"), reverse=True)
    for share, name in shares[:MOST_TYPES]:
        yield of_type(path, name), min(1.0, share / filled)


def _ends_read(window: ScanWindow) -> bool:
    """Whether the last record of every partition was read, or there was nothing new to read."""
    return bool(window.partitions) and all(
        each.get("end", 0) <= each.get("begin", 0)
        or (each.get("last") is not None and each["last"] >= each["end"] - 1)
        or (window.records == 0 and window.strategy == "since-last")
        for each in window.partitions
    )
