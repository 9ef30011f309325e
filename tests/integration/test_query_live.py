"""Queries that take time: a push query over new records, a limit of seconds, clients at once, what is logged."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.errors import LimitExceeded
from policies.adapters.kafka_offsets import KafkaOffsets
from policies.adapters.spark_engine import SparkEngine
from policies.adapters.spark_sessions import Sessions
from policies.model import Subject
from policies.query import GovernedQuery
from policies.query_settings import QuerySettings
from query_world import ANA, CANARIES, KEYS, World, load, order, unload

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def world(stack: Any) -> Iterator[World]:
    made = load(stack.kafka, "a")
    yield made
    unload(made)


@pytest.fixture(scope="module")
def engine(stack: Any) -> Iterator[SparkEngine]:
    sessions = Sessions(stack.spark, 3)
    yield SparkEngine(sessions)
    sessions.close()


def service(world: World, engine: SparkEngine, **settings: Any) -> GovernedQuery:
    return GovernedQuery(world, world, engine, KafkaOffsets(), world, KEYS, QuerySettings(**settings))


def produce(world: World, *regions: str) -> None:
    import json

    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": world.kafka})
    for n, region in enumerate(regions):
        producer.produce(world.topics["orders"], json.dumps(order(900 + n, "a", region, 1.0)).encode(), b"k", 0)
    assert producer.flush(30) == 0


def test_a_push_query_is_governed_and_ends_when_access_does(world: World, engine: SparkEngine) -> None:
    sql = "SELECT order_id, customer.email, region FROM orders WHERE 1 / (amount - 5) < 0 EMIT CHANGES"
    events = service(world, engine, recheck_seconds=0.5).stream(ANA, sql, "analysis")
    assert next(e for e in events if e["type"] != "columns")["type"] == "idle"
    produce(world, "US", "EU", "US")
    seen = [next(e for e in events if e["type"] != "idle") for _ in range(2)]
    assert seen[0]["columns"][1]["decision"]["effect"] == "masked"
    assert seen[1]["rows"] == [["o901", "xxxx@example1.eu", "EU"]]
    world.denied = True
    ended = time.monotonic()
    last = [e for e in events if e["type"] != "idle"]
    world.denied = False
    assert [e["type"] for e in last] == ["end"] and last[0]["code"] == "not_allowed"
    assert time.monotonic() - ended < 5


def test_a_query_is_stopped_after_its_seconds(world: World, engine: SparkEngine) -> None:
    heavy = "SELECT sum(hash(a.id, b.id, c.id)) FROM range(100000) a, range(100000) b, range(100000) c, orders"
    started = time.monotonic()
    with pytest.raises(LimitExceeded) as caught:
        service(world, engine, seconds=2).run(ANA, heavy)
    assert caught.value.details == {"limit": "seconds", "seconds": 2.0}
    assert time.monotonic() - started < 15
    assert service(world, engine).run(ANA, "SELECT count(*) FROM people").rows == [[8]]


def test_many_at_once_get_their_own_rows(world: World, engine: SparkEngine) -> None:
    queries = service(world, engine, concurrent=4, concurrent_per_subject=20)
    failures: list[str] = []

    def client(n: int) -> None:
        try:
            found = queries.run(Subject(f"u{n}"), f"SELECT level FROM people WHERE level = {n % 8}").rows
            if found != [[n % 8]]:
                failures.append(f"{n}: {found}")
        except Exception as error:  # what another thread raised belongs to the test
            failures.append(f"{n}: {error!r}")

    threads = [threading.Thread(target=client, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []


def test_no_value_is_logged_when_a_query_fails(
    world: World, engine: SparkEngine, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with caplog.at_level(logging.DEBUG):
        for sql in ("SELECT CAST(order_id AS INT) FROM orders", "SELECT CAST(city AS DATE) FROM people"):
            with pytest.raises(Exception, match="cannot be cast") as caught:
                service(world, engine).run(ANA, sql)
            assert caught.value.__cause__ is None and caught.value.__suppress_context__
    written = caplog.text + "".join(capfd.readouterr())
    assert not [c for c in (*CANARIES, "Bonn", "'o0'") if c in written]
