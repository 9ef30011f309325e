"""Small windows of a topic, read by this process: Spark needs longer to plan such a read than the read itself takes.

What comes back is what Spark's own source would read. Where that is not certain (a window too large, a broker too
slow, an offset that is gone, a header that is not text) nothing comes back, and Spark reads the window itself.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import structlog

from policies.adapters.kafka.offsets import client_settings
from policies.plan.cancellation import Stop
from policies.plan.model import Range, TablePlan, Window

_log = structlog.get_logger(__name__)
_SECONDS = 2.0
_WAIT_SECONDS = 0.02
_IDLE_SECONDS = 60.0
_LARGEST_LOOKED_AT = 1 << 30
NO_TIME = -1
"""What Kafka's Java client gives for a record without a time."""

Settings = tuple[tuple[str, str], ...]


@dataclass(slots=True)
class _Records:
    """Columns of records, as Spark's source names them."""

    key: list[bytes | None] = field(default_factory=list)
    value: list[bytes | None] = field(default_factory=list)
    partition: list[int] = field(default_factory=list)
    offset: list[int] = field(default_factory=list)
    millis: list[int] = field(default_factory=list)
    headers: list[list[tuple[str, bytes | None]] | None] = field(default_factory=list)
    size: int = 0

    def add(self, message: Any) -> None:
        key, value, headers = message.key(), message.value(), message.headers()
        kind, millis = message.timestamp()
        self.key.append(key)
        self.value.append(value)
        self.partition.append(message.partition())
        self.offset.append(message.offset())
        self.millis.append(millis if kind else NO_TIME)
        self.headers.append(headers or None)
        self.size += len(key or b"") + len(value or b"")
        self.size += sum(len(name) + len(each or b"") for name, each in headers or ())

    def table(self) -> Any:
        """A pyarrow.Table: key, value, partition, offset, timestamp, headers."""
        import pyarrow as pa

        header = pa.struct([("key", pa.string()), ("value", pa.binary())])
        return pa.table(
            {
                "key": pa.array(self.key, pa.binary()),
                "value": pa.array(self.value, pa.binary()),
                "partition": pa.array(self.partition, pa.int32()),
                "offset": pa.array(self.offset, pa.int64()),
                "timestamp": pa.array(self.millis, pa.timestamp("ms", "UTC")).cast(pa.timestamp("us", "UTC")),
                "headers": pa.array(
                    [
                        None if each is None else [{"key": name, "value": value} for name, value in each]
                        for each in self.headers
                    ],
                    pa.list_(header),
                ),
            }
        )


class KafkaWindows:
    """Implements `policies.adapters.spark.records.WindowReader`. Keeps its consumers; safe for threads."""

    def __init__(
        self,
        settings: Callable[[str], Mapping[str, str]] | None = None,
        most_records: int = 5_000,
        most_bytes: int = 4 << 20,
    ) -> None:
        """`settings`: bootstrap servers -> librdkafka settings beyond Spark's options (see `KafkaOffsets`)."""
        self._settings = settings or (lambda bootstrap: {})
        self._most_records, self._most_bytes = most_records, most_bytes
        self._idle: deque[tuple[Settings, float, Any]] = deque()
        self._lock = threading.Lock()
        self._closed = False

    def read(self, table: TablePlan, stop: Stop) -> Any | None:
        """The records of a window as a pyarrow.Table (key, value, partition, offset, timestamp, headers), in the order
        of offsets within a partition; None where Spark must read them. Of a large window of which any few records are
        enough, its first."""
        window, enough = table.window, table.enough
        whole = 0 < window.records <= self._most_records
        some = enough is not None and 0 < enough < window.records and enough <= self._most_records
        if not whole and not some:
            return None
        try:
            with self.consumer(table.kafka) as consumer:
                records = _read(consumer, table.topic, window, self._most_bytes, stop) if whole else None
                if records is None and some and enough is not None:
                    records = _first(consumer, table.topic, window, enough, self._most_bytes, stop)
            return None if records is None else records.table()
        except Exception as error:
            # Its words may hold a header's name or an address of a broker.
            _log.info("window left to the engine", topic=table.topic, error=type(error).__name__)
            return None

    def largest(self, kafka: Mapping[str, str], topic: str, ranges: Sequence[Range], stop: Stop) -> int | None:
        """Bytes of the largest record in a few ranges, key and headers included; None where they cannot be read."""
        largest: list[int] = []
        try:
            with self.consumer(kafka) as consumer:
                for each in ranges:
                    # One at a time: a look at sizes must not gather many large records.
                    records = _read(consumer, topic, Window((each,)), _LARGEST_LOOKED_AT, stop)
                    if records is None:
                        return None
                    largest.append(records.size)
        except Exception as error:
            _log.info("sizes not known", topic=topic, error=type(error).__name__)
            return None
        return max(largest, default=None)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            idle, self._idle = list(self._idle), deque()
        for _, _, consumer in idle:
            consumer.close()

    @contextlib.contextmanager
    def consumer(self, kafka: Mapping[str, str]) -> Iterator[Any]:
        """A consumer that nobody else uses. One that failed is closed, every other is kept for the next read."""
        settings = client_settings(kafka, self._settings(kafka.get("kafka.bootstrap.servers", "")))
        key: Settings = tuple(sorted(settings.items()))
        consumer = self._taken(key) or _made(settings, self._most_bytes)
        try:
            yield consumer
            consumer.unassign()
        except BaseException:
            consumer.close()
            raise
        with self._lock:
            keep = not self._closed
            if keep:
                self._idle.append((key, time.monotonic(), consumer))
        if not keep:
            consumer.close()

    def _taken(self, key: Settings) -> Any | None:
        """The consumer that was used last for these settings; those nobody used for long are closed."""
        since = time.monotonic() - _IDLE_SECONDS
        with self._lock:
            old = [each for each in self._idle if each[1] < since]
            fresh = [each for each in self._idle if each[1] >= since]
            entry = next((each for each in reversed(fresh) if each[0] == key), None)
            self._idle = deque(each for each in fresh if each is not entry)
        for _, _, consumer in old:
            consumer.close()
        return None if entry is None else entry[2]


def _made(settings: Mapping[str, str], most_bytes: int) -> Any:
    from confluent_kafka import Consumer

    return Consumer(
        {
            **settings,
            # Nothing is committed and no group is joined; the client wants a name.
            "group.id": "weir-queries",
            "enable.auto.commit": False,
            "enable.auto.offset.store": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            # An offset that is gone is for Spark's source to judge.
            "auto.offset.reset": "error",
            "check.crcs": True,
            # A fetch at the end of a partition holds the connection against the next query's for so long.
            "fetch.wait.max.ms": 5,
            "queued.max.messages.kbytes": max(1024, most_bytes // 1024),
            # One whose queue is full would ask for more after a second only.
            "fetch.queue.backoff.ms": 20,
            "log_level": 0,
        }
    )


def _first(consumer: Any, topic: str, window: Window, enough: int, most_bytes: int, stop: Stop) -> _Records | None:
    """The first records of a window, in the order of its partitions, until there are enough."""
    records = _Records()
    until = time.monotonic() + _SECONDS
    for each in window.ranges:
        start = each.start
        while (left := enough - len(records.offset)) and start < each.end:
            # Offsets without a record (marks of transactions, compaction) make a part give fewer than it is long.
            part = Range(each.partition, start, min(each.end, start + left))
            if time.monotonic() > until or _read(consumer, topic, Window((part,)), most_bytes, stop, records) is None:
                return None
            start = part.end
    return records


def _read(
    consumer: Any, topic: str, window: Window, most_bytes: int, stop: Stop, records: _Records | None = None
) -> _Records | None:
    """The records of a window, added to those given; None where they cannot be read in time and space."""
    from confluent_kafka import KafkaError, TopicPartition

    harmless = (KafkaError.GROUP_AUTHORIZATION_FAILED, KafkaError.COORDINATOR_NOT_AVAILABLE)
    ranges = [each for each in window.ranges if each.count]
    ends = {each.partition: each.end for each in ranges}
    reached = {each.partition: each.start for each in ranges}
    consumer.assign([TopicPartition(topic, each.partition, each.start) for each in ranges])
    until = time.monotonic() + _SECONDS
    records = _Records() if records is None else records
    while open_ := {p: end for p, end in ends.items() if reached[p] < end}:
        if stop.stopped or time.monotonic() > until or records.size > most_bytes:
            return None
        most = sum(end - reached[p] for p, end in open_.items())
        for message in consumer.consume(most, _WAIT_SECONDS):
            error, partition, offset = message.error(), message.partition(), message.offset()
            if error is not None and error.code() in harmless:
                continue
            if error is not None and (error.code() != KafkaError._PARTITION_EOF or offset < ends[partition]):
                return None  # the log ends before the window does: it is not the log that was looked at
            if message.topic() != topic or offset < reached[partition]:
                return None
            if partition not in open_:
                continue
            if error is None and offset < ends[partition]:
                records.add(message)
            reached[partition] = offset + 1
        # What is behind the end of a window would fill the client's queue, before the records of other partitions.
        if done := [p for p in open_ if reached[p] >= ends[p]]:
            consumer.incremental_unassign([TopicPartition(topic, p) for p in done])
    return None if records.size > most_bytes else records
