"""Points: packed and read again, and scans of an hour joined to one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from catalog.quality.points import course, joined, pack, point, same_hours, start_of, unpack
from catalog.quality_store import Tier

NOW = datetime(2026, 3, 6, 14, 20, tzinfo=UTC)
FIGURES = st.lists(st.one_of(st.just(float("nan")), st.floats(0, 1e9, width=32)), min_size=3, max_size=3)


@given(FIGURES, st.integers(3, 6))
def test_what_is_packed_comes_back_and_series_added_since_are_absent(figures: list[float], width: int) -> None:
    back = unpack(pack(np.array([figures])), 1, width)
    assert back.shape == (1, width)
    np.testing.assert_array_equal(back[0, :3], np.array(figures))
    assert np.isnan(back[0, 3:]).all()
    assert np.isnan(unpack(b"", 2, 3)).all()


@given(st.lists(FIGURES, min_size=1, max_size=6))
def test_an_hour_has_the_least_the_mean_and_the_most_of_its_scans(scans: list[list[float]]) -> None:
    hour, nothing = None, np.zeros(3, np.bool_)
    for n, each in enumerate(scans):
        hour = joined(hour, Tier.HOUR, NOW + timedelta(minutes=n), np.array(each), nothing)
    assert hour is not None
    assert (hour.scans, hour.at) == (len(scans), NOW.replace(minute=0))
    seen = course([hour], 3)
    for column in range(3):
        figures = [each[column] for each in scans if each[column] == each[column]]
        if not figures:
            assert np.isnan(seen.mean[0, column])
            continue
        assert seen.low[0, column] == min(figures)
        assert seen.high[0, column] == max(figures)
        assert min(figures) * (1 - 1e-5) <= seen.mean[0, column] <= max(figures) * (1 + 1e-5)


def test_an_hour_is_unusual_once_a_scan_saw_it_so() -> None:
    figures = np.array([1.0, 2.0])
    hour = point(Tier.HOUR, NOW, figures, np.array([True, False]))
    hour = joined(hour, Tier.HOUR, NOW, figures, np.array([False, False]))
    assert course([hour], 2).unusual.tolist() == [[1.0, 0.0]]


def test_hours_like_one_are_those_of_earlier_weeks_and_days() -> None:
    weeks, days = same_hours(NOW, 2, 3, 0)
    hour = datetime(2026, 3, 6, 14, tzinfo=UTC)
    assert weeks == {hour - timedelta(weeks=1), hour - timedelta(weeks=2)}
    assert days == {hour - timedelta(days=n) for n in (1, 2, 3)}
    _, beside = same_hours(NOW, 1, 1, 1)
    assert beside == {hour - timedelta(hours=n) for n in (23, 24, 25)}
    assert start_of(Tier.DAY, NOW) == datetime(2026, 3, 6, tzinfo=UTC)
    assert start_of(Tier.SCAN, NOW) == NOW
