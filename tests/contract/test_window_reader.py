"""A window that Weir reads itself holds the very records that Spark's Kafka source reads."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from catalog.datatypes import STRING
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.positions import KafkaPositions
from policies.adapters.kafka.topic_identity import TopicIdentity
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.records import kafka_frame, records_frame
from policies.plan.cancellation import Stop
from policies.plan.model import PartRead, PositionTotals, Range, TablePlan, Window
from policies.sql.windows import NEWEST

pytestmark = pytest.mark.integration
COLUMNS = ("key", "value", "partition", "offset", "timestamp", "headers")
START = 1_767_225_600_000


@dataclass
class Kafka:
    servers: str
    session: Any
    admin: Any
    created: list[str] = field(default_factory=list)

    def topic(self, partitions: int = 1, **config: str) -> str:
        from confluent_kafka.admin import NewTopic

        name = f"windows-{uuid.uuid4().hex[:8]}"
        settings = {"retention.ms": "-1", **{key.replace("_", "."): value for key, value in config.items()}}
        self.admin.create_topics([NewTopic(name, partitions, 1, config=settings)])[name].result(30)
        self.created.append(name)
        return name

    def send(self, topic: str, records: list[dict[str, Any]], abort: bool | None = None) -> None:
        """`abort`: in a transaction, which is then aborted or committed."""
        from confluent_kafka import Producer

        transaction = {} if abort is None else {"transactional.id": uuid.uuid4().hex}
        producer = Producer({"bootstrap.servers": self.servers, "log_level": 0, **transaction})
        if abort is not None:
            producer.init_transactions(30)
            producer.begin_transaction()
        for record in records:
            producer.produce(topic, **{"partition": 0, "timestamp": START, **record})
        assert producer.flush(30) == 0
        if abort is not None:
            producer.abort_transaction(30) if abort else producer.commit_transaction(30)

    def plan(self, topic: str, window: Window | None = None) -> TablePlan:
        kafka = {"kafka.bootstrap.servers": self.servers}
        chosen_window = window or KafkaOffsets().window(kafka, topic, NEWEST, 100_000)
        return TablePlan("v", topic, kafka, chosen_window, PartRead("text", STRING), PartRead("text", STRING))

    def rows(self, frame: Any) -> list[tuple[Any, ...]]:
        table = frame.select(*COLUMNS).toArrow()
        return sorted(zip(*(table.column(name).to_pylist() for name in COLUMNS), strict=True), key=lambda r: r[2:4])


@pytest.fixture(scope="module")
def kafka(stack: Any) -> Iterator[Kafka]:
    from confluent_kafka.admin import AdminClient

    from catalog.adapters.spark_connect import connect, release

    session = connect(stack.engine)
    kafka = Kafka(stack.kafka, session, AdminClient({"bootstrap.servers": stack.kafka, "log_level": 0}))
    yield kafka
    release(session)
    for future in kafka.admin.delete_topics(kafka.created).values() if kafka.created else ():
        future.result(30)


@pytest.fixture(scope="module")
def reader() -> Iterator[KafkaWindows]:
    """One for all tests, so that its consumers go from topic to topic."""
    windows = KafkaWindows()
    yield windows
    windows.close()


def _plain(kafka: Kafka, topic: str) -> None:
    kafka.send(topic, [{"key": f"k{n}".encode(), "value": b"x" * n, "timestamp": START + n} for n in range(300)])


def _nulls(kafka: Kafka, topic: str) -> None:
    parts = (None, b"", b"\x00", b"\xff\xfe", b"text")
    kafka.send(topic, [{"key": key, "value": value} for key in parts for value in parts])


def _headers(kafka: Kafka, topic: str) -> None:
    each: list[Any] = [
        None,
        [],
        [("a", None)],
        [("a", b"")],
        [("a", b"1"), ("b", None), ("a", b"2")],
        [("ä", b"\xff")],
        [("", b"n")],
    ]
    kafka.send(topic, [{"value": b"v", "headers": headers} for headers in each])


def _transactions(kafka: Kafka, topic: str) -> None:
    for name, abort in (("a", False), ("b", True), ("c", None), ("d", True), ("e", False), ("f", True)):
        kafka.send(topic, [{"value": f"{name}{n}".encode()} for n in range(5)], abort)


def _only_aborted(kafka: Kafka, topic: str) -> None:
    kafka.send(topic, [{"value": b"never"}], abort=True)


def _batches(kafka: Kafka, topic: str) -> None:
    for n in range(5):
        kafka.send(topic, [{"value": f"{n}-{m}".encode(), "partition": m % 3} for m in range(n * 7)])


def _empty(kafka: Kafka, topic: str) -> None:
    """Nothing is sent."""


def _compacted(kafka: Kafka, topic: str) -> None:
    """Most keys are sent again, so that their first records are taken out of the log."""
    from confluent_kafka import Consumer, KafkaError, TopicPartition

    def sent(key: str, value: bytes | None) -> dict[str, Any]:
        return {"key": key.encode(), "value": value, "timestamp": int(time.time() * 1000)}

    kafka.send(topic, [sent(f"k{n % 7}", f"{n}".encode() if n % 5 else None) for n in range(200)])

    def held() -> int:
        """How many of the first 200 records are still there."""
        consumer = Consumer(
            {
                "bootstrap.servers": kafka.servers,
                "group.id": "count",
                "enable.partition.eof": True,
                "log_level": 0,
                "enable.auto.commit": False,
            }
        )
        consumer.assign([TopicPartition(topic, 0, 0)])
        count = 0
        while (message := consumer.poll(10)) is not None:
            if message.error() is not None:
                assert message.error().code() == KafkaError._PARTITION_EOF
                break
            count += message.offset() < 200
        consumer.close()
        return count

    until = time.monotonic() + 120
    while held() >= 200 and time.monotonic() < until:
        # A segment is closed, and then compacted, when the next record comes.
        kafka.send(topic, [sent("last", b"now")])
    assert held() < 200


LOGS: dict[str, tuple[Callable[[Kafka, str], None], dict[str, Any]]] = {
    "plain": (_plain, {}),
    "null and empty keys and values": (_nulls, {}),
    "headers": (_headers, {}),
    "times of the broker": (_plain, {"message_timestamp_type": "LogAppendTime"}),
    "transactions": (_transactions, {}),
    "only an aborted transaction": (_only_aborted, {}),
    "several partitions, one empty": (_batches, {"partitions": 4}),
    "empty": (_empty, {}),
    "compressed": (_plain, {"compression_type": "zstd"}),
    "compacted": (
        _compacted,
        {
            "cleanup_policy": "compact",
            "segment_ms": "50",
            "min_cleanable_dirty_ratio": "0.01",
            "max_compaction_lag_ms": "50",
            "delete_retention_ms": "600000",
        },
    ),
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("log", LOGS)
def test_the_records_are_those_that_spark_reads(kafka: Kafka, reader: KafkaWindows, log: str) -> None:
    fill, config = LOGS[log]
    topic = kafka.topic(**config)
    fill(kafka, topic)
    plan = kafka.plan(topic)
    by_spark = kafka.rows(kafka_frame(kafka.session, plan))
    records = reader.read(plan, Stop())
    if not plan.window.records:
        assert records is None and by_spark == []
        return
    assert records is not None
    assert kafka.rows(records_frame(kafka.session, records)) == by_spark
    for enough in (1, 7, 1_000):
        few = KafkaWindows(most_records=max(enough, 1) if enough < plan.window.records else 5_000)
        some = few.read(replace(plan, enough=enough), Stop())
        few.close()
        assert some is not None and some.num_rows == min(enough, len(by_spark))
        assert set(kafka.rows(records_frame(kafka.session, some))) <= set(by_spark) if log != "headers" else True


def _by_spark(kafka: Kafka, plan: TablePlan) -> PositionTotals:
    millis = [f"CAST(round({bound}(CAST(timestamp AS DOUBLE)) * 1000) AS BIGINT)" for bound in ("min", "max")]
    positions = ["count(*)", "min(offset)", "max(offset)", "min(partition)", "max(partition)"]
    frame = kafka_frame(kafka.session, plan).selectExpr(*positions, *millis)
    count, *bounds = frame.collect()[0]
    pairs = [None if low is None else (low, high) for low, high in zip(bounds[::2], bounds[1::2], strict=True)]
    return PositionTotals(count, 0, *pairs)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("log", LOGS)
def test_positions_are_those_that_spark_counts(kafka: Kafka, reader: KafkaWindows, log: str) -> None:
    fill, config = LOGS[log]
    topic = kafka.topic(**config)
    fill(kafka, topic)
    counter = KafkaPositions(reader, TopicIdentity())
    for times in (False, True, True, False):
        plan = kafka.plan(topic)
        totals, by_spark = counter.totals(plan, times, Stop()), _by_spark(kafka, plan)
        assert totals is not None
        got = replace(totals, read=0) if times else replace(totals, read=0, timestamp=by_spark.timestamp)
        assert got == by_spark
    assert totals is not None
    assert totals.read == (totals.records if log == "compacted" else 0), "what was counted is known the next time"
    kafka.send(topic, [{"value": b"more", "key": b"new"}] * 3)
    more, by_spark = counter.totals(kafka.plan(topic), True, Stop()), _by_spark(kafka, kafka.plan(topic))
    assert more is not None and replace(more, read=0) == by_spark
    assert more.read == 3 or log == "compacted"


def test_any_part_of_a_log_is_counted_as_spark_counts_it(kafka: Kafka, reader: KafkaWindows) -> None:
    """Parts in any order, so that each meets what others left; with marks of transactions in the log, and without."""
    for fill in (_transactions, _plain):
        topic = kafka.topic()
        fill(kafka, topic)
        offsets = {row[3] for row in kafka.rows(kafka_frame(kafka.session, kafka.plan(topic)))}
        (full,) = kafka.plan(topic).window.ranges
        parts = [(start, end) for start in range(0, 40, 4) for end in range(start + 1, min(full.end, 44) + 1, 3)]
        random.Random(7).shuffle(parts)
        counter = KafkaPositions(reader, TopicIdentity())
        for start, end in parts:
            totals = counter.totals(kafka.plan(topic, Window((Range(0, start, end),))), False, Stop())
            there = sorted(offset for offset in offsets if start <= offset < end)
            assert totals is not None and totals.records == len(there), (start, end)
            assert totals.offset == ((there[0], there[-1]) if there else None)


def test_a_topic_that_is_made_again_or_loses_records_is_counted_anew(kafka: Kafka, reader: KafkaWindows) -> None:
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import NewTopic

    topic, counter = kafka.topic(), KafkaPositions(reader, TopicIdentity())
    _plain(kafka, topic)
    first = counter.totals(kafka.plan(topic), True, Stop())
    assert first is not None and (first.records, first.read) == (300, 300)
    kafka.admin.delete_records([TopicPartition(topic, 0, 100)])[TopicPartition(topic, 0, 100)].result(30)
    rest = counter.totals(kafka.plan(topic), True, Stop())
    assert rest is not None and replace(rest, read=0) == _by_spark(kafka, kafka.plan(topic))
    kafka.admin.delete_topics([topic])[topic].result(30)
    time.sleep(1)
    kafka.admin.create_topics([NewTopic(topic, 1, 1, config={"retention.ms": "-1"})])[topic].result(30)
    _transactions(kafka, topic)
    again = counter.totals(kafka.plan(topic), True, Stop())
    assert again is not None and replace(again, read=0) == _by_spark(kafka, kafka.plan(topic))
    assert again.read == again.records


def test_any_part_of_a_log_with_transactions_is_read_as_spark_reads_it(kafka: Kafka, reader: KafkaWindows) -> None:
    topic = kafka.topic()
    _transactions(kafka, topic)
    whole = {row[3]: row for row in kafka.rows(kafka_frame(kafka.session, kafka.plan(topic)))}
    (full,) = kafka.plan(topic).window.ranges
    parts = [(start, end) for start in range(0, full.end, 4) for end in range(start + 1, full.end + 1, 3)]
    for start, end in parts:
        records = reader.read(kafka.plan(topic, Window((Range(0, start, end),))), Stop())
        assert records is not None, (start, end)
        column = records.column("offset").to_pylist()
        assert column == [offset for offset in sorted(whole) if start <= offset < end]
    assert len(parts) > 50


def test_records_that_came_after_the_look_are_not_in_the_window(kafka: Kafka, reader: KafkaWindows) -> None:
    topic = kafka.topic()
    kafka.send(topic, [{"value": b"before"}])
    plan = kafka.plan(topic)
    kafka.send(topic, [{"value": b"after"}] * 50)
    records = reader.read(plan, Stop())
    assert records is not None and records.column("value").to_pylist() == [b"before"]


def test_an_open_transaction_does_not_keep_a_window_before_it(kafka: Kafka, reader: KafkaWindows) -> None:
    from confluent_kafka import Producer

    topic = kafka.topic()
    kafka.send(topic, [{"value": b"1"}], abort=True)
    kafka.send(topic, [{"value": b"2"}], abort=True)
    producer = Producer({"bootstrap.servers": kafka.servers, "transactional.id": uuid.uuid4().hex, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce(topic, b"open", partition=0)
    assert producer.flush(30) == 0
    try:
        records = reader.read(kafka.plan(topic), Stop())
        assert records is not None and records.num_rows == 0
    finally:
        producer.abort_transaction(30)


def test_what_is_gone_too_large_or_out_of_reach_is_left_to_spark(kafka: Kafka, reader: KafkaWindows) -> None:
    from confluent_kafka import TopicPartition

    topic = kafka.topic()
    _plain(kafka, topic)
    plan = kafka.plan(topic)
    small, narrow = KafkaWindows(most_records=299), KafkaWindows(most_bytes=10_000)
    assert small.read(plan, Stop()) is None
    assert narrow.read(plan, Stop()) is None
    stop = Stop()
    stop.stop("was cancelled by ana")
    assert reader.read(plan, stop) is None
    kafka.admin.delete_records([TopicPartition(topic, 0, 100)])[TopicPartition(topic, 0, 100)].result(30)
    assert reader.read(plan, Stop()) is None
    assert [row[3] for row in kafka.rows(kafka_frame(kafka.session, plan))] == list(range(100, 300))
    rest = reader.read(kafka.plan(topic), Stop())
    assert rest is not None and rest.num_rows == 200
    beyond = kafka.plan(topic, Window((Range(0, 250, 400),)))
    assert reader.read(beyond, Stop()) is None
    nowhere = TablePlan("v", topic, {"kafka.bootstrap.servers": "127.0.0.1:9"}, plan.window, plan.key, plan.value)
    assert reader.read(nowhere, Stop()) is None
    small.close()
    narrow.close()


def test_a_consumer_goes_from_query_to_query(kafka: Kafka) -> None:
    import threading

    topic = kafka.topic()
    _plain(kafka, topic)
    plan, reader = kafka.plan(topic), KafkaWindows()
    for _ in range(5):
        records = reader.read(plan, Stop())
        assert records is not None and records.num_rows == 300
    assert len(reader._idle) == 1
    counts: list[int] = []

    def read() -> None:
        for _ in range(5):
            records = reader.read(plan, Stop())
            counts.append(0 if records is None else records.num_rows)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == [300] * 30
    reader.close()
    assert len(reader._idle) == 0
