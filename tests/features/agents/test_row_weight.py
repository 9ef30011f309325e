"""A row of an agent's answer counts as many rows as it can hold values of; functions that gather many values are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.api_world import ApiWorld
from tests.features.agents.test_agents_http import API, agent_of, ask, message
from tests.features.agents.test_agents_http import weir as weir_fixture

weir = weir_fixture
__all__ = ["weir"]


@pytest.fixture
def agent(weir: ApiWorld) -> Iterator[Any]:
    yield agent_of(weir, weir.user("ana"), rows=50, rowsADay=1000)


@pytest.mark.parametrize(
    "column",
    [
        "percentile_cont(array(0.1, 0.5)) WITHIN GROUP (ORDER BY _offset)",
        "percentile_disc(array(0.1, 0.5)) WITHIN GROUP (ORDER BY _offset)",
        "schema_of_variant_agg(parse_json(order_id))",
        "bitmap_or_agg(unhex(order_id))",
        "hll_union_agg(unhex(order_id))",
    ],
)
def test_no_function_gathers_values_of_many_rows(agent: Any, column: str) -> None:
    refused = ask(agent, 400, sql=f"SELECT {column} AS c FROM prod.orders", limit=1)
    assert "puts values of many rows into one" in message(refused)


NAMES = ", ".join(f"lag(order_id, {n}) OVER (ORDER BY _offset)" for n in range(1, 10))
PICKED = ", ".join(f"max(CASE WHEN _offset = {n} THEN order_id END)" for n in (1, 2))
PAIRS = "SELECT order_id, _offset FROM prod.orders"
LAGGED = f"WITH t AS (SELECT concat({NAMES}) AS c, _offset FROM prod.orders)"
NESTED = f"WITH a AS ({PAIRS}), b AS (SELECT x.order_id, x._offset FROM a x JOIN a y ON true)"
WEIGHTS = [
    ("SELECT order_id FROM prod.orders", 1),
    ("SELECT order_id, count(*) AS n FROM prod.orders GROUP BY order_id", 1),
    ("SELECT order_id, max(_offset) AS n FROM prod.orders GROUP BY order_id", 1),
    ("SELECT order_id FROM prod.orders WHERE _offset IN (SELECT _offset FROM prod.orders)", 1),
    ("SELECT order_id, row_number() OVER (ORDER BY _offset) AS n FROM prod.orders", 1),
    ("SELECT order_id FROM prod.orders UNION ALL SELECT order_id FROM prod.orders", 1),
    (f"SELECT concat({NAMES}) AS c FROM prod.orders", 10),
    (f"{LAGGED} SELECT lag(c) OVER (ORDER BY _offset) AS c FROM t", 20),
    (f"SELECT concat({PICKED}) AS c FROM prod.orders", 2),
    ("SELECT a.order_id FROM prod.orders a JOIN prod.orders b ON true JOIN prod.orders c ON true", 3),
    (
        "SELECT concat((SELECT max(order_id) FROM prod.orders), (SELECT min(order_id) FROM prod.orders)) FROM prod.orders",
        3,
    ),
    (f"SELECT * FROM ({PAIRS}) PIVOT (max(order_id) FOR _offset IN (1, 2, 3, 4, 5, 6, 7, 8))", 8),
    ("FROM prod.orders |> SELECT order_id, _offset |> AGGREGATE max(order_id) AS a, min(order_id) AS b", 2),
    (f"{NESTED} SELECT x.order_id FROM b x JOIN b y ON true", 4),
]


@pytest.mark.parametrize(("sql", "weight"), WEIGHTS)
def test_a_row_counts_with_the_values_that_it_can_hold(weir: ApiWorld, agent: Any, sql: str, weight: int) -> None:
    ask(agent, sql=sql, limit=3)
    (used,) = weir.user("ana").get(f"{API}/agents").json()["agents"]
    assert used["rowsToday"] == 3 * weight
    csv = agent.post(f"{API}/query", json={"sql": sql, "limit": 3}, params={"format": "csv"})
    assert csv.status_code == 200, csv.text
    (used,) = weir.user("ana").get(f"{API}/agents").json()["agents"]
    assert used["rowsToday"] == 6 * weight


def test_a_row_that_can_hold_more_than_an_answer_is_refused(agent: Any) -> None:
    many = ", ".join(f"max(CASE WHEN _offset = {n} THEN order_id END)" for n in range(51))
    refused = ask(agent, 400, sql=f"SELECT concat({many}) AS c FROM prod.orders", limit=1)
    assert "A row of this query can hold values of 51 rows" in message(refused)
