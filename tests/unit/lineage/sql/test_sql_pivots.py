"""PIVOT, UNPIVOT, MATCH_RECOGNIZE and Flink's own forms: columns where they can be known, else reported and left open."""

from __future__ import annotations

import pytest

from lineage.sql.columns import columns_from_sql
from lineage.sql.model import Columns
from lineage.sql.redacted_text import without_values

KNOWN: dict[str, Columns] = {
    "sales": {"shop": None, "region": None, "amount": None, "price": None},
    "quarters": {"shop": None, "q1": None, "q2": None, "q3": None},
    "ticks": {"symbol": None, "ts": None, "price": None, "m": None},
    "users": {"id": None, "email": None},
    "sink": {"a": None, "b": None},
    "three": {"a": None, "b": None, "c": None},
}


def rows(sql: str, dialect: str, direct: bool = True) -> set[str]:
    return {
        f"{'.'.join(edge.source.path)} > {'.'.join(edge.field or ('*',))} {edge.way.subtype}"
        for edge in columns_from_sql(sql, dialect, KNOWN).edges
        if not direct or edge.way.type == "DIRECT"
    }


_STEPS = "PARTITION BY symbol ORDER BY ts MEASURES A.price AS low, LAST(B.ts) AS at"
_PATTERN = "AFTER MATCH SKIP PAST LAST ROW PATTERN (A B+) DEFINE B AS B.price > PREV(B.price)"
_ONE = f"ticks MATCH_RECOGNIZE ({_STEPS} ONE ROW PER MATCH {_PATTERN})"
_WITHIN = _ONE.replace("DEFINE", "WITHIN INTERVAL '1' HOUR DEFINE")
_ALL = f"ticks MATCH_RECOGNIZE ({_STEPS} ALL ROWS PER MATCH {_PATTERN})"

CASES = [
    ("spark", "SELECT shop, EU FROM (SELECT shop, region, amount FROM sales) PIVOT (sum(amount) FOR region IN ('EU', 'US'))", {
        "shop > shop IDENTITY", "amount > EU AGGREGATION"}),
    ("spark", "SELECT * FROM sales PIVOT (sum(amount) AS s, max(price) AS p FOR region IN ('EU' AS eu, 'US' AS us)) AS t", {
        "shop > shop IDENTITY", "amount > eu_s AGGREGATION", "price > eu_p AGGREGATION", "amount > us_s AGGREGATION",
        "price > us_p AGGREGATION"}),
    ("bigquery", "SELECT p.s_eu FROM sales PIVOT (sum(amount) AS s FOR region IN ('EU' AS eu)) AS p", {
        "amount > s_eu AGGREGATION"}),
    ("tsql", "SELECT * FROM (SELECT shop, region, amount FROM sales) AS x PIVOT (SUM(amount) FOR region IN ([EU], [US])) AS p", {
        "shop > shop IDENTITY", "amount > EU AGGREGATION", "amount > US AGGREGATION"}),
    ("snowflake", "SELECT c FROM (SELECT shop, region, amount FROM sales) PIVOT (sum(amount) FOR region IN ('EU')) AS p (s, c)", {
        "amount > c AGGREGATION"}),
    ("spark", "INSERT INTO sink SELECT * FROM (SELECT shop, amount, region FROM sales) PIVOT (sum(amount) FOR region IN ('EU'))", {
        "shop > a IDENTITY", "amount > b AGGREGATION"}),
    ("spark", "SELECT eu, other FROM mystery PIVOT (sum(amount) FOR region IN ('EU' AS eu))", {
        "amount > eu AGGREGATION", "other > other IDENTITY"}),
    ("spark", "SELECT * FROM quarters UNPIVOT (v FOR k IN (q1, q2 AS second)) AS u", {
        "shop > shop IDENTITY", "q3 > q3 IDENTITY", "q1 > v IDENTITY", "q2 > v IDENTITY"}),
    ("spark", "SELECT shop, v, w FROM quarters UNPIVOT ((v, w) FOR k IN ((q1, q2), (q2, q3)))", {
        "shop > shop IDENTITY", "q1 > v IDENTITY", "q2 > v IDENTITY", "q2 > w IDENTITY", "q3 > w IDENTITY"}),
    ("spark", "INSERT INTO three SELECT * FROM (SELECT shop, q1, q2 FROM quarters) UNPIVOT (v FOR k IN (q1, q2))", {
        "shop > a IDENTITY", "q1 > c IDENTITY", "q2 > c IDENTITY"}),
    ("bigquery", "INSERT INTO three SELECT * FROM (SELECT shop, q1, q2 FROM quarters) UNPIVOT (v FOR k IN (q1, q2))", {
        "shop > a IDENTITY", "q1 > b IDENTITY", "q2 > b IDENTITY"}),
    ("trino", f"SELECT * FROM {_ONE} AS t", {"symbol > symbol IDENTITY", "price > low IDENTITY", "ts > at AGGREGATION"}),
    ("snowflake", f"SELECT t.low FROM {_ONE} AS t", {"price > low IDENTITY"}),
    ("flink", f"INSERT INTO three SELECT * FROM {_WITHIN} AS t", {
        "symbol > a IDENTITY", "price > b IDENTITY", "ts > c AGGREGATION"}),
    ("trino", f"CREATE TABLE t AS SELECT * FROM {_ALL}", {
        "symbol > symbol IDENTITY", "ts > ts IDENTITY", "price > low IDENTITY", "ts > at AGGREGATION", "price > price IDENTITY",
        "m > m IDENTITY"}),
    ("trino", f"WITH x AS (SELECT * FROM {_ONE} AS t) SELECT email, low FROM x JOIN users ON x.symbol = users.id", {
        "email > email IDENTITY", "price > low IDENTITY"}),
    ("flink", "SELECT u.id, t.word FROM users AS u, LATERAL TABLE(split(u.email)) AS t(word, size)", {
        "id > id IDENTITY", "email > word TRANSFORMATION"}),
    ("flink", "SELECT id, w FROM users LEFT JOIN LATERAL TABLE(parse(email, MAP['k', id])) t(w) ON TRUE", {
        "id > id IDENTITY", "email > w TRANSFORMATION", "id > w TRANSFORMATION"}),
    ("flink", "SELECT MAP['id', id, 'mail', email] AS both FROM users", {
        "id > both TRANSFORMATION", "email > both TRANSFORMATION"}),
    ("flink", "SELECT CAST(ROW(id, email) AS ROW<x INT, y STRING>) AS r FROM users", {
        "id > r TRANSFORMATION", "email > r TRANSFORMATION"}),
    ("flink", "SELECT symbol, window_end FROM TABLE(SESSION(TABLE ticks PARTITION BY symbol, DESCRIPTOR(ts), INTERVAL '5' DAY))", {
        "symbol > symbol IDENTITY", "ts > window_end IDENTITY"}),
    ("flink", "SELECT COLLECT(id) AS ids FROM users", {"id > ids AGGREGATION"}),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql", "expected"), CASES)
def test_columns(dialect: str, sql: str, expected: set[str]) -> None:
    assert (rows(sql, dialect), columns_from_sql(sql, dialect, KNOWN).unknown) == (expected, [])


def test_what_a_pivot_groups_by_and_which_cell_a_row_falls_into_are_conditions() -> None:
    sql = "SELECT * FROM (SELECT shop, region, amount FROM sales) PIVOT (sum(amount) FOR region IN ('EU'))"
    assert rows(sql, "spark", direct=False) - rows(sql, "spark") == {"shop > * GROUP_BY", "region > EU CONDITIONAL"}


def test_what_a_pattern_matches_by_is_a_condition() -> None:
    sql = f"SELECT low FROM {_ONE}"
    expected = {"symbol > * GROUP_BY", "ts > * SORT", "price > * FILTER"}
    assert rows(sql, "trino", direct=False) - rows(sql, "trino") == expected


@pytest.mark.parametrize(("dialect", "sql"), [
    ("snowflake", "INSERT INTO sink SELECT * FROM sales PIVOT (sum(amount) FOR region IN (ANY))"),
    ("spark", "INSERT INTO sink SELECT * FROM sales PIVOT (sum(amount) FOR (region, shop) IN (('EU', 1), ('US', 2)))"),
    ("spark", "INSERT INTO sink SELECT * FROM mystery PIVOT (sum(amount) FOR region IN ('EU'))"),
    ("spark", "SELECT US FROM mystery PIVOT (sum(amount) FOR region IN ('?', '?'))"),
    ("duckdb", "PIVOT sales ON region USING sum(amount)"),
    ("trino", f"SELECT email, low FROM users, {_ONE} AS t"),
    ("trino", f"SELECT email, low FROM {_ONE} AS m JOIN users ON m.symbol = users.id"),
    ("flink", "INSERT INTO sink SELECT * FROM users, LATERAL TABLE(split(email)) AS t"),
    ("postgres", f"SELECT low FROM {_ONE}"),
])  # fmt: skip
def test_what_cannot_be_told_is_reported_and_no_column_is_guessed(dialect: str, sql: str) -> None:
    assert columns_from_sql(sql, dialect, KNOWN).unknown
    assert not rows(sql, dialect)


def test_names_that_are_values_are_not_read_off_a_stored_statement() -> None:
    plain = "INSERT INTO sink SELECT EU, shop FROM sales PIVOT (sum(amount) FOR region IN ('EU'))"
    assert rows(plain, "spark") == {"amount > a AGGREGATION", "shop > b IDENTITY"}
    stored = without_values(plain, "spark")
    assert rows(stored, "spark") == {"shop > b IDENTITY"} and columns_from_sql(stored, "spark", KNOWN).unknown
    named = without_values(plain.replace("'EU'", "'EU' AS EU"), "spark")
    assert rows(named, "spark") == {"amount > a AGGREGATION", "shop > b IDENTITY"}
