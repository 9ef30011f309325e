"""The lineage topic in Kafka: the durable log that events go into, and the group that folds them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any

from confluent_kafka import (
    OFFSET_INVALID,
    Consumer,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic
from tenacity import Retrying, retry_if_exception, stop_after_delay, wait_fixed

from catalog.errors import InvalidInput, Unavailable
from lineage.ports import Record
from lineage.settings import KafkaClientSettings, LineageSettings

_LEADERLESS = (KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE)
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

_MARGIN = 1024 * 1024
"""Room for headers, key and batch overhead above the largest event."""


class KafkaEventLog:
    """Appends to one topic (made when it is missing) and reads it whole. One producer for all threads."""

    def __init__(self, kafka: KafkaClientSettings, settings: LineageSettings, topic: str | None = None) -> None:
        self._kafka, self._settings = kafka, settings
        self.topic = topic or settings.topic
        self._ready = False
        self._lock = threading.Lock()
        self._producer: Producer | None = None
        self._closing = threading.Event()
        self._poller: threading.Thread | None = None

    def append(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> None:
        outcome = self._await([self._send(key, value, headers)])[0]
        if outcome is not None:
            raise outcome

    def append_many(
        self, items: Sequence[tuple[str, bytes]], headers: Sequence[tuple[str, bytes]] = ()
    ) -> list[Exception | None]:
        return self._await([self._send(key, value, headers) for key, value in items])

    def read(self, after: Mapping[int, int] | None = None) -> Iterator[list[Record]]:
        self.ensure_topic()
        consumer = Consumer(
            {**_base(self._kafka), "group.id": f"{self._settings.group}-read", "enable.auto.commit": False}
        )
        try:
            yield from _read_to_end(consumer, self.topic, dict(after or {}), self._kafka)
        except KafkaException as error:
            raise _unavailable(self._kafka, error.args[0]) from error
        finally:
            consumer.close()

    def ensure_topic(self) -> None:
        """Make the topic where it is missing. Raises Unavailable."""
        with self._lock:
            if not self._ready:
                ensure_topic(self._kafka, self._settings, self.topic)
                self._ready = True

    def close(self) -> None:
        self._closing.set()
        if self._producer is not None:
            self._producer.flush(5.0)
        if self._poller is not None:
            self._poller.join(5.0)

    def _send(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]]) -> Future[None]:
        future: Future[None] = Future()

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(self._failure(error, len(value)))

        try:
            if not self._ready:
                self.ensure_topic()
            self._open().produce(
                self.topic, value=value, key=key.encode(errors="replace"), headers=list(headers), on_delivery=delivered
            )
        except BufferError:
            future.set_exception(_unavailable(self._kafka, "its send queue is full"))
        except KafkaException as error:
            future.set_exception(self._failure(error.args[0], len(value)))
        except Unavailable as error:
            future.set_exception(error)
        return future

    def _await(self, futures: Sequence[Future[None]]) -> list[Exception | None]:
        # The producer gives up by itself first; the extra second is for its callback.
        deadline = time.monotonic() + self._settings.delivery_timeout_seconds + 1.0
        outcomes: list[Exception | None] = []
        for future in futures:
            try:
                future.result(max(0.0, deadline - time.monotonic()))
                outcomes.append(None)
            except (Unavailable, InvalidInput) as error:
                outcomes.append(error)
            except FutureTimeout:
                outcomes.append(_unavailable(self._kafka, "no acknowledgement in time"))
        return outcomes

    def _open(self) -> Producer:
        if self._producer is None:
            with self._lock:
                if self._producer is None:
                    self._producer = Producer(self._producer_options())
                    self._poller = threading.Thread(target=self._serve, name="lineage-log", daemon=True)
                    self._poller.start()
        return self._producer

    def _producer_options(self) -> dict[str, Any]:
        return {
            **_base(self._kafka),
            "acks": "all",
            "enable.idempotence": True,
            "compression.type": "zstd",
            "linger.ms": 5,
            "message.max.bytes": self._settings.max_event_bytes + _MARGIN,
            "delivery.timeout.ms": int(self._settings.delivery_timeout_seconds * 1000),
            "request.timeout.ms": int(min(self._settings.delivery_timeout_seconds, 10.0) * 1000),
        }

    def _serve(self) -> None:
        """Delivery reports are handed out here, so that no sender has to flush."""
        while not self._closing.is_set():
            if self._producer is not None:
                self._producer.poll(0.1)

    def _failure(self, error: KafkaError | str, size: int) -> Exception:
        if isinstance(error, KafkaError) and error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
            return InvalidInput(
                f"The event is {size} bytes long, more than topic {self.topic} takes; send fewer columns an event.",
                details={"bytes": size},
            )
        return _unavailable(self._kafka, error)


class KafkaEventSource:
    """A member of the consumer group. One thread."""

    def __init__(self, kafka: KafkaClientSettings, settings: LineageSettings) -> None:
        self._kafka, self._settings = kafka, settings
        self._consumer: Consumer | None = None
        self._held: list[Record] = []

    def poll(self, max_events: int, max_bytes: int, timeout: float) -> list[Record]:
        consumer = self._open()
        found, self._held = self._held, []
        size = sum(len(record.value or b"") for record in found)
        try:
            first = consumer.poll(0.0 if found else timeout)
            messages = [first] if first is not None else []
            while messages:
                for message in messages:
                    if self._is_event(message):
                        found.append(_record(message))
                        size += len(message.value() or b"")
                if len(found) >= max_events or size >= max_bytes:
                    break
                messages = consumer.consume(min(max_events - len(found), _AT_ONCE), _FILL_SECONDS)
        except KafkaException as error:
            self._held = found
            raise _unavailable(self._kafka, error.args[0]) from error
        return found

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
                raise _unavailable(self._kafka, error.args[0]) from error

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
                    **_base(self._kafka),
                    "group.id": self._settings.group,
                    "enable.auto.commit": False,
                    "auto.offset.reset": "earliest",
                    "isolation.level": "read_committed",
                    "partition.assignment.strategy": "cooperative-sticky",
                    # The graph may be away for hours; waiting for it is not being dead.
                    "max.poll.interval.ms": 86_400_000,
                    "session.timeout.ms": 10_000,  # a worker that was killed holds up its successor for so long
                    "fetch.message.max.bytes": self._settings.max_event_bytes + _MARGIN,
                    "queued.max.messages.kbytes": 32 * 1024,
                }
            )
            self._consumer.subscribe([self._settings.topic])
        return self._consumer


def ensure_topic(kafka: KafkaClientSettings, settings: LineageSettings, topic: str) -> None:
    """Make a topic that keeps everything, where it is missing. Raises Unavailable."""
    admin = AdminClient(_base(kafka))
    new = NewTopic(
        topic,
        num_partitions=settings.partitions,
        replication_factor=settings.replication,
        config={
            "cleanup.policy": "delete",
            "retention.ms": "-1",
            "retention.bytes": "-1",
            "compression.type": "producer",
            "max.message.bytes": str(settings.max_event_bytes + _MARGIN),
        },
    )
    try:
        if topic in admin.list_topics(timeout=5.0).topics:
            return
        admin.create_topics([new], operation_timeout=10.0, request_timeout=10.0)[topic].result(15.0)
    except KafkaException as error:
        if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
            raise _unavailable(kafka, error.args[0]) from error
    except FutureTimeout as error:
        raise _unavailable(kafka, "no answer in time") from error


def group_lag(kafka: KafkaClientSettings, settings: LineageSettings) -> int:
    """Events of the topic that the group has not committed. Joins no group. Raises Unavailable."""
    consumer = Consumer({**_base(kafka), "group.id": settings.group, "enable.auto.commit": False})
    try:
        partitions = _partitions(consumer, settings.topic)
        committed = consumer.committed([TopicPartition(settings.topic, p) for p in partitions], timeout=5.0)
        behind = 0
        for at in committed:
            low, high = _edges(consumer, settings.topic, at.partition, 5.0)
            behind += high - (at.offset if at.offset >= 0 else low)
        return behind
    except KafkaException as error:
        raise _unavailable(kafka, error.args[0]) from error
    finally:
        consumer.close()


def _edges(consumer: Consumer, topic: str, partition: int, seconds: float) -> tuple[int, int]:
    """The first offset and the one after the last; asked again while a topic just made still has no leader."""
    asked = Retrying(
        retry=retry_if_exception(_moving), wait=wait_fixed(0.2), stop=stop_after_delay(seconds), reraise=True
    )
    edges: tuple[int, int] = asked(consumer.get_watermark_offsets, TopicPartition(topic, partition), timeout=seconds)
    return edges


def _moving(error: BaseException) -> bool:
    return isinstance(error, KafkaException) and error.args[0].code() in _LEADERLESS


def _read_to_end(
    consumer: Consumer, topic: str, after: dict[int, int], kafka: KafkaClientSettings
) -> Iterator[list[Record]]:
    ends: dict[int, int] = {}
    starts: list[TopicPartition] = []
    for partition in _partitions(consumer, topic):
        low, high = _edges(consumer, topic, partition, 10.0)
        start = max(low, after.get(partition, low))
        if start < high:
            ends[partition] = high
            starts.append(TopicPartition(topic, partition, start))
    if not starts:
        return
    consumer.assign(starts)
    quiet_since = time.monotonic()
    while ends:
        messages = consumer.consume(500, 1.0)
        found = []
        for message in messages:
            if message.error() is None and message.offset() < ends.get(message.partition(), 0):
                found.append(_record(message))
        if found:
            yield found
        at_end = {at.partition: at.offset for at in consumer.position(starts) if at.offset != OFFSET_INVALID}
        before = len(ends)
        ends = {partition: end for partition, end in ends.items() if at_end.get(partition, 0) < end}
        if found or len(ends) < before:
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since > 60.0:
            raise _unavailable(kafka, "the topic could not be read to its end")


def _partitions(consumer: Consumer, topic: str) -> list[int]:
    found = consumer.list_topics(topic, timeout=10.0).topics.get(topic)
    return sorted(found.partitions) if found is not None and found.error is None else []


def _record(message: Message) -> Record:
    headers = tuple((name, bytes(value or b"")) for name, value in (message.headers() or ()))
    key = message.key()
    return Record(message.partition(), message.offset(), key, message.value(), headers)


def _base(kafka: KafkaClientSettings) -> dict[str, Any]:
    return {
        "bootstrap.servers": kafka.bootstrap_servers,
        "client.id": "weir-lineage",
        "socket.timeout.ms": 10_000,
        "log_level": 2,  # its own complaints go to stderr; ours name the server and the mend
        **kafka.options,
    }


def _unavailable(kafka: KafkaClientSettings, reason: KafkaError | str) -> Unavailable:
    text = reason.str() if isinstance(reason, KafkaError) else reason
    return Unavailable(
        f"Kafka at {kafka.bootstrap_servers} did not answer ({text}); start it or check its address, then send again.",
        details={"server": "kafka", "bootstrap_servers": kafka.bootstrap_servers},
    )
