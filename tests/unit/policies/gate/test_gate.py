"""The gate: what it lets through, as which text, and what it refuses, where and why."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import SqlRefused
from policies.gate import gate
from policies.sql import live
from policies.sql.names import fold, nearest
from policies.sql.windows import AsOf, read_time
from tests.gate_files import statements

REFUSED = statements("refused.sql")
HONEST = statements("honest.sql")


def rendered(sql: str) -> str:
    gated = gate.check(sql)
    return gated.render({ref: f"v{n}" for n, ref in enumerate(gated.tables)})


@pytest.mark.parametrize("sql", REFUSED)
def test_refused(sql: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check(sql)
    details = caught.value.details
    assert details["reasons"] and 1 <= details["line"] <= sql.count("\n") + 1 and details["column"] >= 1


@pytest.mark.parametrize("sql", HONEST)
def test_honest_passes_and_is_stable(sql: str) -> None:
    text = rendered(sql)
    views = {ref: ref.name for ref in gate.check(text).tables}
    assert gate.check(text).render(views) == text


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("select A from orders", "SELECT `A` FROM `v0` AS `orders`"),
        ("SELECT o.a FROM prod.orders o", "SELECT `o`.`a` FROM `v0` AS `o`"),
        ("SELECT prod.orders.a.b FROM prod.orders", "SELECT `orders`.`a`.`b` FROM `v0` AS `orders`"),
        ("SELECT `x` FROM `shop.orders`", "SELECT `x` FROM `v0` AS `shop.orders`"),
        ("FROM t SELECT a", "SELECT `a` FROM `v0` AS `t`"),
        ("SELECT POSITION('a' IN s), 'it''s' FROM t", "SELECT locate('a', `s`), 'it\\'s' FROM `v0` AS `t`"),
        ("SELECT dateadd(day, 1, d) FROM t", "SELECT dateadd(DAY, 1, `d`) FROM `v0` AS `t`"),
        ("SELECT 1 -- what\n/* ; */", "SELECT 1"),
        ("WITH t AS (SELECT * FROM t) SELECT * FROM T", "WITH `t` AS (SELECT * FROM `v0` AS `t`) SELECT * FROM `T`"),
        ("SELECT upper(a), UPPER(b) FROM t", "SELECT upper(`a`), upper(`b`) FROM `v0` AS `t`"),
    ],
)
def test_what_runs(sql: str, text: str) -> None:
    assert rendered(sql) == text


def test_tables_once_each_with_their_place() -> None:
    gated = gate.check("SELECT * FROM orders o\n JOIN prod.people p ON true JOIN orders q ON true")
    assert [ref.name for ref in gated.tables] == ["orders", "prod.people"]
    assert gated.places[gated.tables[1]] == (2, 7)


def test_a_name_of_with_is_no_table() -> None:
    gated = gate.check("WITH a AS (SELECT 1 AS x), b AS (SELECT * FROM a) SELECT * FROM b, A, c")
    assert [ref.name for ref in gated.tables] == ["c"]


@pytest.mark.parametrize(
    ("words", "window"),
    [
        ("", AsOf()),
        ("AS OF EARLIEST", AsOf(earliest=True)),
        ("AS OF '2026-01-02'", AsOf(until=read_time("2026-01-02"))),
        ("AS OF TIMESTAMP '2026-01-02T00:00:00Z'", AsOf(until=read_time("2026-01-02"))),
        ("TIMESTAMP AS OF '2026-01-02'", AsOf(until=read_time("2026-01-02"))),
        ("as of '2026-01-02' to '2026-01-03'", AsOf(read_time("2026-01-02"), read_time("2026-01-03"))),
        ("AS OF OFFSETS '1:5-, 0:10-20'", AsOf(offsets=((0, 10, 20), (1, 5, None)))),
    ],
)
def test_windows(words: str, window: AsOf) -> None:
    gated = gate.check(f"SELECT of FROM orders {words} AS o WHERE o.of = 'AS OF EARLIEST' -- AS OF EARLIEST")
    assert [ref.as_of for ref in gated.tables] == [window]


def test_one_topic_in_two_windows_is_two_tables() -> None:
    gated = gate.check("SELECT * FROM orders a JOIN orders AS OF EARLIEST b ON a.x = b.x")
    assert len(gated.tables) == 2


def test_emit_changes() -> None:
    assert gate.check("SELECT a FROM t WHERE a > 1 EMIT CHANGES;").emit_changes
    assert not gate.check("SELECT 'EMIT CHANGES' FROM t").emit_changes
    assert gate.check("SELECT a FROM t EMIT CHANGES").stream_problem() is None


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t ORDER BY a",
        "SELECT a FROM t RIGHT JOIN u ON true",
        "SELECT a FROM t JOIN t u ON true",
        "SELECT a FROM t LIMIT 3",
        "SELECT rank() OVER (ORDER BY a) FROM t",
        "VALUES (1)",
        "SELECT 1",
        "SELECT a FROM t UNION SELECT b FROM u",
        "SELECT a FROM t WHERE a IN (SELECT b FROM t)",
        "SELECT a FROM range(3)",
        "SELECT a FROM t AS OF EARLIEST",
        "WITH x AS (SELECT 1) SELECT a FROM t",
        "SELECT a FROM (SELECT a FROM t)",
        "SELECT a FROM t QUALIFY count(*) OVER () > 1",
    ],
)
def test_what_cannot_stream_says_why(sql: str) -> None:
    assert gate.check(sql).stream_problem()


@pytest.mark.parametrize(
    ("sql", "stateful", "bucket"),
    [
        ("SELECT a FROM t WHERE b > 1", False, None),
        ("SELECT a, u.b FROM t LEFT JOIN u ON t.a = u.a", False, None),
        ("SELECT a FROM t WHERE a IN (SELECT max(b) FROM u)", False, None),
        ("SELECT explode(xs) FROM t", False, None),
        ("SELECT count(*) FROM t", True, None),
        ("SELECT DISTINCT a FROM t", True, None),
        ("SELECT a, sum(b) FROM t JOIN u USING (a) GROUP BY a HAVING sum(b) > 1", True, None),
        (
            "SELECT window(_timestamp, '1 minute').start, count(*) FROM t GROUP BY window(_timestamp, '1 minute')",
            True,
            60,
        ),
        ("SELECT window(_TIMESTAMP, '2 HOURS') AS w, count(*) FROM t GROUP BY w, a", True, 7200),
        ("SELECT window(_timestamp, '30 seconds').start, count(*) FROM t GROUP BY 1", True, 30),
        ("SELECT count(*) FROM t GROUP BY window(_timestamp, '1 minute', '10 seconds')", True, None),
        ("SELECT count(*) FROM t GROUP BY window(created_at, '1 minute')", True, None),
        ("SELECT count(*) FROM t GROUP BY session_window(_timestamp, '1 minute')", True, None),
    ],
)
def test_how_a_query_follows_a_topic(sql: str, stateful: bool, bucket: int | None) -> None:
    gated = gate.check(sql + " EMIT CHANGES")
    assert gated.stream_problem() is None
    shape = live.shape(gated.tree)
    assert (shape.source.name, shape.stateful, shape.bucket) == ("t", stateful, bucket)


def test_the_place_of_a_refusal() -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check("SELECT a,\n  upper(b), reflect('x', 'y') FROM t")
    assert (caught.value.details["line"], caught.value.details["column"]) == (2, 13)
    with pytest.raises(SqlRefused) as caught:
        gate.check("SELECT upper(a), lower(b) FROM t\nWHERE a = = 2")
    assert caught.value.details["line"] == 2


def test_names_that_spark_would_answer_itself() -> None:
    assert set(gate.check("SELECT `user`, t.current_user FROM t").environment) == {"user"}
    assert not gate.check("SELECT user FROM (SELECT a AS user FROM t)").environment


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 500 + "1" + ")" * 500,
        "SELECT " + "NOT " * 4000 + "true",
        "SELECT " + "1 = ANY " * 1500 + "1",
        "SELECT " + "+1" * 20_000,
        "SELECT '" + "x" * 60_000 + "'",
        "SELECT a" + "[0]" * 2000,
        "SELECT a" + ".b" * 2400,
        "SELECT " + "CASE WHEN true THEN " * 1000 + "1" + " END" * 1000,
    ],
)
@pytest.mark.timeout(20)
def test_bombs_for_the_parser_are_refused(sql: str) -> None:
    with pytest.raises(SqlRefused):
        gate.check(sql)


_WORDS = st.sampled_from(
    "SELECT FROM WHERE ( ) , . * a b orders prod `x y` 'z' 1 2.5 = < > AND OR NOT NULL AS OF ON JOIN LEFT LATERAL VIEW"
    " explode upper count OVER PARTITION BY ORDER GROUP HAVING LIMIT UNION ALL WITH CASE WHEN THEN ELSE END IN EXISTS"
    " CAST INT -> [ ] { } : ; ? @ ${ /* */ -- TRANSFORM USING SET reflect PIVOT FOR VALUES INTERVAL DAY EMIT CHANGES"
    " AS OF '2026-01-01' TABLESAMPLE IDENTIFIER :: || |> current_user DISTINCT FILTER IGNORE NULLS".split()  # noqa: SIM905
)


@given(st.lists(_WORDS, max_size=25).map(" ".join) | st.text(max_size=60))
@settings(max_examples=400, deadline=None)
def test_any_text_is_refused_or_stable(text: str) -> None:
    """Nothing but SqlRefused ever comes out, and what passes is written back to itself."""
    try:
        out = rendered(text)
    except SqlRefused:
        return
    again = gate.check(out)
    assert again.render({ref: ref.name for ref in again.tables}) == out


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30))
@settings(max_examples=300, deadline=None)
def test_a_string_stays_one_string(value: str) -> None:
    """Whatever a literal holds, it is written back as one literal: it cannot end early and become words."""
    written = "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    try:
        out = rendered(f"SELECT {written} AS x")
    except SqlRefused:
        assert "${" in value or "weirfn_" in value.lower()
        return
    from sqlglot import exp, parse_one

    literals = list(parse_one(out, dialect="spark").find_all(exp.Literal))
    assert [literal.this for literal in literals] == [value]


@given(
    st.text(min_size=1, max_size=20).filter(lambda s: "\x00" not in s and "`" not in s and "weirfn_" not in s.lower())
)
@settings(max_examples=300, deadline=None)
def test_a_name_stays_one_name(name: str) -> None:
    try:
        out = rendered(f"SELECT `{name}` FROM `{name}`")
    except SqlRefused:
        return
    assert out == f"SELECT `{name}` FROM `v0` AS `{name}`"


def test_names_fold_as_in_java() -> None:
    assert fold("EMAİL") == fold("emaıl") == fold("Email") == "email"
    assert fold("ſalary") == "salary"
    assert fold("\u212aey") == "key"
    assert fold("straße") != fold("strasse")
    assert nearest("custmer", ["order_id", "customer"]) == "customer"
