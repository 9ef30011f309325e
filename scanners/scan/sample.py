"""Which offsets of a topic are read: pure, repeatable by its seed.

Offsets are planned as if every one had a record. Compaction, transaction markers and retention leave fewer; the scan
compares what it planned with what it read and reports the difference.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from scanners.model import OffsetRange, Partition, SampleRequest, Strategy, Topic

_RECHECK_SHARE = 0.2
"""Part of a since-last sample that looks again at what was read before, so that old records cannot hide a change."""

_WINDOW = 100
"""Records below which a partition's share is not split into more than head, tail and one window between."""


def plan(
    topics: Sequence[Topic],
    request: SampleRequest,
    seed: int | None = None,
    last_positions: Mapping[tuple[str, int], int] | None = None,
    windows: int = 4,
) -> list[OffsetRange]:
    """The ranges to read: sorted, not empty, not overlapping, inside what is retained.

    `last_positions` maps (topic, partition) to the first offset not yet read; `since-last` reads from there, and
    everything of a partition it does not know. `windows` is the number of windows a partition in a stratified sample.
    """
    seed = request.seed if seed is None else seed
    ranges: list[OffsetRange] = []
    for topic in topics:
        # A topic's windows depend on its name and the seed alone, not on which topics are scanned with it.
        draw = random.Random(f"{seed}:{topic.name}")  # noqa: S311 - a sample, not a secret
        ranges += _plan_topic(topic, request, draw, last_positions or {}, windows)
    return sorted(ranges)


def _plan_topic(
    topic: Topic, request: SampleRequest, draw: random.Random, last: Mapping[tuple[str, int], int], windows: int
) -> Iterable[OffsetRange]:
    partitions = [p for p in topic.partitions if p.end > p.begin]
    if request.strategy is Strategy.FULL:
        return [_range(topic, p, p.begin, p.end) for p in partitions]
    if request.strategy is Strategy.SINCE_LAST:
        return _since_last(topic, partitions, request, draw, last, windows)
    shares = _share_out(request.max_records, [p.end - p.begin for p in partitions])
    return [
        r
        for p, n in zip(partitions, shares, strict=True)
        for r in _windows(topic, p, n, request.strategy, draw, windows)
    ]


def _since_last(
    topic: Topic,
    partitions: list[Partition],
    request: SampleRequest,
    draw: random.Random,
    last: Mapping[tuple[str, int], int],
    windows: int,
) -> list[OffsetRange]:
    fresh: list[Partition] = []
    old: list[Partition] = []
    for p in partitions:
        # A position past the end means that the topic was created again: everything in it is new.
        position = last.get((topic.name, p.partition), p.begin)
        at = p.begin if position > p.end else max(position, p.begin)
        if at < p.end:
            fresh.append(Partition(p.partition, at, p.end))
        if p.begin < at:
            old.append(Partition(p.partition, p.begin, at))
    ranges: list[OffsetRange] = []
    recheck = max(1, int(request.max_records * _RECHECK_SHARE))
    for group, budget, strategy in (
        (fresh, request.max_records - recheck if old else request.max_records, Strategy.STRATIFIED),
        (old, recheck, Strategy.RANDOM),
    ):
        for p, n in zip(group, _share_out(max(1, budget), [p.end - p.begin for p in group]), strict=True):
            ranges += _windows(topic, p, n, strategy, draw, windows)
    return _join(ranges)


def _windows(
    topic: Topic, p: Partition, count: int, strategy: Strategy, draw: random.Random, windows: int
) -> list[OffsetRange]:
    """Windows that hold `count` offsets of one partition."""
    size = p.end - p.begin
    if count <= 0:
        return []
    if count >= size:
        return [_range(topic, p, p.begin, p.end)]
    if strategy is Strategy.LATEST:
        return [_range(topic, p, p.end - count, p.end)]
    if strategy is Strategy.EARLIEST:
        return [_range(topic, p, p.begin, p.begin + count)]
    # Opening a window costs as much as reading some hundred records: few small ones are not a better sample.
    pieces = min(count, max(min(3, windows), min(windows, count // _WINDOW)))
    lengths = [count // pieces + (1 if i < count % pieces else 0) for i in range(pieces)]
    if strategy is Strategy.RANDOM or pieces == 1:
        spots = _scatter(p.begin, p.end, lengths, draw)
    else:
        head, tail, *between = lengths
        middle = _scatter(p.begin + head, p.end - tail, between, draw)
        spots = [(p.begin, p.begin + head), *middle, (p.end - tail, p.end)]
    return _join([_range(topic, p, start, end) for start, end in spots])


def _scatter(begin: int, end: int, lengths: Sequence[int], draw: random.Random) -> list[tuple[int, int]]:
    """Windows of these lengths between begin and end, in order, apart: the free space is split at random."""
    free = end - begin - sum(lengths)
    cuts = sorted(draw.randint(0, free) for _ in lengths)
    spots, used = [], 0
    for cut, length in zip(cuts, lengths, strict=True):
        start = begin + cut + used
        spots.append((start, start + length))
        used += length
    return spots


def _share_out(total: int, sizes: Sequence[int]) -> list[int]:
    """Split a budget evenly over partitions; what a small one cannot use goes to the larger ones."""
    shares = [0] * len(sizes)
    left = total
    waiting = sorted(range(len(sizes)), key=sizes.__getitem__)
    for rank, index in enumerate(waiting):
        even = -(-left // (len(waiting) - rank))
        shares[index] = min(sizes[index], even, left)
        left -= shares[index]
    return shares


def _range(topic: Topic, p: Partition, start: int, end: int) -> OffsetRange:
    return OffsetRange(topic.name, p.partition, start, end)


def _join(ranges: list[OffsetRange]) -> list[OffsetRange]:
    """Neighbouring and overlapping ranges made one."""
    joined: list[OffsetRange] = []
    for r in sorted(ranges):
        if joined and joined[-1].topic == r.topic and joined[-1].partition == r.partition and r.start <= joined[-1].end:
            before = joined.pop()
            r = OffsetRange(r.topic, r.partition, before.start, max(before.end, r.end))
        joined.append(r)
    return joined
