"""Which records of ranges may hold a text, read by this process as they were sent: a million take seconds, not a Spark job each
hundred thousand."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import structlog

from policies.adapters.kafka.windows import KafkaWindows
from policies.browse.needles import Needle
from policies.plan.cancellation import Stop
from policies.plan.model import Range

_log = structlog.get_logger(__name__)
_MOST_AT_ONCE = 2_000
"""Few at a time: the messages are made while no other thread of the process runs."""
_SECONDS = 5.0


class KafkaTextScan:
    """Implements `policies.browse.skipping.TextScan`. Safe for threads."""

    def __init__(self, windows: KafkaWindows) -> None:
        self._windows = windows

    def __call__(
        self, kafka: Mapping[str, str], topic: str, ranges: Sequence[Range], needle: Needle, stop: Stop
    ) -> list[tuple[int, int]] | None:
        """(partition, offset) of records that may hold it; None where the ranges could not be read whole."""
        try:
            with self._windows.consumer(kafka) as consumer:
                return _read(consumer, topic, [each for each in ranges if each.count], needle, stop)
        except Exception as error:  # its words may hold a header's name or an address of a broker
            _log.info("search left to the engine", topic=topic, error=type(error).__name__)
            return None


def _read(
    consumer: Any, topic: str, ranges: Sequence[Range], needle: Needle, stop: Stop
) -> list[tuple[int, int]] | None:
    from confluent_kafka import KafkaError, TopicPartition

    harmless = (KafkaError.GROUP_AUTHORIZATION_FAILED, KafkaError.COORDINATOR_NOT_AVAILABLE)
    ends = {each.partition: each.end for each in ranges}
    reached = {each.partition: each.start for each in ranges}
    consumer.assign([TopicPartition(topic, each.partition, each.start) for each in ranges])
    until = time.monotonic() + _SECONDS
    results: list[tuple[int, int]] = []
    while open_ := {p for p, end in ends.items() if reached[p] < end}:
        if stop.stopped or time.monotonic() > until:
            return None
        for message in consumer.consume(_MOST_AT_ONCE, 0.05):
            error, partition, offset = message.error(), message.partition(), message.offset()
            if error is not None and error.code() in harmless:
                continue
            if error is not None and (error.code() != KafkaError._PARTITION_EOF or offset < ends[partition]):
                return None  # the log ends before the range does: it is not the log that was looked at
            if message.topic() != topic or offset < reached[partition]:
                return None
            if partition not in open_:
                continue
            if (
                error is None
                and offset < ends[partition]
                and needle.may_be_in(message.key(), message.value(), message.headers())
            ):
                results.append((partition, offset))
            reached[partition] = offset + 1
        if done := [p for p in open_ if reached[p] >= ends[p]]:
            consumer.incremental_unassign([TopicPartition(topic, p) for p in done])
    return results
