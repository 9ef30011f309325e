"""Which statements are refused after an engine ended: those that ran at two ends, and none that merely looked like them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from catalog.datatypes import STRING
from catalog.errors import LimitExceeded
from policies.engine.blame import Blame, keys
from policies.plan.model import PartRead, QueryPlan, Range, TablePlan, Window
from policies.plan.weights import light


class Clock:
    now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def plan(sql: str, user: str = "ana", records: int = 10, topic: str = "t") -> QueryPlan:
    table = TablePlan(
        "weir_view_0", topic, {}, Window((Range(0, 0, records),)), PartRead("text", STRING), PartRead("json", STRING)
    )
    return QueryPlan(sql, (table,), 10, 60, asker=user)


def refused(blame: Blame, asked: QueryPlan) -> bool:
    try:
        blame.check(keys(asked))
    except LimitExceeded:
        return True
    return False


BOMB = "SELECT sum(id) FROM range(100000)"


def test_a_statement_is_refused_after_the_second_end_until_its_time_is_over() -> None:
    clock = Clock()
    blame = Blame(clock, 600)
    blame.strike(keys(plan(BOMB)))
    assert not refused(blame, plan(BOMB))
    clock.now += timedelta(seconds=60)
    blame.strike(keys(plan(BOMB)))
    with pytest.raises(LimitExceeded) as caught:
        blame.check(keys(plan(BOMB)))
    assert caught.value.details["until"] == "2026-01-01T00:11:00Z" and caught.value.details["retryAfter"] == 600
    assert "2026-01-01T00:11:00Z" in caught.value.message
    clock.now += timedelta(seconds=601)
    assert not refused(blame, plan(BOMB))


def test_what_many_ask_and_ends_well_is_not_blamed_for_what_ran_beside_it() -> None:
    clock = Clock()
    blame = Blame(clock, 600)
    blame.clear(keys(plan(BOMB)))
    for _ in range(5):
        clock.now += timedelta(seconds=60)
        blame.strike(keys(plan(BOMB)))
    assert not refused(blame, plan(BOMB))
    other = plan("SELECT sum(id) FROM range(900000)")  # the same form with another number never ended well
    for _ in range(2):
        blame.strike(keys(other))
    assert refused(blame, other) and not refused(blame, plan(BOMB))
    clock.now += timedelta(seconds=601)
    for _ in range(2):
        blame.strike(keys(plan(BOMB)))
    assert refused(blame, plan(BOMB))


def test_ends_that_lie_far_apart_do_not_add_up() -> None:
    clock = Clock()
    blame = Blame(clock, 600)
    blame.strike(keys(plan(BOMB)))
    clock.now += timedelta(seconds=601)
    blame.strike(keys(plan(BOMB)))
    assert not refused(blame, plan(BOMB))


@pytest.mark.parametrize(
    ("sql", "user", "topic", "expected"),
    [
        (BOMB, "ana", "t", True),
        (BOMB, "otto", "t", True),  # the very text, whoever asks
        ("SELECT sum(id) FROM range(999999)", "ana", "t", True),  # another number by the same user
        ("SELECT sum(id) FROM range(999999)", "otto", "t", False),  # and by another one
        ("SELECT max(id) FROM range(100000)", "ana", "t", False),
        (BOMB, "ana", "another", False),
    ],
)
def test_it_is_known_by_its_text_and_by_its_form_for_its_user(sql: str, user: str, topic: str, expected: bool) -> None:
    blame = Blame(Clock(), 600)
    for _ in range(2):
        blame.strike(keys(plan(BOMB)))
    assert refused(blame, plan(sql, user, topic=topic)) is expected


def test_what_ended_well_in_between_merely_ran_beside() -> None:
    blame = Blame(Clock(), 600)
    blame.strike(keys(plan(BOMB)))
    blame.clear(keys(plan(BOMB)))
    blame.strike(keys(plan(BOMB)))
    assert not refused(blame, plan(BOMB))


def test_nothing_is_refused_where_that_is_switched_off() -> None:
    blame = Blame(Clock(), 0)
    for _ in range(3):
        blame.strike(keys(plan(BOMB)))
    assert not refused(blame, plan(BOMB))


@pytest.mark.parametrize(
    ("sql", "records", "expected"),
    [
        ("SELECT * FROM `weir_view_0`", 1000, True),
        ("SELECT * FROM `weir_view_0` a CROSS JOIN `weir_view_0` b", 1000, True),
        ("SELECT * FROM `weir_view_0` a CROSS JOIN `weir_view_0` b", 2000, False),
        ("SELECT explode(`tags`) FROM `weir_view_0`", 1000, False),
        ("with a as (SELECT * FROM `weir_view_0`) SELECT * FROM a", 1000, False),
        ("SELECT sum(id) FROM range(10)", 1000, False),
        ("SELECT a || '-' || b, replace(c, 'x', 'y') FROM `weir_view_0`", 1000, True),
        ("SELECT " + " || ".join(["a"] * 30) + " FROM `weir_view_0`", 1000, False),
        ("SELECT " + "hex(" * 13 + "a" + ")" * 13 + " FROM `weir_view_0`", 1000, False),
    ],
)
def test_only_what_cannot_be_heavy_is_light(sql: str, records: int, expected: bool) -> None:
    assert light(plan(sql, records=records)) is expected
