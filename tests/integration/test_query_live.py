"""Queries that take time: a push query over new records, a limit of seconds, clients at once, what is logged."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.errors import LimitExceeded, NotAllowed, WeirError
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.model import Subject
from policies.plan.settings import QuerySettings
from policies.query.service import GovernedQuery
from tests.query_world import ANA, CANARIES, KEYS, World, load, order, unload

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def world(stack: Any) -> Iterator[World]:
    store = load(stack.kafka, "a")
    yield store
    unload(store)


@pytest.fixture(scope="module")
def engine(stack: Any) -> Iterator[SparkEngine]:
    sessions = Sessions(stack.engine, 3)
    yield SparkEngine(sessions, windows=KafkaWindows())
    sessions.close()


def service(world: World, engine: SparkEngine, **settings: Any) -> GovernedQuery:
    return GovernedQuery(world, world, engine, KafkaOffsets(), world, KEYS, QuerySettings(**settings))


def produce(world: World, *regions: str, at: list[int] | None = None) -> None:
    import json

    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": world.kafka})
    for n, region in enumerate(regions):
        producer.produce(
            world.topics["orders"],
            json.dumps(order(900 + n, "a", region, 1.0)).encode(),
            b"k",
            0,
            timestamp=at[n] if at else 0,
        )
    assert producer.flush(30) == 0


def test_a_push_query_is_governed_and_ends_when_access_does(world: World, engine: SparkEngine) -> None:
    sql = "SELECT order_id, customer.email, region FROM orders WHERE 1 / (amount - 5) < 0 EMIT CHANGES"
    events = service(world, engine, recheck_seconds=0.5).stream(ANA, sql, "analysis")
    first = next(events)
    assert first["type"] == "columns" and first["columns"][1]["decision"]["effect"] == "masked"
    begin(events)
    produce(world, "US", "EU", "US")
    rows: Any = next(e for e in events if e["type"] not in ("idle", "columns"))
    assert rows["rows"] == [["o901", "xxxx@example1.eu", "EU"]]
    world.denied = True
    ended = time.monotonic()
    last: list[Any] = [e for e in events if e["type"] != "idle"]
    world.denied = False
    assert [e["type"] for e in last] == ["end"] and last[0]["code"] == "not_allowed"
    assert time.monotonic() - ended < 5


def state(events: Any, key: int = 1) -> Iterator[dict[tuple[object, ...], list[object]]]:
    """What a push query has shown so far, after each event: the last row for the first `key` columns."""
    by_key: dict[tuple[object, ...], list[object]] = {}
    for event in events:
        assert event["type"] != "end", event
        by_key |= {tuple(row[:key]): row[key:] for row in event.get("rows", ())}
        yield by_key


def begin(events: Any) -> None:
    """Wait until what arrives is seen."""
    assert next(e for e in events if e["type"] != "columns")["type"] == "idle"


def test_a_push_query_with_groups_says_what_changed(world: World, engine: SparkEngine) -> None:
    """Rows a filter hides change nothing; masked values are one group; a decision that ends, ends it."""
    sql = (
        "SELECT customer.email, count(*) AS n, sum(amount) AS total FROM orders"
        " GROUP BY customer.email HAVING count(*) < 3 EMIT CHANGES"
    )
    events = service(world, engine, recheck_seconds=0.5).stream(ANA, sql, "analysis")
    begin(events)
    produce(world, "EU", "US", "EU")
    zero, two = ("xxxx@example0.eu",), ("xxxx@example2.eu",)
    assert next(s for s in state(events) if len(s) == 2) == {zero: [1, "1.00"], two: [1, "1.00"]}
    produce(world, "EU")
    assert next(s for s in state(events) if s) == {zero: [2, "2.00"]}
    world.denied = True
    last: list[Any] = [e for e in events if e["type"] not in ("idle", "rows")]
    world.denied = False
    assert last[-1]["code"] == "not_allowed"


def test_a_push_query_joins_a_topic_as_it_is(world: World, engine: SparkEngine) -> None:
    sql = (
        "SELECT o.region, p.city FROM orders o LEFT JOIN people p ON o.customer.email = p.email AND p.level < 3"
        " WHERE o.amount > (SELECT min(level) FROM people) EMIT CHANGES"
    )
    events = service(world, engine).stream(ANA, sql, "analysis")
    begin(events)
    produce(world, "EU")
    assert next(e["rows"] for e in events if e["type"] == "rows") == [["EU", "Bonn"]]
    produce(world, "US", "EU")
    assert next(e["rows"] for e in events if e["type"] == "rows") == [["EU", "Köln"]]
    events.close()


@pytest.fixture
def untouched(stack: Any) -> Iterator[World]:
    """A world nothing was sent to since: its records are of last January."""
    store = load(stack.kafka, "a")
    yield store
    unload(store)


@pytest.mark.tail
def test_a_push_query_by_time_windows_lets_go_what_is_over(untouched: World, engine: SparkEngine) -> None:
    """Sixteen records pass through a state of ten; a late one of a window that is over changes nothing, and one
    stamped by a clock that is ahead does not end the windows of the others. Minute 15 begins two to three minutes
    after now: whatever second of the minute the test runs in, and however slowly, it is not over."""
    window = "window(_timestamp, '1 minute')"
    sql = f"SELECT date_format({window}.start, 'mm') AS w, count(*) AS n FROM orders GROUP BY {window} EMIT CHANGES"
    begun = (int(time.time()) // 60 - 12) * 60
    events = service(untouched, engine, stream_state_records=10, stream_late_seconds=30).stream(ANA, sql, "analysis")
    begin(events)
    for minutes, expected in (
        ((0, 0, 0), {0: 3}),
        ((1, 2, 2), {1: 1, 2: 2}),
        ((9, 9), {9: 2}),
        ((9, 0), {9: 3}),
        ((9, 10, 0, 10), {9: 4, 10: 2}),
        ((40,), {40: 1}),
        ((15,), {15: 1}),
    ):
        produce(untouched, *["EU"] * len(minutes), at=[(begun + m * 60) * 1000 for m in minutes])
        wanted = {(f"{(begun // 60 + minute) % 60:02d}",): [n] for minute, n in expected.items()}
        assert next(s for s in state(events) if s.items() >= wanted.items()) == wanted
    events.close()


def test_a_push_query_is_cut_while_a_batch_is_computed(world: World, engine: SparkEngine) -> None:
    heavy = "SELECT count(hash(a.id, b.id, amount)) FROM orders JOIN range(200000) a JOIN range(200000) b EMIT CHANGES"
    events = service(world, engine, recheck_seconds=0.5).stream(ANA, heavy, "analysis")
    begin(events)
    produce(world, "EU")
    world.looked = 0.0
    threading.Timer(1.0, lambda: setattr(world, "denied", True)).start()
    last: Any = [e for e in events if e["type"] != "idle"][-1]
    ended = time.monotonic()
    world.denied = False
    assert last["code"] == "not_allowed"
    assert ended - world.looked < 5


@pytest.mark.parametrize("door", ["run", "export"])
def test_a_query_is_cut_when_access_ends(world: World, engine: SparkEngine, door: str) -> None:
    """Seconds from the moment when the decision was another one, with the default between decisions."""
    heavy = "SELECT sum(hash(a.id, b.id, c.id)) FROM range(100000) a, range(100000) b, range(100000) c, orders"
    queries = service(world, engine)
    world.looked = 0.0
    revoked: list[float] = []

    def revoke() -> None:
        world.denied = True
        revoked.append(time.monotonic())

    timer = threading.Timer(3.0, revoke)
    timer.start()
    try:
        with pytest.raises(NotAllowed, match="Your access to prod/orders has ended"):
            if door == "run":
                queries.run(ANA, heavy)
            else:
                with queries.open(ANA, heavy) as answer:
                    list(answer.batches)
        assert revoked and time.monotonic() - revoked[0] < 5
    finally:
        timer.cancel()
        world.denied = False
    assert [e.outcome for e in world.entries if e.action == "query.end"][-1] == "cancelled"


def test_a_push_query_that_would_hold_too_much_ends(world: World, engine: SparkEngine) -> None:
    sql = "SELECT count(*) FROM orders EMIT CHANGES"
    events = service(world, engine, stream_state_records=2).stream(ANA, sql, "analysis")
    begin(events)
    produce(world, "EU", "EU", "EU")
    last: Any = [e for e in events if e["type"] != "idle"][-1]
    assert last["type"] == "end" and last["code"] == "limit_exceeded" and "window(_timestamp" in last["message"]


def test_a_query_is_stopped_after_its_seconds(world: World, engine: SparkEngine) -> None:
    """The limit that is named is the setting, also where records were read before the statement ran (drift)."""
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
            rows = queries.run(Subject(f"u{n}"), f"SELECT level FROM people WHERE level = {n % 8}").rows
            if rows != [[n % 8]]:
                failures.append(f"{n}: {rows}")
        except Exception as error:  # what another thread raised belongs to the test
            failures.append(f"{n}: {error!r}")

    threads = [threading.Thread(target=client, args=(n,)) for n in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert failures == []


FAILING = (
    "SELECT CAST(order_id AS INT) FROM orders",
    "SELECT CAST(city AS DATE) FROM people",
    "SELECT 1 / (amount - 11) FROM orders",
    "SELECT 5 % level FROM people",
    "SELECT CAST(amount * 1e9 AS INT) FROM orders",
    "SELECT array(1)[CAST(amount AS INT)] FROM orders",
    "SELECT element_at(array(1), level) FROM people",
    "SELECT regexp_extract(order_id, city, 9) FROM orders JOIN people ON order_id = id",
    "SELECT to_timestamp(order_id, 'yyyy') FROM orders",
    "SELECT to_number(region, '999') FROM orders",
    "SELECT map_from_arrays(array(city, city), array(1, 2)) FROM people",
    "SELECT (SELECT city FROM people)",
    "SELECT from_json(city, 'a INT', map('mode', 'FAILFAST')) FROM people",
    "SELECT parse_json(city) FROM people",
    "SELECT unhex(order_id)::STRING::INT FROM orders",
    "SELECT decode(encode(city, 'UTF-8'), 'no-' || city) FROM people",
    "SELECT make_date(level, 99, 1) FROM people",
    "SELECT 9223372036854775807 + level FROM people",
    "SELECT convert_timezone(city, created_at) FROM orders JOIN people ON order_id = id",
    "SELECT url_decode('%' || city) FROM people",
)


def test_no_value_is_logged_when_a_query_fails(
    world: World,
    engine: SparkEngine,
    stack: Any,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """Not in the answer, not in our log, not in that of a server."""
    before = {log: log.stat().st_size for log in stack.logs.glob("*.log")}
    assert {"query.log", "spark.log"} <= {log.name for log in before}
    lines, failed = [], 0
    with caplog.at_level(logging.DEBUG):
        for sql in FAILING:
            try:
                service(world, engine).run(ANA, sql)
            except WeirError as error:
                failed += 1
                assert error.__cause__ is None and error.__suppress_context__
                lines.append(f"{error.message} {error.details}")
    assert failed > len(FAILING) * 0.7
    logged = ""
    for log, size in before.items():
        with log.open("rb") as file:
            file.seek(size)
            logged += file.read().decode("utf-8", "replace")
    written = " ".join(lines) + caplog.text + "".join(capfd.readouterr()) + logged
    assert not [c for c in (*CANARIES, "Bonn", "Köln", "'o0'", "'o1'", "xxxx@") if c in written]
