"""Statements that fill the heap of the engine for queries: each ends with that reason, the next query is answered."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from benchmarks.engine import STATEMENTS, Door
from tests.engine_door import answered, opened

pytestmark = [pytest.mark.integration, pytest.mark.own_servers, pytest.mark.timeout(900)]
SECONDS = 120.0

LARGE = {
    "doubled while it is planned": "SELECT length(aggregate(sequence(1, 100), 'x', (a, i) -> a || a))",
    "doubled in a task": "SELECT max(length(aggregate(sequence(1, 100), id, (a, i) -> a || a))) FROM orders",
    "put into itself": f"WITH a AS (SELECT replace(id, 'o', repeat(concat({', '.join(['id'] * 8)}), 9000)) AS x FROM orders),"
    " b AS (SELECT replace(x, 'o', x) AS x FROM a) SELECT max(length(x)) FROM b",
}
"""One value each that is many times the heap, in another part of the engine: a value of about the heap's size may instead
keep a busy machine collecting garbage until the limit of seconds."""


@pytest.fixture(scope="module")
def door() -> Iterator[Door]:
    with opened(SECONDS) as query_door:
        yield query_door


def stopped_by_the_watch(door: Door) -> int:
    return (door.instance.home.logs / "weir.log").read_text().count("query_stopped_for_memory")


def test_a_heap_that_fills_slowly_costs_the_query_and_not_the_engine(door: Door) -> None:
    answered(door)
    before, watched = door.engine_pid(), stopped_by_the_watch(door)
    assert before is not None
    status, body, _ = door.ask("mallory", STATEMENTS["set of a cross join"], SECONDS + 30)
    assert status == 429, body
    assert body["error"]["details"] == {"limit": "memory"}, body
    assert "ran out of memory" in body["error"]["message"]
    assert stopped_by_the_watch(door) == watched + 1, "the watch stopped it, before the heap was full"
    answered(door)
    assert door.engine_pid() == before


@pytest.mark.parametrize("name", LARGE)
def test_a_value_that_is_too_large_ends_with_the_reason(door: Door, name: str) -> None:
    """Where a busy engine continues within one record, its keeper may replace it afterwards."""
    answered(door)
    status, body, _ = door.ask("malik", LARGE[name], SECONDS + 30)
    assert status == 429, body
    assert body["error"]["details"] == {"limit": "memory"}, body
    answered(door)
