"""When an anomaly begins, lasts and ends: a series must be out of its range for several scans, and back for several. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from catalog.records import rfc3339

CALM_IN_A_ROW = 2
"""Scans that see a series usual again before its anomaly is over."""
ACCEPTED_AFTER = timedelta(days=7)
"""What lasts so long is usual from then on."""
_ACCEPTED_SCANS = 12


class Step(StrEnum):
    """What a scan does to the episode of a series."""

    NOTHING = "nothing"
    OPEN = "open"
    LAST = "last"
    END = "end"
    ACCEPT = "accept"


class SeriesState(StrEnum):
    """How a scan saw a series. UNKNOWN: it did not measure it, or there is not enough to judge by."""

    OUTSIDE = "outside"
    CALM = "calm"
    BETWEEN = "between"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Episode:
    """A series that is out of its usual range, or was at the last scan.

    since    of the first scan that saw it so
    outside  scans that saw it; calm: scans in a row that saw it usual again
    anomaly  id of its anomaly; None while it did not last long enough to be one
    """

    since: datetime
    outside: int = 0
    calm: int = 0
    anomaly: str | None = None

    def to_json(self) -> dict[str, str | int | None]:
        return {"since": rfc3339(self.since), "outside": self.outside, "calm": self.calm, "anomaly": self.anomaly}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Episode:
        since = datetime.fromisoformat(str(data["since"]))
        return Episode(since, int(data["outside"]), int(data["calm"]), data["anomaly"])


def next_step(
    before: Episode | None, seen: SeriesState, now: datetime, *, in_a_row: int, extreme: bool, marked: bool
) -> tuple[Step, Episode | None]:
    """What becomes of a series, and its episode after the scan; None where there is none.

    `extreme`: so far out that one scan is enough. `marked`: the time is marked, so no anomaly begins.
    """
    if seen is SeriesState.UNKNOWN:
        return Step.NOTHING, before
    if seen is SeriesState.OUTSIDE:
        episode = before or Episode(now)
        episode = replace(episode, outside=episode.outside + 1, calm=0)
        if episode.anomaly is None:
            if marked:
                return Step.NOTHING, None
            begins = extreme or episode.outside >= in_a_row
            return (Step.OPEN if begins else Step.NOTHING), episode
        if now - episode.since >= ACCEPTED_AFTER and episode.outside >= _ACCEPTED_SCANS:
            return Step.ACCEPT, None
        return Step.LAST, episode
    if before is None or before.anomaly is None:
        return Step.NOTHING, None
    calm = before.calm + 1 if seen is SeriesState.CALM else 0
    if calm >= CALM_IN_A_ROW:
        return Step.END, None
    return Step.LAST if seen is SeriesState.BETWEEN else Step.NOTHING, replace(before, calm=calm)
