"""Records by confluent_kafka's consumer: partitions are assigned, no group is joined, nothing is committed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from catalog.errors import Unavailable
from scanners.adapters.kafka.descriptions import described, id_of
from scanners.adapters.kafka.settings import librdkafka
from scanners.model import ClusterConnection, OffsetRange, RawRecord
from scanners.ports import ReadRecords
from scanners.settings import ScannerSettings

_AT_ONCE = 2000
_POLL_S = 0.5


class KafkaRecords:
    """`RecordReader` on a real cluster."""

    def __init__(self, settings: ScannerSettings | None = None) -> None:
        self._settings = settings or ScannerSettings()

    def topic_id(self, cluster: ClusterConnection, topic: str) -> str:
        from confluent_kafka import KafkaException
        from confluent_kafka.admin import AdminClient

        seconds = self._settings.kafka_seconds
        try:
            admin = AdminClient(librdkafka(cluster.kafka, cluster.bootstrap, seconds))
            topics = described(admin, [topic], seconds)
            return id_of(topics[topic]) if topic in topics else ""
        except KafkaException as error:
            raise _unavailable(cluster, error.args[0] if error.args else error) from error

    def read(
        self, cluster: ClusterConnection, ranges: Sequence[OffsetRange], max_bytes: int, seconds: float
    ) -> ReadRecords:
        from confluent_kafka import Consumer, KafkaException, TopicPartition

        reached = {each.partition: each.start for each in ranges}
        if not ranges:
            return ReadRecords((), reached)
        consumer = Consumer(
            {
                **librdkafka(cluster.kafka, cluster.bootstrap, self._settings.kafka_seconds),
                "group.id": "weir-check",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "isolation.level": "read_uncommitted",
                "auto.offset.reset": "error",
            }
        )
        try:
            consumer.assign([TopicPartition(each.topic, each.partition, each.start) for each in ranges])
            return _gathered(consumer, cluster, ranges, reached, max_bytes, seconds)
        except KafkaException as error:
            raise _unavailable(cluster, error.args[0] if error.args else error) from error
        finally:
            consumer.close()


def _gathered(
    consumer: Any,
    cluster: ClusterConnection,
    ranges: Sequence[OffsetRange],
    reached: dict[int, int],
    max_bytes: int,
    seconds: float,
) -> ReadRecords:
    from confluent_kafka import KafkaError

    ends = {each.partition: each.end for each in ranges}
    records: list[RawRecord] = []
    size, until = 0, time.monotonic() + seconds
    while ends and size < max_bytes and time.monotonic() < until:
        for message in consumer.consume(_AT_ONCE, _POLL_S):
            number = message.partition()
            error = message.error()
            if error is not None:
                if error.code() == KafkaError._PARTITION_EOF:
                    if number in ends:  # markers of transactions and compacted records are not delivered
                        reached[number] = ends.pop(number)
                    continue
                if error.code() in (KafkaError._AUTO_OFFSET_RESET, KafkaError.OFFSET_OUT_OF_RANGE):
                    ends.pop(number, None)  # retention took them meanwhile: the next look begins behind them
                    continue
                if error.retriable():
                    continue
                raise _unavailable(cluster, error)
            if number not in ends:
                continue
            if size >= max_bytes:
                del ends[number]  # what is left of it is for the next look, whatever follows in this batch
                continue
            if message.offset() < ends[number]:
                record = _record(message)
                records.append(record)
                size += record.size
                reached[number] = record.offset + 1
            if message.offset() + 1 >= ends[number]:
                reached[number] = ends.pop(number)
    return ReadRecords(tuple(records), reached)


def _record(message: Any) -> RawRecord:
    kind, milliseconds = message.timestamp()
    return RawRecord(
        message.key(),
        message.value(),
        message.headers() or (),
        message.partition(),
        message.offset(),
        milliseconds if kind else None,
    )


def _unavailable(cluster: ClusterConnection, error: Any) -> Unavailable:
    name = str(error.name()).strip("_").lower().replace("_", " ") if hasattr(error, "name") else "no connection"
    return Unavailable(
        f"Kafka at {cluster.bootstrap} (cluster {cluster.name}) does not give its records: {name}."
        " Check the address and the security settings.",
        details={"server": "kafka", "bootstrap": cluster.bootstrap},
    )
