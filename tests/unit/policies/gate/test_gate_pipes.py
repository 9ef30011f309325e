"""Steps of a pipe each work on what the step before gave; words that sqlglot would write back as others."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import SqlRefused
from policies.gate import gate


def rendered(sql: str) -> str:
    verdict = gate.check(sql)
    return verdict.render({ref: ref.name for ref in verdict.tables}).replace("`", "")


@pytest.mark.parametrize(
    ("sql", "runs"),
    [
        ("FROM t |> LIMIT 3 |> WHERE a > 1", "SELECT * FROM (SELECT * FROM t AS t LIMIT 3) AS t WHERE (a > 1)"),
        (
            "FROM t |> SELECT DISTINCT a |> ORDER BY a |> LIMIT 1 OFFSET 1",
            "SELECT * FROM (SELECT DISTINCT a FROM t AS t) ORDER BY a LIMIT 1 OFFSET 1",
        ),
        ("FROM t p |> WHERE p.a > 2 |> WHERE p.b < 3", "SELECT * FROM t AS p WHERE (p.a > 2) AND (p.b < 3)"),
        (
            "FROM t |> AGGREGATE count(*) AS n GROUP BY upper(a) AS a",
            "SELECT upper(a) AS a, count(*) AS n FROM t AS t GROUP BY upper(a)",
        ),
        ("FROM t |> AGGREGATE GROUP BY a b", "SELECT a AS b FROM t AS t GROUP BY a"),
        (
            "FROM t |> EXTEND a + 1 AS b |> DROP a, c",
            "SELECT * EXCEPT (a, c) FROM (SELECT *, a + 1 AS b FROM t AS t) AS t",
        ),
        (
            "FROM t |> LEFT JOIN u ON t.a = u.a |> JOIN v ON u.b = v.b |> SELECT t.a",
            "SELECT t.a FROM t AS t LEFT JOIN u AS u ON t.a = u.a JOIN v AS v ON u.b = v.b",
        ),
        (
            "FROM t |> AS u |> JOIN u AS x ON u.a = x.a",
            "SELECT * FROM (SELECT * FROM t AS t) AS u JOIN u AS x ON u.a = x.a",
        ),
        (
            "FROM t |> LIMIT 1 |> UNION ALL (FROM t |> OFFSET 2) |> ORDER BY a",
            "SELECT * FROM ((SELECT * FROM t AS t LIMIT 1) UNION ALL (SELECT * FROM t AS t OFFSET 2)) ORDER BY a",
        ),
        ("VALUES (1, 2) |> SELECT col1", "SELECT col1 FROM VALUES (1, 2)"),
        ("FROM t |> SELECT a |> TABLESAMPLE (3 ROWS)", "SELECT * FROM (SELECT a FROM t AS t) TABLESAMPLE (3 ROWS)"),
        (
            "FROM t |> SELECT a |> PIVOT (sum(b) FOR a IN (1))",
            "SELECT * FROM (SELECT a FROM t AS t) PIVOT(sum(b) FOR a IN (1))",
        ),
        ("FROM t |> TABLESAMPLE (3 ROWS)", "SELECT * FROM (SELECT * FROM t AS t) TABLESAMPLE (3 ROWS)"),
    ],
)
def test_a_step_works_on_what_came_before(sql: str, runs: str) -> None:
    assert rendered(sql) == runs


@pytest.mark.parametrize(
    ("sql", "message", "column"),
    [
        ("FROM t |> SET a = 1", "The step SET is not one that Weir knows", 11),
        ("FROM t |> SELECT a WHERE b", "A step SELECT names columns", 20),
        ("FROM t |> AGGREGATE count(*) GROUP BY 1", "takes columns by their names", 39),
        ("FROM t |>", "A |> has no step behind it", 10),
        ("FROM t |> WHERE reflect('a', 'b')", "reflect is not allowed", 17),
        ("SELECT ? FROM t", "Parameters are not filled in", 8),
        ("SELECT a FROM t WHERE a = :id", "Parameters are not filled in", 27),
        ("SELECT DISTINCT ON (a) b FROM t", "DISTINCT ON is not Spark's", 21),
        ("SELECT a FROM t WHERE a = SOME (SELECT 1)", "write EXISTS, IN, max or min", 40),
        ("SELECT a AT TIME ZONE 'UTC' FROM t", "from_utc_timestamp", 8),
        ("SELECT string_to_array(a) FROM t", "write split(text, ',')", 8),
        ("SELECT dateformat(a, 'y') FROM t", "did you mean date_format?", 8),
        ("SELECT a RLIKE '(' FROM t", "mind its brackets", 8),
    ],
)
def test_what_is_not_taken_is_said_with_its_place(sql: str, message: str, column: int) -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check(sql)
    assert message in caught.value.message
    assert caught.value.details["column"] == column


@pytest.mark.parametrize(
    ("sql", "runs"),
    [
        ("SELECT current_timestamp FROM t", "SELECT current_timestamp() FROM t AS t"),
        ("SELECT CURRENT_TIMESTAMP - INTERVAL 1 DAY", "SELECT current_timestamp() - INTERVAL '1' DAY"),
        ("SELECT a << 2 << 1, 8 >> a FROM t", "SELECT shiftleft(shiftleft(a, 2), 1), shiftright(8, a) FROM t AS t"),
        (
            "SELECT trim(LEADING FROM a), trim(LEADING 'x' FROM a) FROM t",
            "SELECT ltrim(a), TRIM(LEADING 'x' FROM a) FROM t AS t",
        ),
        (
            "SELECT * FROM (WITH s AS (SELECT 1) SELECT * FROM s) a CROSS JOIN (WITH s AS (SELECT 2) SELECT * FROM s) b",
            "SELECT * FROM (WITH s AS (SELECT 1) SELECT * FROM s) AS a CROSS JOIN (WITH s AS (SELECT 2) SELECT * FROM s) AS b",
        ),
    ],
)
def test_words_keep_their_meaning(sql: str, runs: str) -> None:
    assert rendered(sql) == runs


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT repeat('a', 10000) RLIKE '.*foo.*'",
        "SELECT repeat(a, 10000) LIKE '%a%' FROM t",
        "SELECT a RLIKE '.*.*b' FROM t",
        "SELECT regexp_extract(concat_ws(',', a, b, c), '^(.*),(.*),(.*),(.*)$', 1) FROM t",
        "SELECT split(repeat('a,', 900), ','), regexp_replace(repeat('a ', 900), '\\\\s+$', '')",
        "SELECT regexp_replace(array_join(collect_list(a), ','), '\\\\s+,', ',') FROM t",
    ],
)
def test_everyday_patterns_on_long_texts_pass(sql: str) -> None:
    gate.check(sql)


def test_a_pipe_can_be_a_push_query() -> None:
    verdict = gate.check("FROM orders |> WHERE amount > 5 |> SELECT id, amount EMIT CHANGES")
    assert verdict.emit_changes and verdict.stream_problem() is None


@given(
    st.lists(
        st.sampled_from(
            [
                "WHERE a > 1",
                "LIMIT 2",
                "SELECT a, b",
                "SELECT DISTINCT a",
                "EXTEND a + 1 AS c",
                "DROP a",
                "ORDER BY a",
                "AS u",
                "OFFSET 1",
                "AGGREGATE count(*) AS n GROUP BY a",
                "JOIN v ON v.a = 1",
                "UNION ALL (SELECT 1)",
                "TABLESAMPLE (2 ROWS)",
            ]
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=150, deadline=None)
def test_no_step_is_lost(steps: list[str]) -> None:
    """Whatever the order, each step is in what runs, once."""
    runs = rendered("FROM t |> " + " |> ".join(steps))
    words = {
        "WHERE": "WHERE",
        "LIMIT": "LIMIT",
        "SELECT DISTINCT": "DISTINCT",
        "EXTEND": "a + 1 AS c",
        "DROP": "EXCEPT",
    }
    words |= {"OFFSET": "OFFSET", "AGGREGATE": "count(*)", "JOIN": "JOIN v", "UNION": "UNION ALL"}
    words["TABLESAMPLE"] = "TABLESAMPLE"
    for step, word in words.items():
        asked = sum(each.startswith(step) for each in steps)
        together = sum(a == b == "WHERE a > 1" for a, b in itertools.pairwise(steps)) if step == "WHERE" else 0
        assert runs.count(word) + together >= asked
