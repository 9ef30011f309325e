"""The consumer group that folds the events of the log, and how far behind it is."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from lineage.adapters.kafka.topic import (
    MARGIN,
    client_options,
    edges_of,
    ensure_topic,
    partitions_of,
    record_of,
    unavailable,
)
from lineage.ports import Record
from lineage.settings import KafkaClientSettings, LineageSettings

_MOVED_ON = (
    KafkaError.ILLEGAL_GENERATION,
    KafkaError.UNKNOWN_MEMBER_ID,
    KafkaError.REBALANCE_IN_PROGRESS,
    KafkaError._STATE,
    KafkaError._NO_OFFSET,
)

_FILL_SECONDS = 0.02
"""How long a batch waits for the next messages once it has some: a batch costs more than the wait."""

_AT_ONCE = 200


class KafkaEventSource:
    """A member of the consumer group. One thread."""

    def __init__(self, kafka: KafkaClientSettings, settings: LineageSettings) -> None:
        self._kafka, self._settings = kafka, settings
        self._consumer: Consumer | None = None
        self._held: list[Record] = []

    def poll(self, max_events: int, max_bytes: int, timeout: float) -> list[Record]:
        consumer = self._open()
        records, self._held = self._held, []
        size = sum(len(record.value or b"") for record in records)
        try:
            first = consumer.poll(0.0 if records else timeout)
            messages = [first] if first is not None else []
            while messages:
                for message in messages:
                    if self._is_event(message):
                        records.append(record_of(message))
                        size += len(message.value() or b"")
                if len(records) >= max_events or size >= max_bytes:
                    break
                messages = consumer.consume(min(max_events - len(records), _AT_ONCE), _FILL_SECONDS)
        except KafkaException as error:
            self._held = records
            raise unavailable(self._kafka, error.args[0]) from error
        return records

    def _is_event(self, message: Message) -> bool:
        problem = message.error()
        if problem is None:
            return True
        if problem.code() in (KafkaError._PARTITION_EOF, KafkaError.UNKNOWN_TOPIC_OR_PART):
            return False
        raise KafkaException(problem)

    def commit(self, records: Sequence[Record]) -> None:
        newest: dict[int, int] = {}
        for record in records:
            newest[record.partition] = max(newest.get(record.partition, 0), record.offset + 1)
        if not newest:
            return
        offsets = [TopicPartition(self._settings.topic, partition, offset) for partition, offset in newest.items()]
        try:
            self._open().commit(offsets=offsets, asynchronous=False)
        except KafkaException as error:
            code = error.args[0].code()
            # The group moved on meanwhile: another member folds these again, to the same graph.
            if code not in _MOVED_ON:
                raise unavailable(self._kafka, error.args[0]) from error

    def lag(self) -> int:
        return group_lag(self._kafka, self._settings)

    def close(self) -> None:
        if self._consumer is not None:
            self._consumer.close()
            self._consumer = None

    def _open(self) -> Consumer:
        if self._consumer is None:
            ensure_topic(self._kafka, self._settings, self._settings.topic)
            self._consumer = Consumer(
                {
                    **client_options(self._kafka),
                    "group.id": self._settings.group,
                    "enable.auto.commit": False,
                    "auto.offset.reset": "earliest",
                    "isolation.level": "read_committed",
                    "partition.assignment.strategy": "cooperative-sticky",
                    # The graph may be away for hours; waiting for it is not being dead.
                    "max.poll.interval.ms": 86_400_000,
                    "session.timeout.ms": 10_000,  # a worker that was killed holds up its successor for so long
                    "fetch.message.max.bytes": self._settings.max_event_bytes + MARGIN,
                    "queued.max.messages.kbytes": 32 * 1024,
                }
            )
            self._consumer.subscribe([self._settings.topic])
        return self._consumer


def group_lag(kafka: KafkaClientSettings, settings: LineageSettings) -> int:
    """Events of the topic that the group has not committed. Joins no group. Raises Unavailable."""
    consumer = Consumer({**client_options(kafka), "group.id": settings.group, "enable.auto.commit": False})
    try:
        partitions = partitions_of(consumer, settings.topic)
        committed = consumer.committed([TopicPartition(settings.topic, p) for p in partitions], timeout=5.0)
        behind = 0
        for at in committed:
            low, high = edges_of(consumer, settings.topic, at.partition, 5.0)
            behind += high - (at.offset if at.offset >= 0 else low)
        return behind
    except KafkaException as error:
        raise unavailable(kafka, error.args[0]) from error
    finally:
        consumer.close()
