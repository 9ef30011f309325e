"""Functions that give several columns, time windows, and INSERT by name: right, or reported as unknown."""

from __future__ import annotations

import pytest

from lineage.sql.columns import columns_from_sql
from lineage.sql.model import Columns

KNOWN: dict[str, Columns] = {
    "orders": {"id": None, "items": {"[]": {"sku": None, "qty": None}}, "amount": None, "ts": None, "payload": None},
    "users": {"id": None, "email": None},
    "sink": {"a": None, "b": None},
    "m": {"attrs": None},
}


def rows(sql: str, dialect: str = "spark") -> set[str]:
    return {
        f"{'.'.join(edge.source.path)} > {'.'.join(edge.field or ('*',))} {edge.way.subtype}"
        for edge in columns_from_sql(sql, dialect, KNOWN).edges
    }


CASES = [
    ("spark", "SELECT inline(items) FROM orders", {"items.[].sku > sku IDENTITY", "items.[].qty > qty IDENTITY"}),
    ("spark", "SELECT inline(items) AS (s, q) FROM orders", {"items.[].sku > s IDENTITY", "items.[].qty > q IDENTITY"}),
    (
        "spark",
        "SELECT stack(2, 'a', id, 'b', amount) FROM orders",
        {"id > col1 TRANSFORMATION", "amount > col1 TRANSFORMATION"},
    ),
    (
        "spark",
        "SELECT stack(2, ts, id, ts, amount) AS (t, v) FROM orders",
        {"ts > t TRANSFORMATION", "id > v TRANSFORMATION", "amount > v TRANSFORMATION"},
    ),
    (
        "spark",
        "SELECT t, v FROM orders LATERAL VIEW stack(2, ts, id, ts, amount) s AS t, v",
        {"ts > t TRANSFORMATION", "id > v TRANSFORMATION", "amount > v TRANSFORMATION"},
    ),
    ("spark", "SELECT explode(items) FROM orders", {"items.[] > col IDENTITY"}),
    ("spark", "SELECT col.sku FROM (SELECT explode(items) FROM orders) q", {"items.[].sku > sku IDENTITY"}),
    ("spark", "SELECT posexplode(items) AS (p, i) FROM orders", {"items.[] > i IDENTITY"}),
    ("spark", "SELECT explode(attrs) AS (k, v) FROM m", {"attrs > k TRANSFORMATION", "attrs.[] > v IDENTITY"}),
    (
        "spark",
        "SELECT json_tuple(payload, 'x', 'y') AS (a, b) FROM orders",
        {"payload.x > a TRANSFORMATION", "payload.y > b TRANSFORMATION"},
    ),
    (
        "spark",
        "SELECT TRANSFORM(id, email) USING 'cat' AS (a) FROM users",
        {"id > a TRANSFORMATION", "email > a TRANSFORMATION"},
    ),
    (
        "spark",
        "SELECT window.start, sum(amount) AS s FROM orders GROUP BY window(ts, '5 minutes'), id",
        {"ts > start TRANSFORMATION", "amount > s AGGREGATION", "ts > * GROUP_BY", "id > * GROUP_BY"},
    ),
    ("spark", "SELECT window(ts, '5 minutes'), id FROM orders", {"ts > window TRANSFORMATION", "id > id IDENTITY"}),
    ("spark", "SELECT row_number() OVER w AS n FROM orders WINDOW w AS (PARTITION BY id)", {"id > n WINDOW"}),
    (
        "flink",
        "INSERT INTO sink SELECT JSON_VALUE(payload, '$.u' RETURNING INT DEFAULT 0 ON EMPTY NULL ON ERROR), id FROM orders",
        {"payload > a TRANSFORMATION", "id > b IDENTITY"},
    ),
    (
        "flink",
        "INSERT INTO sink SELECT JSON_QUERY(JSON_VALUE(payload, '$.u'), '$.v' WITH WRAPPER), id FROM orders",
        {"payload > a TRANSFORMATION", "id > b IDENTITY"},
    ),
    (
        "ksqldb",
        "INSERT INTO sink SELECT email AS b, id AS a FROM users EMIT CHANGES",
        {"email > b IDENTITY", "id > a IDENTITY"},
    ),
    ("flink", "INSERT INTO sink SELECT email AS b, id AS a FROM users", {"email > a IDENTITY", "id > b IDENTITY"}),
]


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_columns(dialect: str, sql: str, expected: set[str]) -> None:
    answer = columns_from_sql(sql, dialect, KNOWN)
    assert (rows(sql, dialect), answer.unknown) == (expected, [])


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT inline(payload) FROM orders",
        "SELECT stack(n, id, amount) FROM orders",
        "SELECT explode(attrs) FROM m",
        "SELECT inline(items) AS (one) FROM orders",
        "SELECT something(id) AS (a, b) FROM users",
        "SELECT * FROM users PIVOT (max(id) FOR email IN ('?', '?'))",
    ],
)
def test_what_cannot_be_told_is_reported(sql: str) -> None:
    assert columns_from_sql(sql, "spark", KNOWN).unknown
