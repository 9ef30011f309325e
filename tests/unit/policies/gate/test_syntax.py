"""Slips of the pen are named where they are, with what to write instead; values are not repeated."""

from __future__ import annotations

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT TOP 10 a FROM t", "write LIMIT at the end"),
        ("SELECT a b c FROM t", "A comma may be missing before c."),
        ("SELECT a FROM t WHERE", "ends too early, behind WHERE"),
        ("SELECT a FROM t ORDER BY", "ends too early, behind BY"),
        ("SELECT (a FROM t", "A bracket is not closed."),
        ("SELECT a) FROM t", "A bracket is closed that was not opened."),
        ("SELECT * FROM orders-v2", "goes in back-quotes"),
        ("SELECT * FROM prod/orders", "there is a dot: prod.orders"),
        ("SELECT a INTO b FROM t", "INTO is not allowed"),
        ("SELECT generate_series(1, 5)", "write explode(sequence(start, stop, step))"),
        ("SELECT a->>'x' FROM t", "get_json_object"),
        ("SELECT x FROM UNNEST(a) t", "LATERAL VIEW explode"),
        ("DELETE FROM t", "Topics are read here, not written."),
        ("SET a = 1", "There are no settings"),
        ("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT * FROM t", "Spark 4.0"),
    ],
)
def test_slips(sql: str, message: str) -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check(sql)
    assert message in error.value.message


def test_an_open_quote_has_its_place() -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check("SELECT a FROM t\n WHERE a = 'x")
    assert (error.value.details["line"], error.value.details["column"]) == (2, 12)


@pytest.mark.parametrize(
    "sql", ["SELECT a FROM t WHERE b b = 'anna@example.eu'", "SELECT a b 'anna@example.eu' FROM t"]
)
def test_a_text_is_not_repeated(sql: str) -> None:
    with pytest.raises(SqlRefused) as error:
        gate.check(sql)
    assert "anna" not in error.value.message
