"""SHOW, DESCRIBE and EXPLAIN as they are read; what they answer is in tests/features/queries/test_query_catalog_http.py."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import SqlRefused
from policies.sql.statements import About, Statement, names_table, read


@pytest.mark.parametrize(
    ("sql", "statement"),
    [
        ("SHOW TABLES", Statement(About.TABLES, "SHOW TABLES")),
        (
            "-- all\n show /* x */ tables in prod like 'ord*';",
            Statement(About.TABLES, "SHOW TABLES", ("prod",), 31, pattern="ord*"),
        ),
        ("SHOW TABLES '%mail%'", Statement(About.TABLES, "SHOW TABLES", pattern="%mail%")),
        ("SHOW COLUMNS FROM `a-b` IN prod", Statement(About.COLUMNS, "SHOW COLUMNS", ("prod", "a-b"), 18)),
        ("SHOW SCHEMAS LIKE 'p*|q*'", Statement(About.CLUSTERS, "SHOW SCHEMAS", pattern="p*|q*")),
        ("SHOW FUNCTIONS LIKE 'date*'", Statement(About.FUNCTIONS, "SHOW FUNCTIONS", pattern="date*")),
        ("DESC orders", Statement(About.DESCRIPTION, "DESCRIBE", ("orders",), 5)),
        (
            "DESCRIBE TABLE EXTENDED prod.orders",
            Statement(About.DESCRIPTION, "DESCRIBE", ("prod", "orders"), 24, extended=True),
        ),
        (
            "DESCRIBE orders customer.email",
            Statement(About.DESCRIPTION, "DESCRIBE", ("orders",), 9, ("customer", "email"), column_at=16),
        ),
        ("DESCRIBE table", Statement(About.DESCRIPTION, "DESCRIBE", ("table",), 9)),
        ("DESCRIBE extended", Statement(About.DESCRIPTION, "DESCRIBE", ("extended",), 9)),
        ("DESCRIBE QUERY\nSELECT 1", Statement(About.RESULT, "DESCRIBE QUERY", query=" " * 14 + "\nSELECT 1")),
        ("EXPLAIN FORMATTED SELECT 1", Statement(About.PLAN, "EXPLAIN", query=" " * 18 + "SELECT 1")),
        ("EXPLAIN (SELECT 1)", Statement(About.PLAN, "EXPLAIN", query=" " * 8 + "(SELECT 1)")),
    ],
)
def test_statements(sql: str, statement: Statement) -> None:
    assert read(sql) == statement


@pytest.mark.parametrize(
    "sql", ["SELECT 1", "", "showing", "explained", "WITH show AS (SELECT 1) TABLE show", "TABLE orders", "'SHOW'"]
)
def test_what_begins_otherwise_is_left_to_the_gate(sql: str) -> None:
    assert read(sql) is None


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SHOW", "SHOW TABLES"),
        ("SHOW CREATE TABLE orders", "DESCRIBE shows one topic"),
        ("SHOW GRANTS", "SHOW TABLES"),
        ("SHOW COLUMNS orders", "SHOW COLUMNS FROM orders"),
        ("SHOW TABLES LIKE x", "a pattern in quotes"),
        ("DESCRIBE", "Name the topic"),
        ("DESCRIBE FUNCTION sum", "not a function"),
        ("DESCRIBE orders-v2", "back-quotes"),
        ("EXPLAIN", "takes a query"),
        ("EXPLAIN ANALYZE SELECT 1", "runs nothing"),
        ("SHOW TABLES; SELECT 1", "One statement"),
        ("DESCRIBE orders customer.email more", "ends before this"),
        ("SHOW TABLES IN", "A name is missing"),
    ],
)
def test_statements_that_are_not_complete_are_refused_with_their_place(sql: str, message: str) -> None:
    with pytest.raises(SqlRefused, match=message) as error:
        read(sql)
    assert error.value.details["line"] == 1


def test_the_audit_gets_no_literals() -> None:
    answer = read("SHOW TABLES IN prod LIKE 'anna@example.eu'")
    assert answer is not None and answer.without_literals() == "SHOW TABLES prod LIKE ?"


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("ord*", "Orders", True),
        ("ORD%", "orders", True),
        ("*mail*|*.v2", "a.v2", True),
        ("orders", "orders2", False),
        ("a*a", "a", False),
        ("a_b", "axb", False),
        ("*", "", True),
        ("*a*b*", "xbxa", False),
        (None, "x", True),
    ],
)
def test_patterns_of_names(pattern: str | None, name: str, fits: bool) -> None:
    assert Statement(About.TABLES, "SHOW TABLES", pattern=pattern).fits(name) is fits


def test_a_pattern_takes_no_time() -> None:
    assert not Statement(About.TABLES, "SHOW TABLES", pattern="*a" * 2_000 + "b").fits("a" * 20_000)


def test_the_name_keeps_its_place() -> None:
    sql = "DESCRIBE\n  TABLE prod.`x``; DROP`"
    answer = read(sql)
    assert answer is not None
    query = names_table(answer, sql)
    assert query.index("`prod`") == sql.index("prod") and query.split() == ["FROM", "`prod`.`x``;", "DROP`"]
    assert query.count("\n") == sql.count("\n")


PARTS = "SHOW DESCRIBE EXPLAIN TABLES COLUMNS FROM IN LIKE 'x' a . `q` ( ) ; EXTENDED SELECT 1 - \n ' ` /* --".split(
    " "
)


@given(st.lists(st.sampled_from(PARTS), max_size=8))
def test_whatever_is_written_is_read_or_refused(parts: list[str]) -> None:
    try:
        read(" ".join(parts))
    except SqlRefused as error:
        assert error.details["line"] >= 1
