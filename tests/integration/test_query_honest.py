"""Honest queries give what Spark itself gives for the same text over data that was masked beforehand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from catalog.datatypes import MapType, Primitive, StructType, columns_ddl
from policies.adapters.kafka.offsets import KafkaOffsets
from policies.adapters.kafka.windows import KafkaWindows
from policies.adapters.spark import values
from policies.adapters.spark.engine import SparkEngine
from policies.adapters.spark.sessions import Sessions
from policies.query.service import GovernedQuery
from tests import query_batches
from tests.gate_files import statements
from tests.query_world import ANA, KEYS, ORDERS, PEOPLE, World, load, premasked, unload

pytestmark = pytest.mark.integration

HONEST = statements("honest.sql")
SYSTEM = (
    ("_key", Primitive("STRING")),
    ("_headers", MapType(Primitive("STRING"), Primitive("STRING"))),
    ("_partition", Primitive("INT")),
    ("_offset", Primitive("BIGINT")),
    ("_timestamp", Primitive("TIMESTAMP")),
)


@pytest.fixture(scope="module")
def world(stack: Any) -> Iterator[World]:
    store = load(stack.kafka, "a")
    yield store
    unload(store)


@pytest.fixture(scope="module")
def service(stack: Any, world: World) -> Iterator[GovernedQuery]:
    sessions = Sessions(stack.engine, 2)
    yield GovernedQuery(world, world, SparkEngine(sessions, windows=KafkaWindows()), KafkaOffsets(), world, KEYS)
    sessions.close()


@pytest.fixture(scope="module")
def plain(stack: Any) -> Iterator[Any]:
    """Spark as it comes, ANSI mode on, holding the masked records as tables `orders` and `people`: fields only."""
    yield from spark(stack, ())


@pytest.fixture(scope="module")
def whole(stack: Any) -> Iterator[Any]:
    """The same with system columns."""
    yield from spark(stack, SYSTEM)


def spark(stack: Any, more: Any) -> Iterator[Any]:
    from pyspark.sql.connect.session import SparkSession

    session = SparkSession.builder.remote(stack.engine).create()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.ansi.enabled", "true")
    without = StructType(tuple((n, k) for n, k in ORDERS.fields if n not in ("note", "secret")))
    for name, kind, records in zip(("orders", "people"), (without, PEOPLE), premasked("a"), strict=True):
        frame = session.createDataFrame([(json.dumps(r),) for r in records], "j STRING")
        ddl = columns_ddl(StructType((*kind.fields, *more)))
        frame.selectExpr(f"from_json(j, '{ddl}') AS r").selectExpr("r.*").createOrReplaceTempView(name)
    yield session
    session.stop()


def comparable(rows: list[list[object]], ordered: bool) -> list[str]:
    texts = [json.dumps(row, sort_keys=True, default=str) for row in rows]
    return texts if ordered else sorted(texts)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("sql", HONEST[::8], ids=range(len(HONEST[::8])))
def test_same_as_spark_over_masked_data(service: GovernedQuery, plain: Any, whole: Any, sql: str) -> None:
    """Over Kafka and one at a time, as users ask."""
    table = (whole if names_system_columns(sql) else plain).sql(sql).toArrow()
    answer = service.run(ANA, sql, "analysis")
    assert [c["type"] for c in answer.columns] == [values.type_name(f.type) for f in table.schema]
    ordered = is_ordered(sql)
    assert comparable(answer.rows, ordered) == comparable(values.rows(table), ordered)
    assert not answer.truncated


@pytest.mark.tail
def test_same_as_spark_over_masked_data_all(stack: Any, world: World, plain: Any, whole: Any) -> None:
    """All of them, many in one job on either side."""
    wrong = []
    with query_batches.batches(stack.engine) as together:
        answers = [problem for (problem,) in together.ask([world], HONEST)]
    theirs_by_sql: dict[str, Any] = {}
    for session, named in ((plain, False), (whole, True)):
        asked = [sql for sql in HONEST if names_system_columns(sql) is named]
        theirs_by_sql |= dict(zip(asked, query_batches.spark_itself(session, asked), strict=True))
    for sql, answer in zip(HONEST, answers, strict=True):
        wanted = theirs_by_sql[sql]
        if "rows" not in answer:
            wrong.append(f"{sql}: {answer}")
            continue
        # A column without an alias is named by Spark after its text, and DATE '2026-01-01' is written back as a CAST.
        names = [
            (c["name"].replace("`", "").lower(), w.name.replace("`", "").lower())
            for c, w in zip(answer["columns"], wanted.columns, strict=True)
        ]
        wrong += [
            f"{sql}: {mine} is called {theirs}" for mine, theirs in names if "cast(" not in mine and mine != theirs
        ]
        if comparable(answer["rows"], is_ordered(sql)) != comparable(wanted.rows, is_ordered(sql)):
            wrong.append(f"{sql}: {answer['rows'][:5]} should be {wanted.rows[:5]}")
    assert len(HONEST) >= 100
    assert wrong == []


STARS = {
    "SELECT *, _offset >= 0 AS there FROM people ORDER BY _timestamp, id": (
        "SELECT id, email, city, level, _offset >= 0 AS there FROM people ORDER BY id"
    ),
    "SELECT p.*, length(o._key) FROM people p JOIN orders o ON p.id = o.order_id ORDER BY p.id": (
        "SELECT p.id, p.email, p.city, p.level, length(o._key) FROM people p JOIN orders o ON p.id = o.order_id"
        " ORDER BY p.id"
    ),
    "SELECT count(DISTINCT *) FROM people WHERE _offset IS NOT NULL": (
        "SELECT count(DISTINCT id, email, city, level) FROM people"
    ),
    "SELECT to_json(struct(*)) FROM people WHERE _timestamp IS NOT NULL ORDER BY id": (
        "SELECT to_json(struct(id, email, city, level)) FROM people ORDER BY id"
    ),
    "SELECT * EXCEPT (_offset, city) FROM people ORDER BY id": "SELECT id, email, level FROM people ORDER BY id",
    "SELECT * FROM people p NATURAL JOIN (SELECT id, _offset AS o FROM people) q ORDER BY id": (
        "SELECT id, email, city, level, _offset AS o FROM people ORDER BY id"
    ),
    "FROM people |> WHERE _offset >= 0 |> EXTEND level * 2 AS d |> ORDER BY id": (
        "SELECT id, email, city, level, level * 2 AS d FROM people ORDER BY id"
    ),
    "SELECT * FROM (SELECT *, _timestamp FROM people) WHERE _timestamp IS NOT NULL ORDER BY id": (
        "SELECT id, email, city, level, _timestamp FROM people ORDER BY id"
    ),
}
"""A star together with the name of a system column -> the same without a star."""


@pytest.mark.parametrize("sql", STARS, ids=range(len(STARS)))
def test_a_star_leaves_out_system_columns_that_the_query_names(service: GovernedQuery, sql: str) -> None:
    answer, plainly = service.run(ANA, sql, "analysis"), service.run(ANA, STARS[sql], "analysis")
    assert answer.rows == plainly.rows
    assert [c["type"] for c in answer.columns] == [c["type"] for c in plainly.columns]


def names_system_columns(sql: str) -> bool:
    return any(re.search(rf"\b{name}\b", sql) for name, _ in SYSTEM)


def is_ordered(sql: str) -> bool:
    return "ORDER BY" in sql.upper() and "OVER" not in sql.upper()


PEOPLE_ROWS = [[f"o{i}", ["Bonn", "Köln"][i % 2], i] for i in range(8)]
MASKED = [f"xxxx@example{i % 3}.eu" for i in range(12)]
BY_PYTHON: dict[str, list[list[object]]] = {
    "SELECT count(*), sum(amount), max(amount) FROM orders": [
        [12, f"{sum(10 + i for i in range(12) if i != 7)}.00", "21.00"]
    ],
    "SELECT customer.email, count(*) FROM orders WHERE customer IS NOT NULL GROUP BY 1 ORDER BY 1": [
        [f"xxxx@example{n}.eu", sum(i % 3 == n for i in range(12) if i != 5)] for n in range(3)
    ],
    "SELECT id, city, level FROM people WHERE city = 'Bonn' ORDER BY level DESC": [
        row for row in reversed(PEOPLE_ROWS) if row[1] == "Bonn"
    ],
    "SELECT o.order_id, p.level FROM orders o JOIN people p ON o.order_id = p.id WHERE p.level > 4 ORDER BY 1": [
        [f"o{i}", i] for i in (5, 6, 7)
    ],
    "SELECT count(*) FROM orders o JOIN people p ON o.customer.email = p.email": [
        [sum(MASKED[i] == MASKED[j] for i in range(12) if i != 5 for j in range(8))]
    ],
    "SELECT DISTINCT card, salary, vip FROM orders": [[0, None, None]],
    "SELECT order_id FROM orders WHERE customer.born = '1963-01-01'": [["o3"]],
    "SELECT ip FROM orders ORDER BY order_id LIMIT 3": [["10.1.0.0"], ["10.1.1.0"], ["10.1.10.0"]],
    "SELECT sum(i.qty) FROM orders LATERAL VIEW explode(items) t AS i": [
        [sum(j + i for i in range(12) if i != 6 for j in range(i % 3))]
    ],
    "SELECT id, level FROM people QUALIFY row_number() OVER (PARTITION BY city ORDER BY level DESC) = 1 ORDER BY id": [
        ["o6", 6],
        ["o7", 7],
    ],
    "SELECT p.*, lag(level) OVER (ORDER BY id) AS w FROM (SELECT id, level FROM people) p QUALIFY w IS NOT NULL"
    " ORDER BY id LIMIT 2": [["o1", 1, 0], ["o2", 2, 1]],
    "SELECT DISTINCT city FROM people QUALIFY rank() OVER (PARTITION BY city ORDER BY level) < 3 ORDER BY city": [
        ["Bonn"],
        ["Köln"],
    ],
    "SELECT city, count(*) FROM people GROUP BY city QUALIFY count(*) = 4 ORDER BY 1": [["Bonn", 4], ["Köln", 4]],
    "WITH RUNNING AS (SELECT level, sum(level) OVER (ORDER BY level) AS s FROM people) SELECT max(s) FROM running": [
        [28]
    ],
    "SELECT year(created_at), count(*) FROM orders GROUP BY 1": [[2026, 12]],
}


@pytest.mark.sampled(8)
@pytest.mark.parametrize("sql", BY_PYTHON, ids=range(len(BY_PYTHON)))
def test_rows_worked_out_by_hand(service: GovernedQuery, sql: str) -> None:
    assert service.run(ANA, sql, "analysis").rows == BY_PYTHON[sql]
