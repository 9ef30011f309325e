"""What any engine for governed queries promises, for the fake of the tests and for Spark."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from catalog.datatypes import STRING, parse_ddl
from policies.plan.errors import QueryCancelled, QueryFailed
from policies.plan.model import PartRead, QueryPlan, Range, TablePlan, Window
from policies.plan.ports import Engine, Offsets
from policies.sql.windows import NEWEST, AsOf
from tests.twins.policies.engine import MemoryEngine, MemoryTopics

KIND = parse_ddl("id STRING, n INT, tags ARRAY<STRING>, at STRUCT<city: STRING>")
RECORDS = [
    {"key": f"k{i}", "value": {"id": f"o{i}", "n": i if i % 2 else None, "tags": ["a", str(i)], "at": {"city": "Köln"}}}
    for i in range(6)
]
# Scanned while numbers were small; what came later does not fit: a number past 31 bits, other forms, no JSON at all.
DRIFTED = [
    json.dumps({"id": "x0", "n": 5_000_000_000, "tags": ["a", ["b"]], "at": "Köln"}).encode(),
    json.dumps({"id": "x1", "n": "yes", "tags": {"a": 1}, "at": {"city": "Bonn"}}).encode(),
    json.dumps({"id": "x2", "n": 2.5, "tags": None, "at": None}).encode(),
    json.dumps({"id": "x3", "n": 7}).encode(),
    b"{broken",
]
WATCHED = (
    ("value", "value"),
    ("id", "value.id"),
    ("n", "value.n"),
    ("tags", "value.tags"),
    ("tags", "value.tags[]"),
    ("at", "value.at"),
    ("at", "value.at.city"),
)
COLUMNS = (
    *((name, f"weir_value.`{name}`") for name, _ in KIND.fields),
    ("_key", "weir_key"),
    ("_partition", "weir_partition"),
    ("_offset", "weir_offset"),
)


@dataclass
class Made:
    engine: Engine
    offsets: Offsets
    topic: str
    kafka: dict[str, str]
    drifted: str

    def plan(
        self,
        sql: str = "SELECT * FROM `v` AS `t`",
        limit: int = 100,
        as_of: AsOf = NEWEST,
        newest: int = 1000,
        topic: str | None = None,
    ) -> QueryPlan:
        window = self.offsets.window(self.kafka, topic or self.topic, as_of, newest)
        table = TablePlan(
            "v",
            topic or self.topic,
            self.kafka,
            window,
            PartRead("text", STRING),
            PartRead("json", KIND),
            columns=COLUMNS,
            watched=WATCHED,
        )
        return QueryPlan(sql, (table,), limit, 60)


def _memory(request: pytest.FixtureRequest) -> Iterator[Made]:
    drifted = [{"key": "k", "value": body} for body in DRIFTED]
    topics = MemoryTopics({"t": RECORDS, "d": [*RECORDS, *drifted]})
    yield Made(MemoryEngine(topics), topics, "t", {}, "d")


def _spark(request: pytest.FixtureRequest, small: bool = False) -> Iterator[Made]:
    """`small`: windows are read by Weir, not by Spark."""
    from confluent_kafka import Producer
    from confluent_kafka.admin import AdminClient, NewTopic

    from policies.adapters.kafka.offsets import KafkaOffsets
    from policies.adapters.kafka.windows import KafkaWindows
    from policies.adapters.spark.engine import SparkEngine
    from policies.adapters.spark.sessions import Sessions

    stack = request.getfixturevalue("stack")
    topic = f"policies-contract-{uuid.uuid4().hex[:8]}"
    admin, producer = AdminClient({"bootstrap.servers": stack.kafka}), Producer({"bootstrap.servers": stack.kafka})
    drifted = f"{topic}-drifted"
    for future in admin.create_topics([NewTopic(t, 1, 1) for t in (topic, drifted)]).values():
        future.result(30)
    for each in (topic, drifted):
        for record in RECORDS:
            producer.produce(each, json.dumps(record["value"]).encode(), str(record["key"]).encode(), 0)
    for body in DRIFTED:
        producer.produce(drifted, body, b"k", 0)
    assert producer.flush(30) == 0
    sessions = Sessions(stack.engine, 1)
    windows = KafkaWindows() if small else None
    engine = SparkEngine(sessions, windows=windows)
    yield Made(engine, KafkaOffsets(), topic, {"kafka.bootstrap.servers": stack.kafka}, drifted)
    sessions.close()
    if windows is not None:
        windows.close()
    for future in admin.delete_topics([topic, drifted]).values():
        future.result(30)


ENGINES: dict[str, Callable[[pytest.FixtureRequest], Iterator[Made]]] = {
    "memory": _memory,
    "spark": _spark,
    "spark, small windows": partial(_spark, small=True),
}
_REAL = [pytest.param(name, marks=pytest.mark.integration) for name in ENGINES if name != "memory"]


@pytest.fixture(scope="module", params=["memory", *_REAL])
def case(request: pytest.FixtureRequest) -> Iterator[Made]:
    yield from ENGINES[request.param](request)


def _rows(result: Any) -> list[list[object]]:
    return sorted(result.rows, key=lambda row: str(row[0]))


def test_a_star_gives_the_columns_of_the_view_in_order(case: Made) -> None:
    result = case.engine.run(case.plan())
    assert [c.name for c in result.columns] == [name for name, _ in COLUMNS]
    assert [c.type for c in result.columns] == [
        "string",
        "int",
        "array<string>",
        "struct<city:string>",
        "string",
        "int",
        "bigint",
    ]
    assert _rows(result)[:2] == [
        ["o0", None, ["a", "0"], {"city": "Köln"}, "k0", 0, 0],
        ["o1", 1, ["a", "1"], {"city": "Köln"}, "k1", 0, 1],
    ]
    assert len(result.rows) == 6
    assert not result.truncated


def test_the_limit_cuts_rows_off_and_says_so(case: Made) -> None:
    result = case.engine.run(case.plan(limit=4))
    assert (len(result.rows), result.truncated) == (4, True)
    exact = case.engine.run(case.plan(limit=6))
    assert (len(exact.rows), exact.truncated) == (6, False)


def test_only_the_window_is_read(case: Made) -> None:
    newest = case.engine.run(case.plan(newest=2))
    assert [row[0] for row in _rows(newest)] == ["o4", "o5"]
    oldest = case.engine.run(case.plan(newest=2, as_of=AsOf(earliest=True)))
    assert [row[0] for row in _rows(oldest)] == ["o0", "o1"]


def test_values_that_do_not_fit_are_counted_by_place(case: Made) -> None:
    """What fits is there, in the same record and in the same array; a record that is not JSON is counted once."""
    result = case.engine.run(case.plan(topic=case.drifted))
    assert _rows(result)[-4:] == [
        ["x0", None, ["a", '["b"]'], None, "k", 0, 6],
        ["x1", None, None, {"city": "Bonn"}, "k", 0, 7],
        ["x2", None, None, None, "k", 0, 8],
        ["x3", 7, None, None, "k", 0, 9],
    ]
    assert result.unreadable == {"v": {"value": 1, "value.n": 3, "value.tags": 1, "value.at": 1}}


def test_nothing_is_counted_where_all_fits(case: Made) -> None:
    assert case.engine.run(case.plan()).unreadable == {}


def test_only_watched_places_are_counted(case: Made) -> None:
    """A place that is not watched is hidden from the asker: not even a zero is there of it."""
    plan = case.plan(topic=case.drifted)
    few = replace(plan, tables=(replace(plan.tables[0], watched=(("tags", "value.tags"),)),))
    assert case.engine.run(few).unreadable == {"v": {"value.tags": 1}}


def test_an_empty_window_gives_no_rows(case: Made) -> None:
    plan = case.plan()
    empty = replace(plan, tables=(replace(plan.tables[0], window=Window((Range(0, 3, 3),))),))
    result = case.engine.run(empty)
    assert result.rows == []
    assert [c.name for c in result.columns] == [name for name, _ in COLUMNS]


def test_chosen_columns_take_the_name_that_was_asked(case: Made) -> None:
    result = case.engine.run(case.plan("SELECT `n`, `ID` FROM `v` AS `t`"))
    assert [c.name for c in result.columns] == ["n", "ID"]


def test_an_unknown_column_is_named(case: Made) -> None:
    with pytest.raises(QueryFailed) as caught:
        case.engine.run(case.plan("SELECT `nope` FROM `v` AS `t`"))
    assert "nope" in caught.value.details["name"]


def test_check_reads_nothing_and_tells_names_and_types(case: Made) -> None:
    assert case.engine.check(case.plan("SELECT `n`, `tags` FROM `v` AS `t`")) == [
        ("n", "int"),
        ("tags", "array<string>"),
    ]
    with pytest.raises(QueryFailed):
        case.engine.check(case.plan("SELECT `nope` FROM `v` AS `t`"))


@pytest.fixture
def spark(request: pytest.FixtureRequest) -> Iterator[Made]:
    yield from _spark(request)


@pytest.mark.sampled(2)
@pytest.mark.integration
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(n), count(n) FROM v",
        "SELECT id FROM v WHERE n > 3",
        "SELECT a.id FROM v a JOIN v b ON a.id = b.id",
        "SELECT id FROM v WHERE n IN (SELECT n FROM v)",
        "WITH c AS (SELECT n FROM v) SELECT count(*) FROM c UNION ALL SELECT sum(n) FROM c",
        "SELECT id FROM v ORDER BY n LIMIT 1",
    ],
)
def test_a_query_of_any_form_counts_all_records_it_reads(spark: Made, sql: str) -> None:
    """Conditions of the query have no part in the counts: they are observed before them."""
    result = spark.engine.run(spark.plan(sql, topic=spark.drifted))
    assert result.unreadable == {"v": {"value": 1, "value.n": 3, "value.tags": 1, "value.at": 1}}


@pytest.mark.integration
def test_records_of_a_row_filter_are_not_counted(spark: Made) -> None:
    plan = spark.plan("SELECT n FROM v", topic=spark.drifted)
    table = replace(plan.tables[0], filters=("weir_value.`id` IN ('x1', 'x3')",))
    result = spark.engine.run(replace(plan, tables=(table,)))
    assert result.unreadable == {"v": {"value.n": 1, "value.tags": 1}}


@pytest.mark.integration
def test_batches_count_when_they_are_over(spark: Made) -> None:
    with spark.engine.open(spark.plan("SELECT n FROM v", topic=spark.drifted)) as batches:
        assert batches.unreadable is None
        assert sum(each.num_rows for each in batches) == 11
        counted = batches.unreadable
        assert counted is not None and counted["v"]["value.n"] == 3


@pytest.mark.integration
def test_a_long_query_tells_how_far_it_came(spark: Made) -> None:
    shares: list[float] = []
    plan = spark.plan("SELECT sum(id % 7) FROM range(0, 200000000000, 1, 40)")

    def hear(share: float) -> None:
        shares.append(share)
        plan.stop.stop("was seen to report")

    with pytest.raises(QueryCancelled):
        spark.engine.run(replace(plan, progress=hear))
    assert shares and all(0 <= share <= 1 for share in shares)
