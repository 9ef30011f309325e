"""The gate in detail: the class and place of each refusal, windows, names and the text to run."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from catalog.errors import SqlRefused
from policies.gate import gate
from policies.gate.generate import to_sql
from policies.gate.tree import Checker
from policies.sql.windows import AsOf

WHEN = datetime(2026, 1, 1, tzinfo=UTC)


def rendered(sql: str, *system: str) -> str:
    gated = gate.check(sql)
    views = {ref: f"v{n}" for n, ref in enumerate(gated.tables)}
    return gated.render(views, dict.fromkeys(gated.tables, system) if system else None)


@pytest.mark.parametrize(
    ("sql", "reason", "place", "words"),
    [
        ("", "empty", (1, 1), "There is no query."),
        ("  -- only words", "empty", (1, 1), "There is no query."),
        (" ; ", "empty", (1, 1), "There is no query."),
        ("SELECT 1;\n  SELECT 2;", "several-statements", (2, 3), "One statement at a time."),
        ("SELECT 1; SELECT 2; SELECT 3", "several-statements", (1, 11), "One statement at a time."),
        ("SELECT 1; ; SELECT 2", "several-statements", (1, 11), "One statement at a time."),
        ("FROM t\n|> FOO a", "syntax", (2, 4), "The step FOO is not one that Weir knows"),
        ("WITH x AS (SELECT 1) DELETE FROM t", "statement:Delete", (1, 1), "SELECT, FROM, VALUES or WITH. (line"),
        ("FROM t INSERT INTO u SELECT a", "statement:MultitableInserts", (1, 1), "Only a query can be run: SELECT"),
        ("DELETE FROM t", "statement:DELETE", (1, 1), "Only a query can be run"),
        ("SELECT 1 FROM", "syntax", (1, 10), "ends too early, behind FROM."),
        ("SELECT a,\n b FROM t\nWHERE a = = 2", "syntax", (3, 11), "near =."),
        ("SELECT a FROM t AS OF EARLIEST WHERE a = = 2", "syntax", (1, 42), "near =."),
        ("SELECT a FROM t VERSION AS OF 3", "window", (1, 31), "Write AS OF and a time in quotes."),
        ("SELECT a FROM t TIMESTAMP AS OF now()", "window", (1, 33), "Write AS OF and a time in quotes."),
        (
            "SELECT a FROM t VERSION AS OF '3'",
            "window",
            (1, 31),
            "A topic has no versions; write AS OF and a time or OFFSETS.",
        ),
        (
            "SELECT a FROM t TIMESTAMP AS OF 'yesterday'",
            "window",
            (1, 33),
            "A time is written as '2026-11-21T10:00:00Z' or",
        ),
    ],
)
def test_the_class_and_the_place_of_a_refusal(sql: str, reason: str, place: tuple[int, int], words: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check(sql)
    details = caught.value.details
    assert (details["reasons"], (details["line"], details["column"])) == ([reason], place)
    assert words in caught.value.message and caught.value.message.endswith(f"(line {place[0]}, column {place[1]})")


@pytest.mark.parametrize("word", ["DESCRIBE", "SHOW", "EXPLAIN"])
def test_a_word_is_not_proposed_in_place_of_itself(word: str) -> None:
    with pytest.raises(SqlRefused) as caught:
        gate.check(f"{word} t")
    assert caught.value.message.startswith("Only a query can be run"), caught.value.message


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (RecursionError(), "too-deep"),
        (ValueError("x"), "syntax"),
        (AttributeError(), "syntax"),
        (KeyError("x"), "syntax"),
        (TypeError(), "syntax"),
        (IndexError(), "syntax"),
        (SqlRefused("x", details={"reasons": ["own"]}), "own"),
    ],
)
def test_what_fails_in_the_parser_is_a_refusal(monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(Checker, "check", fail)
    with pytest.raises(SqlRefused) as caught:
        gate.check("SELECT 1\nFROM t")
    assert caught.value.details["reasons"] == [reason]
    if reason != "own":
        assert (caught.value.details["line"], caught.value.details["column"]) == (1, 1)
        words = {"too-deep": "The query is nested too deep.", "syntax": "The query is not SQL that Weir understands."}
        assert caught.value.message == f"{words[reason]} (line 1, column 1)"


@pytest.mark.parametrize(
    "second", ["SELECT a FROM other", "SELECT a FROM weir_view_0, t", "SELECT a, b FROM weir_view_0", "DROP TABLE t"]
)
def test_a_text_that_is_not_written_back_the_same_is_refused(monkeypatch: pytest.MonkeyPatch, second: str) -> None:
    """What was approved and what runs must be the same words; the writer is not believed."""
    written, real = [second, "SELECT `a` FROM `weir_view_0` AS `t`"], to_sql
    monkeypatch.setattr(gate, "to_sql", lambda tree, **_: f"({written.pop(0)})" if written else real(tree))
    with pytest.raises(SqlRefused) as caught:
        gate.check("SELECT a FROM t")
    assert caught.value.details["reasons"] == ["unstable"]
    assert (
        caught.value.message == "The query cannot be written back without a change of its meaning. (line 1, column 1)"
    )


def test_windows_of_tables() -> None:
    def windows(sql: str) -> list[AsOf]:
        return [ref.as_of for ref in gate.check(sql).tables]

    assert windows("SELECT a FROM t TIMESTAMP AS OF CAST('2026-01-01' AS TIMESTAMP)") == [AsOf(until=WHEN)]
    assert windows("SELECT a FROM t AS OF OFFSETS '0:1-2' x JOIN t AS OF OFFSETS '0:1-3' y ON true") == [
        AsOf(offsets=((0, 1, 2),)),
        AsOf(offsets=((0, 1, 3),)),
    ]
    assert windows("SELECT a FROM t AS OF EARLIEST x JOIN t AS OF EARLIEST y ON true JOIN t z ON true") == [
        AsOf(earliest=True),
        AsOf(),
    ]


def test_what_is_known_of_a_query() -> None:
    plain = gate.check("SELECT a FROM t")
    assert (plain.hints, plain.quoted_texts, plain.emit_changes, dict(plain.environment)) == (False, (), False, {})
    assert plain.sql == "SELECT a FROM t" and plain.places == {plain.tables[0]: (1, 15)}
    assert gate.check("SELECT /*+ BROADCAST(t) */ a FROM t").hints
    assert gate.check('SELECT "x", "x", "y", \'z\' FROM t').quoted_texts == ("x", "y")
    twice = gate.check("SELECT *\nFROM t x\nJOIN u\nJOIN t y ON true")
    assert list(twice.places.values()) == [(2, 6), (3, 6)], "the first mention of each"


def test_names_that_spark_answers_itself_with_their_places() -> None:
    def found(sql: str) -> dict[str, tuple[int, int]]:
        return dict(gate.check(sql).environment)

    assert found("SELECT a,\n `User`, `user` FROM t WHERE `current_user` = 1") == {
        "user": (2, 2),
        "current_user": (2, 30),
    }
    for name in ("session_user", "current_catalog", "current_database", "current_schema"):
        assert set(found(f"SELECT `{name}` FROM t")) == {name}
    for own in (
        "SELECT t.user FROM t",
        "SELECT user.x FROM t",
        "SELECT user FROM t AS x(user)",
        "SELECT stack(1, 2) AS (user) FROM t ORDER BY user",
        "SELECT a AS User FROM t ORDER BY user",
        "SELECT username FROM t",
        "SELECT user FROM t LATERAL VIEW explode(a) x AS user",
    ):
        assert found(own) == {}, own
    assert set(found("SELECT user FROM t AS user")) == {"user"}, "a table's name is not a column"


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        (
            "SELECT PROD.Orders.a, prod.orders.b.c FROM prod.orders",
            "SELECT `orders`.`a`, `orders`.`b`.`c` FROM `v0` AS `orders`",
        ),
        (
            "SELECT orders.a, x.orders.a, prod.orders FROM prod.orders",
            "SELECT `orders`.`a`, `x`.`orders`.`a`, `prod`.`orders` FROM `v0` AS `orders`",
        ),
        ("SELECT a.b.c.a FROM a.b.c", "SELECT `c`.`a` FROM `v0` AS `c`"),
        ("SELECT p.a.x, q.b.y FROM p.a, q.b", "SELECT `a`.`x`, `b`.`y` FROM `v0` AS `a` CROSS JOIN `v1` AS `b`"),
        ("SELECT p.a.x FROM p.a AS z", "SELECT `p`.`a`.`x` FROM `v0` AS `z`"),
        ("SELECT o.a FROM prod.orders AS OF EARLIEST o", "SELECT `o`.`a` FROM `v0` AS `o`"),
        (
            "(SELECT a FROM t) UNION (SELECT b FROM u)",
            "(SELECT `a` FROM `v0` AS `t`) UNION (SELECT `b` FROM `v1` AS `u`)",
        ),
        ("(SELECT a FROM t)", "(SELECT `a` FROM `v0` AS `t`)"),
        ("SELECT a FROM t WHERE b = 'O''Brien'", r"SELECT `a` FROM `v0` AS `t` WHERE `b` = 'O\'Brien'"),
        ("SELECT date_format(a, 'd''T''H') AS x FROM t", r"SELECT date_format(`a`, 'd\'T\'H') AS `x` FROM `v0` AS `t`"),
        (
            "SELECT '''' AS x, 'a''''b' AS y, '' AS z FROM t",
            r"SELECT '\'' AS `x`, 'a\'\'b' AS `y`, '' AS `z` FROM `v0` AS `t`",
        ),
        ('SELECT "who ""yes" AS x FROM t', "SELECT 'who \"yes' AS `x` FROM `v0` AS `t`"),
        ("SELECT 'a' 'b' AS x FROM t", "SELECT concat('a', 'b') AS `x` FROM `v0` AS `t`"),
        (
            "SELECT timestampadd(MILLISECONDS, 5, a) AS x FROM t",
            "SELECT timestampadd(MILLISECOND, 5, `a`) AS `x` FROM `v0` AS `t`",
        ),
        (
            "SELECT * FROM (WITH x AS (SELECT 1 AS a) SELECT * FROM x) JOIN (WITH x AS (SELECT 2 AS b) SELECT * FROM x)",
            "SELECT * FROM (WITH `x` AS (SELECT 1 AS `a`) SELECT * FROM `x`) JOIN"
            " (WITH `x` AS (SELECT 2 AS `b`) SELECT * FROM `x`) ON TRUE",
        ),
    ],
)
def test_what_runs_in_detail(sql: str, text: str) -> None:
    assert rendered(sql) == text


def test_the_text_to_run_leaves_system_columns_out_and_guards_sequences() -> None:
    assert rendered("SELECT * FROM t", "_key", "_ts") == "SELECT * EXCEPT (`t`.`_key`, `t`.`_ts`) FROM `v0` AS `t`"
    assert rendered("SELECT * FROM t") == "SELECT * FROM `v0` AS `t`"
    guarded = rendered("SELECT sequence(1, n) FROM t", "_key")
    assert "raise_error('weir: a sequence is too long')" in guarded
    assert rendered("SELECT sequence(1, n) FROM t") == "SELECT sequence(1, `n`) FROM `v0` AS `t`"


def test_rendering_changes_nothing_of_the_query_itself() -> None:
    gated = gate.check("SELECT prod.orders.a, * FROM prod.orders QUALIFY row_number() OVER (ORDER BY a) = 1")
    views, system = {gated.tables[0]: "v"}, {gated.tables[0]: ["_key"]}
    assert gated.render(views) == gated.render(views) != gated.render(views, system) == gated.render(views, system)
    bracketed = gate.check("(SELECT * FROM t)")
    views = {bracketed.tables[0]: "v"}
    assert bracketed.render(views) == bracketed.render(views)
    with pytest.raises(KeyError):
        gated.render({})


@pytest.mark.parametrize(
    ("sql", "place"),
    [
        ("SELECT * FROM p.a, q.a", (1, 20)),
        ("SELECT p.a.x FROM p.a\nJOIN q.A ON p.a.x = q.A.x", (2, 6)),
        ("SELECT * FROM (SELECT 1 FROM p.a, a) s", (1, 35)),
        ("WITH c AS (SELECT * FROM p.a CROSS JOIN q.a) SELECT * FROM c", (1, 41)),
    ],
)
def test_two_tables_that_would_go_by_one_name_are_refused(sql: str, place: tuple[int, int]) -> None:
    with pytest.raises(SqlRefused, match=r"both go by the name [aA] here; give one of them another") as caught:
        gate.check(sql)
    details = caught.value.details
    assert (details["line"], details["column"]) == place and details["reasons"] == ["alias"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT p.a.x, b.x FROM p.a, q.a AS b",
        "SELECT count(*) FROM p.a, p.a",
        "SELECT x FROM p.a UNION SELECT x FROM q.a",
        "SELECT x FROM p.a WHERE x IN (SELECT x FROM q.a)",
        "SELECT s.x FROM p.a JOIN (SELECT x FROM q.a) s",
    ],
)
def test_names_that_tell_tables_apart_pass(sql: str) -> None:
    assert gate.check(sql)
