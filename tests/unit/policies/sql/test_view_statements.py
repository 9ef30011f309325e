"""CREATE, DROP and SHOW of views: what is read from a text, and where one that is not complete is wrong."""

from __future__ import annotations

import pytest

from catalog.errors import SqlRefused
from policies.sql.view_statements import ViewAction, ViewStatement, read


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("DROP VIEW a.b", ViewStatement(ViewAction.DROP, "a.b")),
        ("drop materialized view if exists `a-b`;", ViewStatement(ViewAction.DROP, "a-b", lenient=True)),
        ("SHOW VIEWS", ViewStatement(ViewAction.SHOW)),
        ("-- all\nshow materialized views like 'a''*'", ViewStatement(ViewAction.SHOW, pattern="a'*")),
    ],
)
def test_statements(sql: str, expected: ViewStatement) -> None:
    assert read(sql) == expected


def test_create_with_options() -> None:
    sql = (
        "CREATE OR REPLACE MATERIALIZED VIEW IF NOT EXISTS shop.totals /* x */\n"
        "WITH (key = ('a', 'b'), watermark = '10 minutes', partitions = 3, Run_As = rep)\n AS SELECT a, b FROM t"
    )
    statement = read(sql)
    assert statement is not None
    assert statement.name == "shop.totals" and statement.replace and statement.lenient
    assert statement.options == {"key": "a,b", "watermark": "10 minutes", "partitions": "3", "run_as": "rep"}
    assert statement.query.strip() == "SELECT a, b FROM t"
    assert statement.query.count("\n") == 2 and len(statement.query) == len(sql)


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "CREATED", "SHOW TABLES", "showviews", "WITH create AS (SELECT 1) SELECT 1"]
)
def test_what_is_none(sql: str) -> None:
    assert read(sql) is None


@pytest.mark.parametrize(
    ("sql", "sentence", "column"),
    [
        ("CREATE TABLE t AS SELECT 1", "CREATE is for stream views only", 8),
        ("CREATE", "CREATE is for stream views only", 7),
        ("DROP TOPIC t", "DROP is for stream views only", 6),
        ("CREATE VIEW", "A name is missing", 12),
        ("CREATE VIEW v", "AS and a query are missing", 14),
        ("CREATE VIEW v AS ", "A query is missing behind AS", 18),
        ("CREATE VIEW v WITH (key) AS SELECT 1", "= is missing", 24),
        ("CREATE VIEW v WITH (key = ) AS SELECT 1", "An option takes a value", 27),
        ("CREATE VIEW v WITH (a = 1, A = 2) AS SELECT 1", "The option a is given twice", 28),
        ("CREATE VIEW v WITH (a = 'x AS SELECT 1", "An option takes a value", 25),
        ("DROP VIEW a; DROP VIEW b", "One statement at a time", 12),
        ("SHOW VIEWS LIKE x", "LIKE takes a pattern in quotes", 17),
    ],
)
def test_what_is_not_complete(sql: str, sentence: str, column: int) -> None:
    with pytest.raises(SqlRefused, match=sentence) as caught:
        read(sql)
    assert caught.value.details["column"] in (column, column + 1, column - 1), caught.value.details
