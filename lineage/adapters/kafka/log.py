"""The durable log that events go into: a topic that is appended to, and read whole."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeout

from confluent_kafka import OFFSET_INVALID, Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition

from catalog.errors import InvalidInput, Unavailable
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

_AT_ONCE = 5_000
"""Messages sent before their acknowledgements are awaited; the producer's queue takes 100,000, for all threads."""


class KafkaEventLog:
    """Appends to one topic (made when it is missing) and reads it whole. One producer for all threads."""

    def __init__(self, kafka: KafkaClientSettings, settings: LineageSettings, topic: str | None = None) -> None:
        self._kafka, self._settings = kafka, settings
        self.topic = topic or settings.topic
        self._ready = False
        self._failed: tuple[float, Unavailable] | None = None
        """When making the topic failed last, and how."""
        self._lock = threading.Lock()
        self._producer: Producer | None = None
        self._closing = threading.Event()
        self._poller: threading.Thread | None = None

    def append(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> None:
        outcome = self._await([self._send(key, value, headers)])[0]
        if outcome is not None:
            raise outcome

    @property
    def ready(self) -> bool:
        return self._ready

    def send(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]] = ()) -> Future[None]:
        return self._send(key, value, headers)

    def append_many(
        self, items: Sequence[tuple[str, bytes]], headers: Sequence[tuple[str, bytes]] = ()
    ) -> list[Exception | None]:
        outcomes: list[Exception | None] = []
        for at in range(0, len(items), _AT_ONCE):  # all of a large batch would not fit the producer's queue
            outcomes += self._await([self._send(key, value, headers) for key, value in items[at : at + _AT_ONCE]])
        return outcomes

    def read(self, after: Mapping[int, int] | None = None) -> Iterator[list[Record]]:
        self.ensure_topic()
        consumer = Consumer(
            {**client_options(self._kafka), "group.id": f"{self._settings.group}-read", "enable.auto.commit": False}
        )
        try:
            yield from _read_to_end(consumer, self.topic, dict(after or {}), self._kafka)
        except KafkaException as error:
            raise unavailable(self._kafka, error.args[0]) from error
        finally:
            consumer.close()

    def ensure_topic(self) -> None:
        """Make the topic where it is missing. Raises Unavailable.

        Callers that come while another one tries share its outcome: one after another they would wait for minutes.
        """
        came = time.monotonic()
        with self._lock:
            if self._ready:
                return
            if self._failed is not None and self._failed[0] >= came:
                raise self._failed[1]
            try:
                ensure_topic(self._kafka, self._settings, self.topic)
            except Unavailable as error:
                self._failed = (time.monotonic(), error)
                raise
            self._ready = True

    def close(self) -> None:
        self._closing.set()
        if self._producer is not None:
            self._producer.flush(5.0)
        if self._poller is not None:
            self._poller.join(5.0)

    def _send(self, key: str, value: bytes, headers: Sequence[tuple[str, bytes]]) -> Future[None]:
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()  # whoever waits for it may go away, but not take it back

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
            future.set_exception(unavailable(self._kafka, "its send queue is full"))
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
                outcomes.append(unavailable(self._kafka, "no acknowledgement in time"))
        return outcomes

    def _open(self) -> Producer:
        if self._producer is None:
            with self._lock:
                if self._producer is None:
                    self._producer = Producer(self._producer_options())
                    self._poller = threading.Thread(target=self._serve, name="lineage-log", daemon=True)
                    self._poller.start()
        return self._producer

    def _producer_options(self) -> dict[str, str | int]:
        return {
            **client_options(self._kafka),
            "acks": "all",
            "enable.idempotence": True,
            "compression.type": "zstd",
            "linger.ms": 5,
            "message.max.bytes": self._settings.max_event_bytes + MARGIN,
            "delivery.timeout.ms": int(self._settings.delivery_timeout_seconds * 1000),
            "request.timeout.ms": int(min(self._settings.delivery_timeout_seconds, 10.0) * 1000),
        }

    def _serve(self) -> None:
        """Delivery reports are handed out here, so that no sender has to flush."""
        while not self._closing.is_set():
            if self._producer is not None:
                self._producer.poll(0.25)

    def _failure(self, error: KafkaError | str, size: int) -> Exception:
        if isinstance(error, KafkaError) and error.code() == KafkaError.MSG_SIZE_TOO_LARGE:
            return InvalidInput(
                f"The event is {size} bytes long, more than topic {self.topic} takes; send fewer columns an event.",
                details={"bytes": size},
            )
        return unavailable(self._kafka, error)


def _read_to_end(
    consumer: Consumer, topic: str, after: dict[int, int], kafka: KafkaClientSettings
) -> Iterator[list[Record]]:
    ends: dict[int, int] = {}
    starts: list[TopicPartition] = []
    for partition in partitions_of(consumer, topic):
        low, high = edges_of(consumer, topic, partition, 10.0)
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
        records = []
        for message in messages:
            if message.error() is None and message.offset() < ends.get(message.partition(), 0):
                records.append(record_of(message))
        if records:
            yield records
        at_end = {at.partition: at.offset for at in consumer.position(starts) if at.offset != OFFSET_INVALID}
        before = len(ends)
        ends = {partition: end for partition, end in ends.items() if at_end.get(partition, 0) < end}
        if records or len(ends) < before:
            quiet_since = time.monotonic()
        elif time.monotonic() - quiet_since > 60.0:
            raise unavailable(kafka, "the topic could not be read to its end")
