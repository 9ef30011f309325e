"""A share that climbs slowly is an anomaly once it matters; one that moves with hours and days of the week never is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from catalog.quality.layout import layout
from tests.quality_world import SERIES, Fault, Past, Topic, run_checks

NULLS = SERIES.index("nulls value.email")
WEEKS = 6
FIRST = WEEKS * 168


@dataclass
class Drifting(Topic):
    """Its null share climbs by so much a day from an hour on, and swings with the day and the week by so much."""

    climb: float = 0.0
    swing: float = 0.0
    since: int = FIRST

    def share(self, hours: Any) -> Any:
        season = self.swing * (1 + np.sin(hours % 24 / 24 * 2 * math.pi)) * np.where(hours % 168 >= 120, 0.5, 1.0)
        return np.clip(0.02 + season + self.climb * np.maximum(0, hours - self.since) / 24, 0, 1)

    def figures(self, hours: Any, fault: Fault | None) -> Any:
        figures = super().figures(hours, fault)
        records = np.nan_to_num(figures[:, SERIES.index("records")]).astype(int)
        figures[:, NULLS] = self.random.binomial(records, self.share(hours)) / np.maximum(records, 1)
        return figures


def alarms(seed: int, days: int, climb: float = 0.0, swing: float = 0.0) -> list[int]:
    """Hours after the beginning of the drift at which an anomaly of the null share began."""
    drawn = Topic.drawn(np.random.default_rng([seed, 7]))
    topic = Drifting(**{**vars(drawn), "base": 5000.0}, climb=climb, swing=swing)
    past = Past(layout(SERIES), FIRST + days * 24)
    hours = np.arange(FIRST - 24)
    past.mean[hours] = topic.figures(hours, None)
    seen = run_checks(topic, None, FIRST - 24, FIRST + days * 24, past, "normal")
    return [each.hour - FIRST for each in seen if "nulls" in each.opened]


@pytest.mark.parametrize("climb", [0.02, 0.01, 0.005])
def test_a_share_that_climbs_for_days_is_an_anomaly_soon_after_it_climbed_by_what_matters(climb: float) -> None:
    for seed in range(3):
        began = alarms(seed, round(0.09 / climb) + 2, climb)
        assert began, f"seed {seed}: a climb of {climb} a day was not found"
        climbed = began[0] / 24 * climb
        assert 0.02 <= climbed <= 0.085, f"seed {seed}: found after a climb of {climbed:.3f}"


@pytest.mark.parametrize("swing", [0.0, 0.05, 0.2])
def test_a_share_that_moves_with_the_hour_and_the_day_of_the_week_is_none(swing: float) -> None:
    for seed in range(3):
        assert alarms(seed, 14, swing=swing) == []
