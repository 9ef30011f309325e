"""When anomalies begin and end."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from catalog.quality.episodes import ACCEPTED_AFTER, CALM_IN_A_ROW, Episode, SeriesState, Step, next_step

NOW = datetime(2026, 3, 6, 14, tzinfo=UTC)


def steps(*seen: SeriesState, extreme: bool = False, marked: bool = False, hours: float = 1) -> list[Step]:
    episode, taken = None, []
    for n, each in enumerate(seen):
        at = NOW + n * timedelta(hours=hours)
        step, episode = next_step(episode, each, at, in_a_row=2, extreme=extreme, marked=marked)
        if step is Step.OPEN and episode is not None:
            episode = replace(episode, anomaly="a")
        taken.append(step)
    return taken


OUT, CALM, BETWEEN, UNKNOWN = SeriesState.OUTSIDE, SeriesState.CALM, SeriesState.BETWEEN, SeriesState.UNKNOWN


def test_one_scan_is_no_anomaly_two_in_a_row_are_and_two_calm_ones_end_it() -> None:
    assert steps(OUT, CALM, OUT, BETWEEN, OUT) == [Step.NOTHING] * 5
    assert steps(OUT, OUT, OUT, CALM, OUT, CALM, CALM) == [
        Step.NOTHING,
        Step.OPEN,
        Step.LAST,
        Step.NOTHING,
        Step.LAST,
        Step.NOTHING,
        Step.END,
    ]


def test_one_scan_is_enough_where_it_is_extreme_and_none_in_a_marked_time() -> None:
    assert steps(OUT, extreme=True) == [Step.OPEN]
    assert steps(OUT, OUT, OUT, extreme=True, marked=True) == [Step.NOTHING] * 3


def test_what_is_not_known_neither_begins_nor_ends_one() -> None:
    assert steps(OUT, UNKNOWN, OUT, UNKNOWN, CALM, UNKNOWN, CALM)[2] is Step.OPEN
    assert steps(OUT, OUT, UNKNOWN, UNKNOWN, UNKNOWN)[2:] == [Step.NOTHING] * 3


def test_what_lasts_a_week_is_accepted() -> None:
    taken = steps(*[OUT] * 400)
    assert taken.index(Step.ACCEPT) == ACCEPTED_AFTER // timedelta(hours=1)
    assert Step.ACCEPT not in steps(*[OUT] * 5, hours=72)  # too few scans saw it


@given(st.lists(st.sampled_from(list(SeriesState)), max_size=60))
def test_an_anomaly_begins_before_it_lasts_or_ends_and_ends_once(seen: list[SeriesState]) -> None:
    is_open = False
    for step in steps(*seen):
        if step is Step.OPEN:
            assert not is_open
            is_open = True
        elif step in (Step.LAST, Step.END, Step.ACCEPT):
            assert is_open
            is_open = step is Step.LAST
    assert CALM_IN_A_ROW == 2


def test_an_episode_is_stored_and_read() -> None:
    episode = Episode(NOW, 3, 1, "a")
    assert Episode.from_json(episode.to_json()) == episode
