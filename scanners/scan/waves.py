"""A large job in waves, so that a fault costs one of them: what each reads, and what is left after some were done."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scanners.model import OffsetRange


@dataclass(frozen=True, slots=True)
class Wave:
    """Ranges that are read by one Spark job. `last` are the topics of which nothing comes after it."""

    ranges: tuple[OffsetRange, ...]
    last: frozenset[str]

    @property
    def topics(self) -> frozenset[str]:
        return self.last | {r.topic for r in self.ranges}


def waves(ranges: Iterable[OffsetRange], size: int) -> list[Wave]:
    """The ranges in waves of about `size` offsets, topic after topic; each range is wholly in them, once.

    A topic that does not fit is cut so that each of its waves reads a part of all its ranges, and all tasks have work.
    """
    by_topic: dict[str, list[OffsetRange]] = defaultdict(list)
    for r in sorted(ranges):
        by_topic[r.topic].append(r)
    full: list[Wave] = []
    wave: list[OffsetRange] = []
    last: set[str] = set()
    for topic, mine in by_topic.items():
        parts = _cut(mine, max(1, -(-sum(r.length for r in mine) // size)))
        for number, part in enumerate(parts):
            if wave and sum(r.length for r in (*wave, *part)) > size:
                full.append(Wave(tuple(wave), frozenset(last)))
                wave, last = [], set()
            wave += part
            if number == len(parts) - 1:
                last.add(topic)
    return [*full, Wave(tuple(wave), frozenset(last))] if wave else full


def _cut(ranges: Sequence[OffsetRange], pieces: int) -> list[list[OffsetRange]]:
    """Each range in as many pieces, the nth pieces together; empty ones are left out."""
    parts: list[list[OffsetRange]] = []
    for number in range(pieces):
        part = [
            OffsetRange(
                r.topic, r.partition, r.start + r.length * number // pieces, r.start + r.length * (number + 1) // pieces
            )
            for r in ranges
        ]
        parts.append([r for r in part if r.length])
    return [part for part in parts if part]


def left(ranges: Iterable[OffsetRange], done: Iterable[OffsetRange]) -> list[OffsetRange]:
    """What of the ranges is not in those that are done."""
    finished: dict[tuple[str, int], list[OffsetRange]] = defaultdict(list)
    for r in sorted(done):
        finished[r.topic, r.partition].append(r)
    answer: list[OffsetRange] = []
    for r in sorted(ranges):
        at = r.start
        for d in finished[r.topic, r.partition]:
            if d.end <= at or d.start >= r.end:
                continue
            if d.start > at:
                answer.append(OffsetRange(r.topic, r.partition, at, d.start))
            at = max(at, d.end)
        if at < r.end:
            answer.append(OffsetRange(r.topic, r.partition, at, r.end))
    return answer


def joined(ranges: Iterable[OffsetRange]) -> list[OffsetRange]:
    """Neighbouring ranges made one."""
    merged: list[OffsetRange] = []
    for r in sorted(ranges):
        if merged and (merged[-1].topic, merged[-1].partition, merged[-1].end) == (r.topic, r.partition, r.start):
            merged[-1] = OffsetRange(r.topic, r.partition, merged[-1].start, r.end)
        else:
            merged.append(r)
    return merged
