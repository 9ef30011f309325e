"""What an editor receives while somebody types."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.errors import Unavailable
from policies.model import Decision, Effect, Mask, MaskType, Reason, RowFilter
from policies.plan.model import QueryPlan
from policies.query.check import CheckedQuery, CheckedTable, QueryCheck
from policies.query.complete import Completion
from policies.sql import unfinished
from tests.effort import least_effort
from tests.unit.policies.query.test_query import ANA, ID, World, decided


def check(sql: str, world: World | None = None) -> CheckedQuery:
    used = world or World()
    service = used.service()
    answer = QueryCheck(service.preparer, service.trail, used, service.settings).check(ANA, sql, "analysis")
    assert not used.plans, "nothing is read"
    assert all(entry.action == "query.check" for entry in used.entries)
    return answer


def places(sql: str, world: World | None = None) -> list[tuple[str, str | None]]:
    """The text each problem points at, and its suggestion."""
    lines = sql.split("\n")
    texts = []
    for problem in check(sql, world).problems:
        assert problem.line == problem.end_line
        line = lines[problem.line - 1]
        texts.append((line[problem.column - 1 : problem.end_column - 1], problem.suggestion))
    return texts


def test_a_good_query() -> None:
    answer = check("SELECT id, amount FROM orders", World(decided({"value.id": Mask(MaskType.MASK_NONE)})))
    assert answer.ok and not answer.problems
    assert answer.tables == [CheckedTable("orders", "prod/orders", Effect.ALLOW, line=1, column=24)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT *\nFROM order_s", [("order_s", "orders")]),
        ("SELECT * FROM orders JOIN nope JOIN nada", [("nope", "orders"), ("nada", "orders")]),
        ("SELECT uper(id) FROM orders", [("uper", "upper")]),
        ("SELECT id,\n  amout FROM orders", [("amout", "amount")]),
        ("SELECT id FROM orders WHERE", [("WHERE", None)]),
        ("DROP TABLE orders", [("TABLE", None)]),
        ("INSERT INTO orders SELECT 1", [("INSERT", None)]),
        ("SELECT id FROM orders; SELECT 1", [("SELECT", None)]),
        ("SELECT id FROM orders ORDER BY id EMIT CHANGES", [("EMIT", None)]),
        ("SELECT '${x}' FROM orders", [("$", None)]),
    ],
)
def test_a_problem_stands_where_it_is(sql: str, expected: list[tuple[str, str | None]]) -> None:
    places_seen = places(sql)
    if "WHERE" in sql:
        assert len(places_seen) == 1
    else:
        assert places_seen == expected


def test_the_words_that_a_view_alone_may_end_in() -> None:
    sql = "SELECT * FROM orders EMIT FINAL"
    assert places(sql) == [("EMIT", None)]
    assert check(f"CREATE MATERIALIZED VIEW hourly AS {sql}").ok


def test_denials_are_problems_too() -> None:
    denied = Decision(ID, "prod/orders", Effect.DENY, reasons=(Reason("default", "deny", "no role"),))
    answer = check("SELECT id FROM orders", World(denied))
    assert not answer.ok and "You may not read prod/orders" in answer.problems[0].message
    assert answer.tables[0].effect is Effect.DENY
    assert places("SELECT id, note FROM orders", World(decided(deny=("value.note",)))) == [("note", None)]


def test_an_engine_that_is_away_leaves_types_out() -> None:
    world = World()

    def away(plan: QueryPlan) -> Any:
        raise Unavailable("away")

    world.check = away  # type: ignore[method-assign]
    answer = check("SELECT id FROM orders", world)
    assert answer.ok and answer.types == "none"


def test_a_filter_that_fits_no_record_is_told() -> None:
    answer = check("SELECT id FROM orders", World(decided(filters=(RowFilter("prod/orders", "region = 'EU'"),))))
    assert not answer.ok and "region" in answer.problems[0].message


def test_the_audit_has_what_was_checked_once_in_a_while() -> None:
    world = World(decided(deny=("value.note",)))
    world.check = lambda plan: [("id", "string")]  # type: ignore[method-assign]
    service = world.service()
    editor = QueryCheck(service.preparer, service.trail, world, service.settings)
    for sql in ("SELECT id FROM", "SELECT id FROM orders WHERE id = 'a'", "SELECT id FROM orders WHERE id = 'b'"):
        editor.check(ANA, sql, "analysis")
    assert [(e.outcome, e.datasets) for e in world.entries] == [("allow", ("prod/orders",))], "spelling is not written"
    assert "?" in world.entries[0].sql and "'a'" not in world.entries[0].sql
    editor.check(ANA, "SELECT reflect('java.lang.System', 'exit') FROM orders")
    world.decision = Decision(ID, "prod/orders", Effect.DENY, reasons=(Reason("default", "deny", "nobody may"),))
    editor.check(ANA, "SELECT id FROM orders")
    assert [e.outcome for e in world.entries[1:]] == ["refused", "deny"]
    Completion(service.preparer, service.trail, lambda: ["prod/orders"]).complete(ANA, "SELECT i FROM orders", 8)
    assert (world.entries[-1].action, world.entries[-1].outcome) == ("query.complete", "deny")


TEXT = st.text(alphabet="SELECT FROM orders.`'\"(),*=;-/${}\nwho note id JOIN\u0130\U0001f600", max_size=60)


@given(TEXT)
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_it(sql: str) -> None:
    answer = check(sql)
    assert answer.ok is (not answer.problems)
    for problem in answer.problems:
        assert problem.line >= 1 and problem.column >= 1
        assert (problem.end_line, problem.end_column) >= (problem.line, problem.column)


# --- completion --------------------------------------------------------------------------------------------------------


def complete(text: str, world: World | None = None) -> list[str]:
    """Inserts at the | of a text."""
    used = world or World()
    at = text.index("|")
    query = used.service()
    service = Completion(query.preparer, query.trail, lambda: ["prod/orders", "prod/shop.orders-v2", "test/orders"])
    answer = service.complete(ANA, text.replace("|", "", 1), at)
    assert all(entry.action == "query.complete" and entry.datasets for entry in used.entries)
    assert not used.plans and answer.start <= answer.end == at
    return [item.insert for item in answer.items]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("SELECT * FROM sho|", "`shop.orders-v2`"),
        ("SELECT * FROM prod.ord|", "orders"),
        ("SELECT a| FROM orders", "amount"),
        ("SELECT who.m| FROM orders", "mail"),
        ("SELECT o.| FROM orders o", "id"),
        ("SELECT o.who.| FROM orders AS o WHERE 1 = 1", "name"),
        ("SELECT id FROM orders WHERE am|", "amount"),
        ("SELECT uppe|", "upper("),
        ("SELECT id FROM orders GROU|", "GROUP BY"),
        ("WITH big AS (SELECT * FROM orders) SELECT * FROM bi|", "big"),
        ("SELECT `am|", "amount"),
        ("SELECT _off| FROM orders", "_offset"),
    ],
)
def test_what_comes_first(text: str, first: str) -> None:
    suggestions = complete(text if "FROM" in text or "uppe" in text else text + " FROM orders")
    assert suggestions and suggestions[0] == first


@pytest.mark.parametrize("text", ["SELECT 'am| FROM orders", "SELECT 1 -- am|", "SELECT 12|", "SELECT /* am| */ 1"])
def test_nothing_inside_strings_comments_and_numbers(text: str) -> None:
    assert complete(text) == []


def test_what_one_may_not_read_is_not_proposed() -> None:
    world = World(decided(deny=("value.note", "value.who.mail")))
    assert "note" not in complete("SELECT | FROM orders", world)
    assert complete("SELECT who.| FROM orders", world) == ["name"]
    denied = World(Decision(ID, "prod/orders", Effect.DENY))
    assert "id" not in complete("SELECT | FROM orders", denied)


@given(TEXT, st.integers(0, 60))
@settings(max_examples=150, deadline=None)
def test_completion_takes_any_text(sql: str, at: int) -> None:
    at = min(at, len(sql))
    complete(sql[:at].replace("|", "") + "|" + sql[at:].replace("|", ""))


@pytest.mark.parametrize("text", ["select * from " + "a," * 25_000, "select " + "a." * 25_000, "from a, (" * 5_000])
def test_a_long_text_is_read_at_once(text: str) -> None:
    assert least_effort(lambda: unfinished.read(text[:49_999], len(text[:49_999]))) < 1


def test_what_stands_behind_the_longest_text_is_not_completed() -> None:
    assert unfinished.read("`" + "a" * 50_000, 50_000) is None
    assert unfinished.read("`" + "a" * 49_999, 49_999) is not None


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        ("SELECT | FROM a, b x JOIN c WHERE d, e", ["a", "x", "c"]),
        ("SELECT | FROM a, (SELECT f, g FROM h), b", ["a", "h", "b"]),
        ("SELECT f(a, b), | FROM x ORDER BY y, z", ["x"]),
    ],
)
def test_the_tables_a_text_names(text: str, tables: list[str]) -> None:
    answer = unfinished.read(text.replace("|", ""), text.index("|"))
    assert answer is not None and [alias for alias, _ in answer.tables] == tables
