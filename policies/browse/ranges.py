"""Which offsets a page reads of each partition, and where the next page begins. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from policies.browse.cursors import OLDER
from policies.plan.model import Range

Bounds = Mapping[int, int]


def clamped(bounds: Bounds, edges: Iterable[Range], direction: str) -> dict[int, int]:
    """A bound for each partition, inside what is retained; a partition without one begins at the end it comes from."""
    return {
        e.partition: min(max(bounds.get(e.partition, e.end if direction == OLDER else e.start), e.start), e.end)
        for e in edges
    }


def page_ranges(bounds: Bounds, edges: Iterable[Range], direction: str, budget: int, most: int) -> tuple[Range, ...]:
    """At most `budget` offsets together and `most` of one partition, next to the bounds; at least one of each
    partition that has some left."""
    edge_of = {e.partition: e for e in edges}
    left = {p: (b - edge_of[p].start if direction == OLDER else edge_of[p].end - b) for p, b in bounds.items()}
    open_ = sorted(p for p, n in left.items() if n > 0)
    share = max(1, min(most, budget // max(1, len(open_))))
    sizes = {p: min(left[p], share) for p in open_}
    if direction == OLDER:
        return tuple(Range(p, bounds[p] - n, bounds[p]) for p, n in sizes.items())
    return tuple(Range(p, bounds[p], bounds[p] + n) for p, n in sizes.items())


def after(
    bounds: Bounds, ranges: Iterable[Range], shown: Iterable[tuple[int, int]], direction: str, whole: bool
) -> dict[int, int]:
    """The bounds of the page behind this one.

    `shown`: (partition, offset) of its records. `whole`: every record of the ranges that fits was shown, so that the
    next page begins behind the ranges; else it begins behind the last record shown of each partition.
    """
    moved = dict(bounds)
    if whole:
        return moved | {r.partition: r.start if direction == OLDER else r.end for r in ranges}
    for partition, offset in shown:
        if direction == OLDER:
            moved[partition] = min(moved.get(partition, offset), offset)
        else:
            moved[partition] = max(moved.get(partition, offset + 1), offset + 1)
    return moved


def left_over(bounds: Bounds, edges: Iterable[Range], direction: str) -> int:
    """How many offsets there are behind the bounds."""
    edge_of = {e.partition: e for e in edges}
    return sum(max(0, b - edge_of[p].start if direction == OLDER else edge_of[p].end - b) for p, b in bounds.items())


def offsets_sql(ranges: Iterable[Range], edges: Iterable[Range]) -> str:
    """The text behind AS OF OFFSETS; an empty window where there is nothing to read."""
    read = [f"{r.partition}:{r.start}-{r.end}" for r in ranges if r.count]
    if not read:
        first = next(iter(edges), Range(0, 0, 0))
        read = [f"{first.partition}:{first.end}-{first.end}"]
    return ",".join(read)
