"""How many records a window has, and where: counted by a consumer, and remembered.

Offsets do not count records: marks of transactions take offsets, and compaction leaves gaps. So each offset is read once.
What a log without compaction holds between two offsets does not change until it goes as a whole from the log's start;
so what was counted is remembered, and the next count reads only what came since.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from cachetools import LRUCache

from policies.adapters.kafka.windows import NO_TIME, KafkaWindows
from policies.plan.cancellation import Stop
from policies.plan.model import PositionTotals, Range, TablePlan

_log = structlog.get_logger(__name__)
_SECONDS = 10.0
"""A count that would take longer is left to the engine."""
_SURE_SECONDS = 1.0
"""Before, its pace is not yet known."""
_TOPICS_KEPT = 1_000
_MOST_AT_ONCE = 2_000
"""Few at a time: the messages are made while no other thread of the process runs."""


Identity = Callable[[TablePlan], tuple[str, ...] | None]
"""What a topic is known by, whose records stay as they are until they go from the log's start; None for every other."""


@dataclass(frozen=True, slots=True)
class _Counted:
    """What is between two offsets of a partition."""

    start: int
    end: int
    records: int = 0
    offset: tuple[int, int] | None = None
    timestamp: tuple[int, int] | None = None

    @property
    def dense(self) -> bool:
        return self.records == self.end - self.start

    def within(self, part: Range, times: bool) -> _Counted | None:
        """What is known by this of a range: all of this, or, where each offset is a record, the part of it that the range
        has. None where nothing is."""
        start, end = max(self.start, part.start), min(self.end, part.end)
        if start >= end:
            return None
        if (start, end) == (self.start, self.end) and not (times and self.records and self.timestamp is None):
            return self
        if times or not self.dense:
            return None
        return _Counted(start, end, end - start, (start, end - 1))

    def with_next(self, after: _Counted) -> _Counted:
        """This and what comes right behind it."""
        unstamped = any(each.records and each.timestamp is None for each in (self, after))
        return _Counted(
            self.start,
            after.end,
            self.records + after.records,
            _both(self.offset, after.offset),
            None if unstamped else _both(self.timestamp, after.timestamp),
        )

    def beside(self, old: _Counted | None, ends: tuple[_Counted, _Counted]) -> _Counted:
        """What to remember where `old` was known before, and this was made of the part of it within a range and of the two
        ends that were read now."""
        if old is None or old.end < self.start or old.start > self.end or (old.start < self.start and not old.dense):
            return self
        if old.start <= self.start:
            return old if old.end >= self.end else old.with_next(ends[1])
        return self if old.end <= self.end else ends[0].with_next(old)


class KafkaPositions:
    """Counts the records of windows. Safe for threads."""

    def __init__(self, windows: KafkaWindows, identity: Identity) -> None:
        """`identity`: of which topic the counts may be remembered."""
        self._windows, self._identity = windows, identity
        self._known: LRUCache[tuple[str, ...], dict[int, _Counted]] = LRUCache(_TOPICS_KEPT)
        self._lock = threading.Lock()

    def totals(self, table: TablePlan, times: bool, stop: Stop) -> PositionTotals | None:
        """What the table's window holds; with `times`, when its records were stamped too. None where the engine must
        count."""
        try:
            topic = self._identity(table)
            with self._lock:
                known = dict(self._known.get(topic, {})) if topic else {}
            counted = self._count(table, known, times, stop)
        except Exception as error:
            _log.info("count left to the engine", topic=table.topic, error=type(error).__name__)
            return None
        if counted is None:
            return None
        if topic:
            with self._lock:
                self._known[topic] = known
        return _totals(counted)

    def _count(
        self, table: TablePlan, known: dict[int, _Counted], times: bool, stop: Stop
    ) -> list[tuple[int, _Counted, int]] | None:
        """(partition, what its range holds, how many of that were read); `known` is brought up to date. None where it takes
        too long."""
        parts = [(each, _of(known, each, times)) for each in table.window.ranges]
        pace = _Pace(time.monotonic(), sum(r.count - (m.end - m.start if m else 0) for r, m in parts), stop)
        counted, read = [], 0
        with self._windows.consumer(table.kafka) as consumer:
            for each, middle in parts:
                middle = middle or _Counted(each.start, each.start)
                ends = []
                for start, end in ((each.start, middle.start), (middle.end, each.end)):
                    part = _read(consumer, table.topic, Range(each.partition, start, end), read, pace)
                    if part is None:
                        return None
                    read += part.records
                    ends.append(part)
                whole = ends[0].with_next(middle).with_next(ends[1])
                known[each.partition] = whole.beside(known.get(each.partition), (ends[0], ends[1]))
                counted.append((each.partition, whole, ends[0].records + ends[1].records))
        return counted


@dataclass(frozen=True, slots=True)
class _Pace:
    begun: float
    records: int
    stop: Stop

    def too_slow(self, done: int) -> bool:
        spent = time.monotonic() - self.begun
        return self.stop.stopped or (spent > _SURE_SECONDS and spent * self.records > _SECONDS * max(1, done))


def _of(known: Mapping[int, _Counted], part: Range, times: bool) -> _Counted | None:
    counted = known.get(part.partition)
    return None if counted is None else counted.within(part, times)


def _read(consumer: Any, topic: str, part: Range, before: int, pace: _Pace) -> _Counted | None:
    """Count a range of offsets; None where it takes too long, or the log is not what was looked at."""
    from confluent_kafka import KafkaError, TopicPartition

    harmless = (KafkaError.GROUP_AUTHORIZATION_FAILED, KafkaError.COORDINATOR_NOT_AVAILABLE)
    if part.start < part.end:
        consumer.assign([TopicPartition(topic, part.partition, part.start)])
    records, reached = 0, part.start
    first = last = low = high = None
    while reached < part.end:
        if pace.too_slow(before + records):
            return None
        for message in consumer.consume(_MOST_AT_ONCE, 0.05):
            error, offset = message.error(), message.offset()
            if error is not None:
                if error.code() in harmless:
                    continue
                if error.code() != KafkaError._PARTITION_EOF or offset < part.end:
                    return None
                reached = part.end
                break
            if offset < reached or message.topic() != topic:
                return None
            reached = offset + 1
            if offset >= part.end:
                break
            records, last = records + 1, offset
            first = offset if first is None else first
            kind, millis = message.timestamp()
            millis = millis if kind else NO_TIME
            low = millis if low is None or millis < low else low
            high = millis if high is None or millis > high else high
    offsets = None if first is None or last is None else (first, last)
    return _Counted(part.start, part.end, records, offsets, None if low is None or high is None else (low, high))


def _both(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def _totals(counted: Sequence[tuple[int, _Counted, int]]) -> PositionTotals:
    totals = PositionTotals(0, 0)
    for partition, each, read in counted:
        totals = PositionTotals(
            totals.records + each.records,
            totals.read + read,
            _both(totals.offset, each.offset),
            _both(totals.partition, (partition, partition) if each.records else None),
            _both(totals.timestamp, each.timestamp),
        )
    return totals
