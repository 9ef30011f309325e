"""Whether a share of some records is below a promised one, or only so by chance. Pure.

Few records have less or more of a thing than many do. A check that read a part of a topic therefore calls a share broken
only where chance alone would hardly ever show it. The bound is Chernoff's: of `tries` records of which each has the thing
with probability `p`, a share of `x` or less (below `p`) is seen with a probability of at most exp(-tries * D(x, p)),
where D is the divergence of Kullback and Leibler. It needs no table, and holds for one record as well as for a million.
"""

from __future__ import annotations

import math

_BEYOND_CHANCE = math.log(1_000_000)
"""A rule is looked at some thousand times a day: chance breaks one in a million looks at most."""
_ROOM = math.log(10_000)
"""How far below what was seen a draft promises: the true share is lower in one of ten thousand drafts at most."""


def is_below(share: float, tries: int, promised: float) -> bool:
    """Whether the share of `tries` records is below the promised one by more than chance."""
    return share < promised and tries * _divergence(share, promised) > _BEYOND_CHANCE


def is_above(share: float, tries: int, promised: float) -> bool:
    """Whether the share of `tries` records is above the promised one by more than chance."""
    return is_below(1 - share, tries, 1 - promised)


def least_share(share: float, tries: int) -> float:
    """The largest whole percent that is below the true share of which `tries` records show `share`, almost certainly."""
    for percent in range(math.floor(share * 100), 0, -1):
        if tries * _divergence(share, percent / 100) > _ROOM:
            return percent / 100
    return 0.0


def _divergence(seen: float, expected: float) -> float:
    """D(seen, expected) in nats; infinite where what was seen cannot be."""
    return _part(seen, expected) + _part(1 - seen, 1 - expected)


def _part(seen: float, expected: float) -> float:
    if seen <= 0:
        return 0.0
    return seen * math.log(seen / expected) if expected > 0 else math.inf
