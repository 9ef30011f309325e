"""Topics of views by confluent_kafka: created, read, cut, deleted. No consumer group, nothing committed."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from datetime import datetime
from typing import Any

from cachetools import TTLCache
from confluent_kafka import (
    Consumer,
    KafkaError,
    KafkaException,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewPartitions,
    NewTopic,
    OffsetSpec,
)

from catalog.errors import Conflict, DatasetNotFound, Unavailable
from views.model import GENERATION_HEADER, KEY_HEADER, ROW_HEADER, Positions
from views.ports import TopicOptions, TopicReader, TopicSettings, ViewRecord
from views.runner.topic_options import config_of

_SECONDS = 10.0
_GATHER_S = 0.05
_LOOK_S = 0.05
_CLIENTS, _KEPT_S = 32, 600.0
"""A client costs a thread, connections, and some 5 ms of a processor to make; one is asked about once a second."""
_LARGE = {"max.message.bytes": "16777216"}
"""A row may be larger than the records that it is made of, each of which may be as large as brokers take by themselves."""
_REFUSALS = (
    KafkaError.TOPIC_AUTHORIZATION_FAILED,
    KafkaError.CLUSTER_AUTHORIZATION_FAILED,
    KafkaError.INVALID_CONFIG,
    KafkaError.POLICY_VIOLATION,
    KafkaError.INVALID_PARTITIONS,
)


class KafkaTopics:
    """Implements `views.ports.Topics`. Keeps a client for each cluster; one that failed is made again."""

    def __init__(self) -> None:
        self._clients: TTLCache[frozenset[tuple[str, str]], Any] = TTLCache(_CLIENTS, _KEPT_S)
        self._lock = threading.Lock()

    def ensure(self, kafka: Mapping[str, str], topic: str, settings: TopicSettings) -> bool:
        with self._admin(kafka) as admin:
            new = NewTopic(topic, settings.partitions, settings.replication, config=config_of(settings) | _LARGE)
            try:
                _done(admin.create_topics([new], request_timeout=_SECONDS, operation_timeout=_SECONDS))
            except KafkaException as error:
                if error.args[0].code() == KafkaError.TOPIC_ALREADY_EXISTS:
                    return False
                if error.args[0].code() in (KafkaError.INVALID_REPLICATION_FACTOR, KafkaError.POLICY_VIOLATION):
                    raise Conflict(
                        f"The cluster refuses to create the topic {topic}: {_reason(error)}.", details={"topic": topic}
                    ) from None
                raise
            _until_known(admin, topic, settings.partitions)
            return True

    def partitions(self, kafka: Mapping[str, str], topic: str) -> int:
        with self._admin(kafka) as admin:
            metadata = admin.list_topics(timeout=_SECONDS).topics.get(topic)
            return 0 if metadata is None or metadata.error is not None else len(metadata.partitions)

    def ends(self, kafka: Mapping[str, str], topic: str) -> Positions:
        return self._offsets(kafka, topic, OffsetSpec.latest())

    def starts(self, kafka: Mapping[str, str], topic: str) -> Positions:
        return self._offsets(kafka, topic, OffsetSpec.earliest())

    def cut(self, kafka: Mapping[str, str], topic: str, before: Positions) -> None:
        with self._admin(kafka) as admin:
            parts = [TopicPartition(topic, partition, offset) for partition, offset in before.items() if offset > 0]
            if parts:
                _done(admin.delete_records(parts, request_timeout=_SECONDS, operation_timeout=_SECONDS))

    def delete(self, kafka: Mapping[str, str], topic: str) -> None:
        with self._admin(kafka) as admin:
            try:
                _done(admin.delete_topics([topic], request_timeout=_SECONDS, operation_timeout=_SECONDS))
            except KafkaException as error:
                if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                    raise

    def compacted(self, kafka: Mapping[str, str], topic: str) -> bool | None:
        with self._admin(kafka) as admin:
            config = _config(admin, topic)
            return None if config is None else "compact" in config["cleanup.policy"]

    def options(self, kafka: Mapping[str, str], topic: str) -> TopicOptions | None:
        with self._admin(kafka) as admin:
            metadata = admin.list_topics(timeout=_SECONDS).topics.get(topic)
            if metadata is None or metadata.error is not None:
                return None
            config = _config(admin, topic)
            replicas = min((len(each.replicas) for each in metadata.partitions.values()), default=0)
            return None if config is None else TopicOptions(len(metadata.partitions), replicas, config)

    def alter(self, kafka: Mapping[str, str], topic: str, config: Mapping[str, str], partitions: int | None) -> None:
        with self._admin(kafka) as admin:
            try:
                if config:
                    entries = [
                        ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
                        for name, value in config.items()
                    ]
                    resource = ConfigResource(ConfigResource.Type.TOPIC, topic, incremental_configs=entries)
                    _done(admin.incremental_alter_configs([resource], request_timeout=_SECONDS))
                if partitions is not None:
                    _done(admin.create_partitions([NewPartitions(topic, partitions)], request_timeout=_SECONDS))
            except KafkaException as error:
                if error.args[0].code() not in _REFUSALS:
                    raise
                raise Conflict(
                    f"The cluster refuses to change the topic {topic}: {_reason(error)}; change {', '.join(config) or 'it'} there,"
                    " or name another topic in sink.",
                    details={"topic": topic},
                ) from None

    def at(self, kafka: Mapping[str, str], topic: str, moment: datetime) -> Positions:
        first = self._offsets(kafka, topic, OffsetSpec.for_timestamp(int(moment.timestamp() * 1000)))
        if any(offset < 0 for offset in first.values()):
            ends = self.ends(kafka, topic)
            first = {partition: offset if offset >= 0 else ends[partition] for partition, offset in first.items()}
        return first

    def send(self, kafka: Mapping[str, str], topic: str, records: Sequence[tuple[str, bytes]]) -> None:
        failed: list[KafkaError] = []
        try:
            producer = Producer(
                {**kafka, "enable.idempotence": True, "log_level": 0, "message.timeout.ms": int(_SECONDS * 1000)}
            )
            for key, value in records:
                producer.produce(
                    topic, value, key, on_delivery=lambda error, _: failed.append(error) if error else None
                )
            left = producer.flush(_SECONDS)
        except (KafkaException, BufferError) as error:
            raise _away(kafka, error) from None
        if failed or left:
            raise _away(kafka, KafkaException(failed[0] if failed else KafkaError(KafkaError._TIMED_OUT)))

    def read(self, kafka: Mapping[str, str], topic: str, positions: Positions) -> TopicReader:
        return KafkaReader(kafka, topic, positions)

    def _offsets(self, kafka: Mapping[str, str], topic: str, spec: Any) -> dict[int, int]:
        with self._admin(kafka) as admin:
            metadata = admin.list_topics(topic, timeout=_SECONDS).topics.get(topic)
            if metadata is None or metadata.error is not None or not metadata.partitions:
                raise DatasetNotFound(f"There is no topic {topic} any more.", details={"topic": topic})
            parts = [TopicPartition(topic, number) for number in metadata.partitions]
            futures = admin.list_offsets(dict.fromkeys(parts, spec), request_timeout=_SECONDS)
            return {part.partition: future.result().offset for part, future in futures.items()}

    @contextlib.contextmanager
    def _admin(self, kafka: Mapping[str, str]) -> Iterator[Any]:
        key = frozenset(kafka.items())
        try:
            with self._lock:
                client = self._clients.get(key)
                if client is None:
                    client = AdminClient({**kafka, "log_level": 0, "socket.timeout.ms": int(_SECONDS * 1000)})
                    self._clients[key] = client
            yield client
        except KafkaException as error:
            with self._lock:
                self._clients.pop(key, None)
            raise _away(kafka, error) from None


class KafkaReader:
    """Implements `views.ports.TopicReader`."""

    def __init__(self, kafka: Mapping[str, str], topic: str, positions: Positions) -> None:
        self._kafka = kafka
        try:
            self._consumer = Consumer(
                {
                    **kafka,
                    "group.id": "weir-views-serving",
                    "enable.auto.commit": False,
                    "enable.partition.eof": False,
                    "isolation.level": "read_committed",
                    "auto.offset.reset": "earliest",
                    "queued.max.messages.kbytes": 16_384,
                    "log_level": 0,
                }
            )
            self._consumer.assign([TopicPartition(topic, p, offset) for p, offset in sorted(positions.items())])
        except KafkaException as error:
            raise _away(kafka, error) from None

    def poll(self, most: int, seconds: float) -> list[ViewRecord]:
        try:
            # The first that comes ends the wait, and is given a moment for those behind it.
            first = self._consumer.poll(seconds)
            if first is None:
                return []
            messages = [first, *(self._consumer.consume(most - 1, min(seconds, _GATHER_S)) if most > 1 else ())]
            return [_record(each) for each in messages if _there(each)]
        except KafkaException as error:
            raise _away(self._kafka, error) from None

    def positions(self) -> Positions:
        """Where the next poll of each partition begins, records of other kinds passed over included."""
        return {p.partition: p.offset for p in self._consumer.position(self._consumer.assignment()) if p.offset >= 0}

    def close(self) -> None:
        self._consumer.close()


def _until_known(admin: Any, topic: str, partitions: int) -> None:
    """A broker learns of a new topic from the controller, a moment after the controller has answered. Ends after ten seconds
    in any case: who uses the topic then reports what is missing."""
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        metadata = admin.list_topics(topic, timeout=_SECONDS).topics.get(topic)
        parts = metadata.partitions.values() if metadata is not None and metadata.error is None else ()
        if len(parts) >= partitions and all(each.leader >= 0 for each in parts):
            return
        time.sleep(_LOOK_S)


def _there(message: Any) -> bool:
    """Whether a message is one; an error of a partition is raised where it does not pass by itself."""
    error = message.error()
    if error is not None and not error.retriable() and error.code() != KafkaError._PARTITION_EOF:
        raise KafkaException(error)
    return error is None


def _record(message: Any) -> ViewRecord:
    headers = dict(message.headers() or ())
    generation = headers.get(GENERATION_HEADER) or b""
    return ViewRecord(
        partition=message.partition(),
        offset=message.offset(),
        value=message.value(),
        generation=generation.decode("utf-8", "replace"),
        row_key=headers.get(KEY_HEADER),
        place=(headers.get(ROW_HEADER) or b"").decode("ascii", "replace"),
    )


def _config(admin: Any, topic: str) -> dict[str, str] | None:
    """The options of a topic; None where the cluster does not show them. Raises DatasetNotFound."""
    futures = admin.describe_configs([ConfigResource(ConfigResource.Type.TOPIC, topic)], request_timeout=_SECONDS)
    try:
        (config,) = (future.result() for future in futures.values())
    except KafkaException as error:
        if error.args[0].code() in _REFUSALS:
            return None
        if error.args[0].code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
            raise DatasetNotFound(f"There is no topic {topic} any more.", details={"topic": topic}) from None
        raise
    return {name: str(entry.value) for name, entry in config.items()}


def _done(futures: Mapping[Any, Future[Any]]) -> None:
    for future in futures.values():
        future.result()


def _reason(error: KafkaException | BufferError) -> str:
    if isinstance(error, BufferError):
        return "its queue is full"
    return str(error.args[0].name()).strip("_").lower().replace("_", " ")


def _away(kafka: Mapping[str, str], error: KafkaException | BufferError) -> Unavailable:
    address = kafka.get("bootstrap.servers", "")
    return Unavailable(
        f"Kafka at {address} does not answer: {_reason(error)}.", details={"server": "kafka", "bootstrap": address}
    )
