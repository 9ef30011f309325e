"""One check of a dataset: its figures beside what is usual, and what becomes of its episodes. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from catalog.quality.episodes import Episode, SeriesState, Step, next_step
from catalog.quality.judging import Judgement, judged, learned_more
from catalog.quality.layout import Layout
from catalog.quality.points import Flags, Numbers
from catalog.quality.sensitivity import Sensitivity
from catalog.quality.series import Series
from catalog.quality.usual import History, Levels, Usual, usual
from catalog.quality.words import reason


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of the anomaly of a series. `episode`: as it is after the scan."""

    step: Step
    series: Series
    episode: Episode | None
    before: Episode | None
    reason: str
    value: float
    low: float
    high: float
    score: float
    upwards: bool


@dataclass(frozen=True, eq=False)
class Checked:
    """episodes: key of a series -> its episode after the scan; unusual: out of the range; learned: for the next check."""

    changes: tuple[Change, ...]
    episodes: Mapping[str, Episode]
    unusual: Flags
    learned: Numbers


def check(
    name: str,
    figures: Numbers,
    layout: Layout,
    history: History,
    levels: Levels,
    learned: Numbers,
    episodes: Mapping[str, Episode],
    sensitivity: Sensitivity | None,
    now: datetime,
    *,
    hours: float,
    marked: bool,
) -> Checked:
    """`name`: of the dataset, for people; `hours`: over which the volume is counted; `sensitivity` None: nothing is judged."""
    is_usual = usual(history, layout, levels, learned, now)
    nobody = np.zeros(layout.width, np.bool_)
    if sensitivity is None:
        return Checked((), {}, nobody, learned_more(learned, figures, is_usual, layout, nobody))
    judgement = judged(figures, is_usual, history, layout, sensitivity, hours)
    places = {*np.flatnonzero(judgement.outside).tolist()}
    places |= {layout.places[key] for key in episodes}
    after, changes, unusual = dict(episodes), [], judgement.outside.copy()
    left_out = nobody.copy()
    for place in sorted(places):
        series = layout.series[place]
        before = episodes.get(series.key)
        step, episode = next_step(
            before,
            _seen(judgement, is_usual, figures, place),
            now,
            in_a_row=sensitivity.in_a_row,
            extreme=bool(judgement.score[place] >= 2 * sensitivity.score),
            marked=marked,
        )
        after.pop(series.key, None)
        if episode is not None:
            after[series.key] = episode
        lasts = episode is not None and episode.anomaly is not None
        unusual[place] |= lasts and not judgement.calm[place]
        left_out[place] = marked or step is Step.OPEN or lasts
        if step is not Step.NOTHING:
            changes.append(_change(name, step, place, layout, judgement, is_usual, figures, episode, before, now))
    return Checked(tuple(changes), after, unusual, learned_more(learned, figures, is_usual, layout, left_out))


def _seen(judgement: Judgement, is_usual: Usual, figures: Numbers, place: int) -> SeriesState:
    if not is_usual.enough[place] or np.isnan(figures[place]):
        return SeriesState.UNKNOWN
    if judgement.outside[place]:
        return SeriesState.OUTSIDE
    return SeriesState.CALM if judgement.calm[place] else SeriesState.BETWEEN


def _change(
    name: str,
    step: Step,
    place: int,
    layout: Layout,
    judgement: Judgement,
    is_usual: Usual,
    figures: Numbers,
    episode: Episode | None,
    before: Episode | None,
    now: datetime,
) -> Change:
    value, low, high = float(figures[place]), float(is_usual.low[place]), float(is_usual.high[place])
    series = layout.series[place]
    return Change(
        step=step,
        series=series,
        episode=episode,
        before=before,
        reason=reason(name, series, value, low, high, is_usual.kind(place), now),
        value=value,
        low=low,
        high=high,
        score=float(judgement.score[place]),
        upwards=bool(judgement.upwards[place]),
    )
