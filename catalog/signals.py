"""What people do with datasets, counted without the people: answers opened for a query, datasets read together.

Counts fade: half of a count is left after a half-life. A count is kept as a score, `when / half-life + log2(weight)`,
which orders counts the same way at every moment; so the weakest can be forgotten without reading all of them.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from catalog.model import DatasetId

CLICKS_KEPT = 50_000
"""Pairs of query and dataset; of more, the weakest are forgotten."""
PAIRS_KEPT = 100_000
"""Directed pairs of datasets that were read together; of more, the weakest are forgotten."""
MOST_TOGETHER = 10
"""A query of more datasets does not show which belong together."""

_HALF_LIFE_S = 30 * 86_400.0


@dataclass(frozen=True, slots=True)
class JointReads:
    """How often a dataset was read in one query with another. `weight`: the same, faded."""

    queries: int
    weight: float


class SignalStore(Protocol):
    def add_click(self, query: str, dataset: DatasetId, at: datetime) -> None:
        """Count that the dataset was opened for a query, by its key; nothing where there is no such dataset."""

    def clicks(self, query: str, at: datetime) -> dict[DatasetId, float]:
        """How often each dataset was opened for a query, faded until then."""

    def add_together(self, datasets: Collection[DatasetId], at: datetime) -> None:
        """Count that these were read in one query, each with each; those that do not exist are left out."""

    def together(self, dataset: DatasetId, at: datetime) -> dict[DatasetId, JointReads]:
        """With which datasets it was read."""


def added(score: float | None, at: datetime) -> float:
    """A score with one more at a moment. None: there was none before."""
    now = at.timestamp() / _HALF_LIFE_S
    if score is None:
        return now
    high, low = max(now, score), min(now, score)
    return high + math.log2(1 + 2 ** (low - high))


def weight(score: float, at: datetime) -> float:
    """What is left of a count at a moment."""
    return float(2 ** min(score - at.timestamp() / _HALF_LIFE_S, 60.0))
