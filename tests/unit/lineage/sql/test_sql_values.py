"""Values out of SQL: none is stored or shown, and the columns are read as before."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lineage.ingest.redact import redact
from lineage.questions.queries import Lineage
from lineage.sql.columns import columns_from_sql
from lineage.sql.redacted_text import hidden, without_values
from tests.lineage_answers import as_json
from tests.lineage_samples import graph_of, run

SECRET = "Erika.Mustermann-4915112345678"


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("spark", f"SELECT a FROM t WHERE name = '{SECRET}' AND phone = 4915112345678"),
        ("spark", f'SELECT a FROM t WHERE name = "{SECRET}"'),
        ("spark", f"SELECT a FROM t WHERE name = 'it\\'s {SECRET}' AND b = 'x'"),
        ("postgres", f"SELECT a FROM t WHERE name = 'c:\\' OR b = '{SECRET}'"),
        ("postgres", f"SELECT a FROM t WHERE name = 'O''{SECRET}'"),
        ("postgres", f"SELECT a FROM t WHERE name = $x${SECRET}$x$ AND n = E'{SECRET}'"),
        ("snowflake", f"SELECT a FROM t WHERE b = $${SECRET}$$"),
        ("mysql", f"INSERT INTO t (a, b) VALUES ('{SECRET}', 4915112345678), (X'4915112345678', 4.915112345678e12)"),
        ("trino", f"SELECT a -- {SECRET}\nFROM t /* {SECRET} */ WHERE b IN ('{SECRET}')"),
        ("flink", f"EXECUTE STATEMENT SET BEGIN INSERT INTO o SELECT a FROM t WHERE b = '{SECRET}'; END;"),
        ("", f"SELECT json_object('name', '{SECRET}'), date '{SECRET}' FROM t WHERE x = '{SECRET}"),
    ],
)
def test_values_are_hidden(dialect: str, sql: str) -> None:
    clean = without_values(sql, dialect)
    assert "Mustermann" not in clean and "49151" not in clean and "4.915" not in clean
    assert without_values(clean, dialect) == clean
    assert "'" not in hidden(clean).replace("json_object('name'", "")


@pytest.mark.parametrize(
    ("dialect", "sql"),
    [
        ("spark", "CREATE TABLE o AS SELECT get_json_object(a, '$.user.id') AS u, b['k'] AS k FROM t GROUP BY 1, 2"),
        ("spark", "INSERT INTO o SELECT named_struct('x', a, 'y', 'v') AS s, CAST(b AS DECIMAL(10, 2)) AS d FROM t"),
        (
            "flink",
            "CREATE TABLE k (a STRING) WITH ('connector' = 'kafka', 'topic' = 'orders'); INSERT INTO o SELECT a FROM k",
        ),
        ("ksqldb", "CREATE STREAM s (a STRING) WITH (KAFKA_TOPIC='orders', VALUE_FORMAT='JSON')"),
        ("postgres", "INSERT INTO o SELECT a ->> 'x', \"Some Name\" FROM t WHERE b LIKE 'x%' ORDER BY 2 LIMIT 500"),
        ("bigquery", "CREATE TABLE o AS SELECT JSON_VALUE(a, '$.b') AS v FROM `p.d.t` WHERE c = 'x'"),
    ],
)
def test_columns_are_read_as_before(dialect: str, sql: str) -> None:
    before, after = columns_from_sql(sql, dialect), columns_from_sql(without_values(sql, dialect), dialect)
    assert (after.edges, after.topics, after.unknown) == (before.edges, before.topics, before.unknown)


@example("B$$x$$", "spark")
@example("N$a$x$a$", "postgres")
@example(".0A", "")
@example(".5e-3", "")
@example("1e-3e-4", "")
@example("'a'\"b\"", "spark")
@example("$.1E0x$E", "")
@given(
    st.text(max_size=80) | st.text(".015eExXbn+-$@'\"` /*\n", max_size=20),
    st.sampled_from(["", "spark", "postgres", "bigquery"]),
)
def test_any_text_is_taken_and_the_second_time_changes_nothing(text: str, dialect: str) -> None:
    once = without_values(text, dialect)
    assert without_values(once, dialect) == once


@given(st.text(st.characters(categories=["L", "N", "Z"]), min_size=4, max_size=30).map(lambda text: f"qqq{text}zzz"))
def test_no_literal_survives(value: str) -> None:
    assert "qqq" not in without_values(f"SELECT a FROM t WHERE b = '{value}' AND c IN ('{value}', '{value}')", "spark")


def test_neither_the_log_nor_the_graph_nor_an_answer_holds_a_value() -> None:
    event: dict[str, Any] = run(
        0, ["a"], ["b"], job_facets={"sql": {"query": f"INSERT INTO b SELECT x FROM a WHERE n = '{SECRET}'"}}
    )
    assert SECRET not in str(redact(event))
    graph = graph_of(event)
    assert as_json(Lineage(graph).job("job:jobs:etl"))["sql"] == "INSERT INTO b SELECT x FROM a WHERE n = ?"
    from lineage.fold.job_ledger import Book

    assert not any(SECRET in str(Book.load(book.document, 1).facts) for book in graph._store.books.values())


@pytest.mark.parametrize(
    "sql", ["SELECT a FROM t WHERE a LIKE'ana'", "SELECT 0'ana'", "SELECT a FROM t WHERE b IN('ana')"]
)
def test_a_text_right_behind_a_word_is_hidden(sql: str) -> None:
    assert "ana" not in without_values(sql, "spark")
