"""A search passes over blocks of records that cannot hold its text, before a page is read where one may."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from policies.browse.needles import Needle
from policies.browse.ranges import after, page_ranges
from policies.plan.cancellation import Stop
from policies.plan.model import Range
from policies.plan.ports import QueryTable

_BLOCKS = 10
"""Blocks that are read at once: to begin a read takes as long as some thousand records."""
_FEW = 3
"""Where more blocks of a read may hold the text, they are read together."""
_SECONDS = 1.0
"""After so long a page is answered, so that who searches sees how far it is."""

TextScan = Callable[[Mapping[str, str], str, Sequence[Range], Needle, Stop], Sequence[tuple[int, int]] | None]
"""Implemented by `policies.adapters.kafka.text_scan.KafkaTextScan`."""


def no_scan(*_: object) -> None:
    """Where records cannot be looked at as they were sent."""
    return


@dataclass(frozen=True, slots=True)
class Skipped:
    """bounds   where the page begins
    records  offsets that were passed over
    known    whether the block at the bounds is the one to read; else the search reads on as without a scan
    """

    bounds: dict[int, int]
    records: int = 0
    known: bool = False


@dataclass(frozen=True, slots=True)
class Skipping:
    """`block`: offsets of all partitions that a page reads at once."""

    scan: TextScan
    table: QueryTable
    edges: Sequence[Range]
    direction: str
    block: int
    stop: Stop
    clock: Callable[[], float] = field(default=time.monotonic)

    def skipped(self, bounds: dict[int, int], needle: Needle) -> Skipped:
        """The bounds of the first block that may hold the text; of the last one that was looked at, where none does or time
        is up."""
        begun, records = self.clock(), 0
        while True:
            blocks = self._blocks(bounds)
            if not blocks:
                return Skipped(bounds, records)
            whole = _joined(ranges for _, ranges in blocks)
            candidates = self.scan(self.table.kafka, self.table.topic, whole, needle, self.stop)
            if candidates is None:
                return Skipped(bounds, records)
            having = [any(_has(ranges, *each) for each in candidates) for _, ranges in blocks]
            behind = after(*blocks[-1], (), self.direction, True)
            if not any(having) and (self.clock() - begun > _SECONDS or not self._left(behind)):
                having[-1] = True
            first = having.index(True) if any(having) else len(blocks)
            records += sum(each.count for _, ranges in blocks[:first] for each in ranges)
            if first < len(blocks):
                return Skipped(blocks[first][0], records, sum(having) <= _FEW)
            bounds = behind

    def _blocks(self, bounds: dict[int, int]) -> list[tuple[dict[int, int], tuple[Range, ...]]]:
        results = []
        for _ in range(_BLOCKS):
            ranges = page_ranges(bounds, self.edges, self.direction, self.block, self.block)
            if not any(each.count for each in ranges):
                break
            results.append((bounds, ranges))
            bounds = after(bounds, ranges, (), self.direction, True)
        return results

    def _left(self, bounds: dict[int, int]) -> bool:
        return any(each.count for each in page_ranges(bounds, self.edges, self.direction, 1, 1))


def _joined(blocks: Iterable[Sequence[Range]]) -> tuple[Range, ...]:
    """Blocks that are beside one another, as one range of each partition."""
    results: dict[int, Range] = {}
    for ranges in blocks:
        for each in ranges:
            old = results.get(each.partition, each)
            results[each.partition] = Range(each.partition, min(old.start, each.start), max(old.end, each.end))
    return tuple(results.values())


def _has(ranges: Sequence[Range], partition: int, offset: int) -> bool:
    return any(each.partition == partition and each.start <= offset < each.end for each in ranges)
