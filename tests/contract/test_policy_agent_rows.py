"""What any `AgentRows` must do."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date

import pytest

from policies.adapters.stores.agent_rows import SqlAgentRows
from policies.ports import AgentRows
from tests.catalog_stores import STORES, own_database
from tests.twins.policies.stores import MemoryAgentRows

DAY, NEXT = date(2026, 11, 27), date(2026, 11, 28)


@pytest.fixture(params=STORES)
def rows(request: pytest.FixtureRequest) -> Iterator[AgentRows]:
    if request.param == "memory":
        yield MemoryAgentRows()
        return
    with own_database(request.param, request) as database:
        yield SqlAgentRows(database)


def test_rows_are_counted_up_to_the_most_of_a_day(rows: AgentRows) -> None:
    assert not rows.add("tok_1", DAY, 11, 10)
    assert rows.of(DAY) == {}
    assert rows.add("tok_1", DAY, 6, 10)
    assert not rows.add("tok_1", DAY, 5, 10)
    assert rows.add("tok_1", DAY, 4, 10)
    assert rows.add("tok_2", DAY, 10, 10)
    assert rows.add("tok_1", NEXT, 10, 10)
    assert rows.of(DAY) == {"tok_1": 10, "tok_2": 10}
    assert rows.of(NEXT) == {"tok_1": 10}


def test_many_at_once_are_given_no_more_than_the_most(rows: AgentRows) -> None:
    with ThreadPoolExecutor(8) as pool:
        given = list(pool.map(lambda _: rows.add("tok_1", DAY, 7, 100), range(40)))
    assert sum(given) == 14
    assert rows.of(DAY) == {"tok_1": 98}
