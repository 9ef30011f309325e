"""What any log of events promises; tested with the memory twin and with Kafka."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from lineage.ports import EventLog, EventSource, Record
from lineage.settings import KafkaClientSettings, LineageSettings
from tests.twins.lineage import MemoryEventLog, MemoryEventSource
from tests.waiting import until

Open = Callable[[], EventSource]


@pytest.fixture(params=["memory", pytest.param("kafka", marks=pytest.mark.integration)])
def log_and_source(request: pytest.FixtureRequest) -> Iterator[tuple[EventLog, Open]]:
    if request.param == "memory":
        memory_log = MemoryEventLog()
        in_memory = MemoryEventSource(memory_log)
        yield memory_log, lambda: in_memory
        return
    from confluent_kafka.admin import AdminClient

    from lineage.adapters.kafka.log import KafkaEventLog
    from lineage.adapters.kafka.source import KafkaEventSource

    stack = request.getfixturevalue("stack")
    mark = uuid.uuid4().hex[:12]
    settings = LineageSettings(topic=f"_lineage.test.{mark}", group=f"lineage-test-{mark}", partitions=3)
    kafka = KafkaClientSettings(bootstrap_servers=stack.kafka)
    log = KafkaEventLog(kafka, settings)
    opened: list[EventSource] = []

    def open_source() -> EventSource:
        opened.append(KafkaEventSource(kafka, settings))
        return opened[-1]

    yield log, open_source
    for source in opened:
        source.close()
    log.close()
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    for future in admin.delete_topics([settings.topic]).values():
        future.result(10)


def drain(source: EventSource, count: int, deadline: float = 30.0) -> list[Record]:
    records: list[Record] = []
    until = time.monotonic() + deadline
    while len(records) < count and time.monotonic() < until:
        records += source.poll(100, 2**20, 0.2)
    return records


def test_appended_is_read_with_key_and_headers(log_and_source: tuple[EventLog, Open]) -> None:
    log, open_source = log_and_source
    log.append("run:n/🕷", b"one", [("weir.error", b"why")])
    (record,) = drain(open_source(), 1)
    assert (record.key, record.value, record.headers) == ("run:n/🕷".encode(), b"one", (("weir.error", b"why"),))


def test_every_record_has_its_time_of_arrival_and_keeps_it(log_and_source: tuple[EventLog, Open]) -> None:
    log, open_source = log_and_source
    before = int(time.time() * 1000)
    log.append("k", b"one")
    (record,) = drain(open_source(), 1)
    assert record.arrived is not None and before - 60_000 <= record.arrived <= int(time.time() * 1000) + 60_000
    assert [again.arrived for batch in log.read() for again in batch] == [record.arrived]


@pytest.mark.integration
def test_brokers_date_what_clients_write_and_a_topic_of_an_earlier_version_learns_it(stack: Any) -> None:
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    from lineage.adapters.kafka.log import KafkaEventLog

    settings = LineageSettings(topic=f"_lineage.test.{uuid.uuid4().hex[:12]}", partitions=1)
    admin, producer = (kind({"bootstrap.servers": stack.kafka}) for kind in (AdminClient, Producer))
    admin.create_topics([NewTopic(settings.topic, 1, 1)])[settings.topic].result(15)
    log = KafkaEventLog(KafkaClientSettings(bootstrap_servers=stack.kafka), settings)
    try:
        log.append("k", b"ours")

        def dated_by_the_broker() -> bool:
            """A broker takes over a topic's new setting after it has answered."""
            producer.produce(settings.topic, b"theirs", timestamp=1)
            producer.flush(15)
            times = [record.arrived or 0 for batch in log.read() for record in batch]
            return len(times) >= 2 and abs(times[-1] - times[0]) < 600_000

        until(dated_by_the_broker, every=0.2)
    finally:
        log.close()
        admin.delete_topics([settings.topic])[settings.topic].result(10)


@pytest.mark.integration
def test_more_are_appended_at_once_than_the_producer_holds(stack: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from confluent_kafka.admin import AdminClient

    from lineage.adapters.kafka.log import KafkaEventLog

    options = KafkaEventLog._producer_options
    few = {"queue.buffering.max.messages": 6_000, "linger.ms": 500, "batch.num.messages": 6_000}
    monkeypatch.setattr(KafkaEventLog, "_producer_options", lambda log: options(log) | few)
    settings = LineageSettings(topic=f"_lineage.test.{uuid.uuid4().hex[:12]}", partitions=1)
    log = KafkaEventLog(KafkaClientSettings(bootstrap_servers=stack.kafka), settings)
    admin = AdminClient({"bootstrap.servers": stack.kafka})
    try:
        assert log.append_many([(f"k{at % 100}", b"x") for at in range(20_000)]) == [None] * 20_000
        assert sum(len(records) for records in log.read()) == 20_000
    finally:
        log.close()
        admin.delete_topics([settings.topic])[settings.topic].result(10)


def test_order_holds_within_a_key(log_and_source: tuple[EventLog, Open]) -> None:
    log, open_source = log_and_source
    log.append_many([(f"k{at % 5}", b"%d" % at) for at in range(100)])
    records = drain(open_source(), 100)
    for key in range(5):
        mine = [int(record.value or b"") for record in records if record.key == f"k{key}".encode()]
        assert mine == sorted(mine) and len(mine) == 20


def test_many_threads_append_at_once(log_and_source: tuple[EventLog, Open]) -> None:
    log, open_source = log_and_source
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda at: log.append(f"k{at}", b"%d" % at), range(400)))
    assert sorted(int(record.value or b"") for record in drain(open_source(), 400)) == list(range(400))


def test_read_ends_where_the_log_ends_and_goes_on_from_there(log_and_source: tuple[EventLog, Open]) -> None:
    log, _ = log_and_source
    assert list(log.read()) == []
    log.append_many([(f"k{at}", b"first") for at in range(30)])
    first = [record for records in log.read() for record in records]
    assert [record.value for record in first] == [b"first"] * 30
    after: dict[int, int] = {}
    for record in first:
        after[record.partition] = max(after.get(record.partition, 0), record.offset + 1)
    assert list(log.read(after)) == []
    log.append_many([(f"k{at}", b"second") for at in range(10)])
    assert [record.value for records in log.read(after) for record in records] == [b"second"] * 10


def test_lag_counts_what_is_not_committed(log_and_source: tuple[EventLog, Open]) -> None:
    log, open_source = log_and_source
    log.append_many([(f"k{at}", b"x") for at in range(20)])
    source = open_source()
    assert source.lag() == 20
    records = drain(source, 20)
    assert source.lag() == 20
    source.commit(records)
    assert source.lag() == 0
    log.append("k", b"y")
    assert source.lag() == 1


def test_a_poll_waits_no_longer_than_told(log_and_source: tuple[EventLog, Open]) -> None:
    log, open_source = log_and_source
    log.append("k", b"x")
    source = open_source()
    drain(source, 1)
    started = time.monotonic()
    assert source.poll(10, 1000, 0.1) == []
    assert time.monotonic() - started < 2.0


@pytest.mark.integration
def test_what_was_not_committed_comes_again(stack: object) -> None:
    from lineage.adapters.kafka.log import KafkaEventLog
    from lineage.adapters.kafka.source import KafkaEventSource

    mark = uuid.uuid4().hex[:12]
    settings = LineageSettings(topic=f"_lineage.test.{mark}", group=f"lineage-test-{mark}", partitions=2)
    kafka = KafkaClientSettings(bootstrap_servers=stack.kafka)  # type: ignore[attr-defined]
    log, first = KafkaEventLog(kafka, settings), KafkaEventSource(kafka, settings)
    log.append_many([(f"k{at}", b"%d" % at) for at in range(10)])
    records = drain(first, 10)
    done = [record for record in records if record.partition == records[0].partition]
    first.commit(done)
    first.close()
    second = KafkaEventSource(kafka, settings)
    again = drain(second, 10 - len(done))
    second.close()
    log.close()
    assert {record.value for record in again} == {record.value for record in records} - {
        record.value for record in done
    }


@pytest.mark.tail
def test_a_log_that_does_not_answer_says_so() -> None:
    from lineage.adapters.kafka.log import KafkaEventLog

    settings = LineageSettings(delivery_timeout_seconds=0.5)
    log = KafkaEventLog(KafkaClientSettings(bootstrap_servers="127.0.0.1:1"), settings)
    outcomes: list[Exception | None] = []
    thread = threading.Thread(target=lambda: outcomes.extend(log.append_many([("k", b"x")])))
    thread.start()
    thread.join(20)
    log.close()
    assert [type(outcome).__name__ for outcome in outcomes] == ["Unavailable"]
    assert "Kafka at 127.0.0.1:1" in str(outcomes[0])
