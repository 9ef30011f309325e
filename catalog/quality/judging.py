"""Whether what a scan measured is usual. Pure; all series at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from catalog.quality.layout import Layout
from catalog.quality.points import Flags, Numbers
from catalog.quality.sensitivity import Sensitivity
from catalog.quality.usual import History, Usual, medians

_LEAST_LOG_SPREAD, _LEAST_SHARE_SPREAD = 0.08, 0.005
_WEIGHT = 0.01
"""Of the newest deviation in what is learned, once there are a hundred."""
_CUT = 3.0
"""Deviations beyond so many spreads count as so many when they are learned."""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What a scan's figures are beside what is usual.

    score     how many spreads from the middle; 0 where it cannot be judged
    outside   an anomaly, if it lasts
    calm      back within half of what an anomaly needs, or within what was seen before
    upwards   above the middle
    """

    score: Numbers
    outside: Flags
    calm: Flags
    upwards: Flags


def judged(
    figures: Numbers, usual: Usual, history: History, layout: Layout, sensitivity: Sensitivity, hours: float
) -> Judgement:
    """`hours`: over which the volume is counted."""
    away = layout.compared(figures) - layout.compared(usual.middle)
    spread = np.maximum(usual.spread, _chance(figures, usual, layout, hours))
    known = usual.enough & ~np.isnan(away) & (spread > 0)
    score = np.where(known, np.abs(away) / np.where(known, spread, 1.0), 0.0)
    upwards = away > 0
    apart = np.abs(layout.apart(figures, usual.middle))
    beyond = np.where(upwards, layout.apart(figures, usual.most), layout.apart(usual.least, figures))
    margin = np.where(layout.share, sensitivity.share, sensitivity.margin)
    # Where hours of one week day are compared with those of others, the whole margin lies outside of what was seen.
    needed = np.where(usual.kinds == "W", 0.0, margin)
    far = (apart >= margin) & (beyond > 0) & (beyond >= needed)
    far &= np.where(upwards, layout.up, layout.down)
    far &= ~layout.late | (figures - usual.middle >= sensitivity.late)
    outside = known & far & (score >= sensitivity.score)
    if (outside & layout.distinct).any():
        outside &= ~layout.distinct | _distinct_of_records(figures, away, history, layout, sensitivity)
    calm = known & ~outside & ((score <= sensitivity.score / 2) | (beyond <= 0) | (apart < margin / 2))
    return Judgement(score, outside, calm, upwards)


def learned_more(learned: Numbers, figures: Numbers, usual: Usual, layout: Layout, left_out: Flags) -> Numbers:
    """(mean deviation, how many it is of) with those of one scan more; `left_out`: series of which nothing is learned."""
    away = np.abs(layout.compared(figures) - layout.compared(usual.middle))
    # What a share learns does not widen what it may learn: else one that climbs slowly would be usual all the way.
    of_shares = np.maximum(usual.own, _LEAST_SHARE_SPREAD)
    spread = np.where(layout.share, of_shares, np.maximum(usual.spread, _LEAST_LOG_SPREAD))
    away = np.where(usual.enough, np.minimum(away, _CUT * spread), away)
    fresh = ~np.isnan(away) & ~left_out
    mean, count = np.nan_to_num(learned[0]), np.nan_to_num(learned[1])
    weight = np.maximum(1 / (count + 1), _WEIGHT)
    mean = np.where(fresh, mean + (np.nan_to_num(away) - mean) * weight, mean)
    return np.stack([mean, np.where(fresh, count + 1, count)])


def _chance(figures: Numbers, usual: Usual, layout: Layout, hours: float) -> Numbers:
    """The deviation that chance alone makes: of shares in a sample, of counts, of estimates."""
    records = figures[layout.records] if layout.records is not None else np.nan
    records = max(1.0, float(np.nan_to_num(records, nan=1.0)))
    share = (np.clip(np.nan_to_num(usual.middle), 0, 1) * records + 1) / (records + 2)
    of_shares = np.maximum(np.sqrt(share * (1 - share) / records), _LEAST_SHARE_SPREAD)
    expected = np.maximum(np.nan_to_num(usual.middle), 0.0)
    counted = np.where(layout.volume, expected * hours, expected)
    of_counts = np.sqrt(_LEAST_LOG_SPREAD**2 + 1 / (1 + counted))
    return np.where(layout.share, of_shares, of_counts)


def _distinct_of_records(
    figures: Numbers, away: Numbers, history: History, layout: Layout, sensitivity: Sensitivity
) -> Flags:
    """Whether values are distinct more or less often for the number of records read, too: both move when less was read."""
    if layout.records is None:
        return np.zeros(layout.width, np.bool_)
    records = figures[layout.records]
    seen = history.days if len(history.days) else history.level
    if not len(seen):
        return np.zeros(layout.width, np.bool_)
    before = np.log1p(seen.mean) - np.log1p(seen.mean[:, layout.records : layout.records + 1])
    moved = np.log1p(figures) - np.log1p(records) - medians(before)
    same_way = np.sign(moved) == np.sign(away)
    result: Flags = same_way & (np.abs(moved) >= sensitivity.margin)
    return result
