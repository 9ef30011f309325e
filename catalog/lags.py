"""How far consumer groups were behind, over time: a sample a minute, kept for a day and no longer.

The series is bounded twice: by age, and by the number of samples of all groups together. Where there are more, the
oldest go first, so that a series begins later instead of missing groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

KEPT = timedelta(hours=24)
"""How long a sample is kept."""
MOST = 500_000
"""Samples kept of all groups, topics and clusters together."""


@dataclass(frozen=True, slots=True)
class GroupLag:
    """Records of a topic that a group has not committed yet, at one moment."""

    cluster: str
    topic: str
    group: str
    lag: int


class LagStore(Protocol):
    """Keeps samples; the twins in memory and SQL have one contract."""

    def add_lags(self, samples: Sequence[GroupLag], at: datetime) -> None:
        """Add samples of one moment. A second one of the same group, topic and moment replaces the first."""

    def lags(self, cluster: str, topic: str, since: datetime) -> dict[str, list[tuple[datetime, int]]]:
        """Samples of a topic's groups from a moment on, by group, the oldest first."""

    def newest_lags(self, since: datetime) -> list[GroupLag]:
        """The newest sample of each group and topic from a moment on, by cluster, topic and group."""

    def forget_lags(self, before: datetime, most: int) -> int:
        """Remove samples from before a moment, and of the others the oldest beyond `most`; gives how many. Samples of one
        moment go together."""


@dataclass(frozen=True, slots=True)
class Bucket:
    """A span of a series. `lag`: the largest in it; None: nothing was seen in it."""

    at: datetime
    lag: int | None


def spread(samples: Sequence[tuple[datetime, int]], since: datetime, until: datetime, count: int) -> list[Bucket]:
    """A series in `count` spans of equal length: the largest value of each, None where there is none.

    Samples outside of the time are left out.
    """
    step = (until - since) / count
    most: list[int | None] = [None] * count
    for at, lag in samples:
        if since <= at < until:
            place = min(count - 1, int((at - since) / step))
            before = most[place]
            most[place] = lag if before is None else max(before, lag)
    return [Bucket(since + step * place, lag) for place, lag in enumerate(most)]


def ordered(series: Mapping[str, Sequence[tuple[datetime, int]]]) -> list[str]:
    """Names of groups, those that were furthest behind first, then by name."""
    return sorted(series, key=lambda name: (-max((lag for _, lag in series[name]), default=0), name))
