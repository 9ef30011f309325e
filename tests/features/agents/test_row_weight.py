"""A row of an agent's answer counts as many rows as it can hold values of; functions that gather many values are refused."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from policies.gate.gate import check
from policies.model import Agent, Subject
from policies.plan.gathering import row_weight
from policies.plan.packing import BITS
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


@pytest.mark.sampled(5)
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


def test_a_row_that_can_hold_bits_of_more_records_than_an_answer_has_rows_is_refused(agent: Any) -> None:
    refused = ask(agent, 400, sql="SELECT sum(ascii(order_id) * power(256, _offset)) AS c FROM prod.orders", limit=1)
    assert "A row of this query can hold values of 128 rows" in message(refused)
    assert "count(*)" in message(refused)


ORDERS = "prod.orders"
FLAG = "CASE WHEN order_id LIKE 'O-1%' THEN 1 ELSE 0 END"
POWERS = f"SELECT power(2, _offset) AS w, order_id FROM {ORDERS}"
STATISTICS = [
    (f"SELECT order_id, count(*), count(order_id), count(DISTINCT order_id) FROM {ORDERS} GROUP BY order_id", 1),
    (f"SELECT sum(_offset), avg(_offset), stddev(_offset) FROM {ORDERS}", 3),
    (f"SELECT sum(CAST(_offset AS DOUBLE)) FROM {ORDERS}", 1),
    (f"SELECT sum({FLAG}), count_if(_offset > 3), count(*) FILTER (WHERE _offset < 2) FROM {ORDERS}", 3),
    (f"SELECT sum(if(_offset > 3, 1, 0)) FROM {ORDERS}", 1),
    (f"SELECT avg(n) FROM (SELECT order_id, count(*) AS n FROM {ORDERS} GROUP BY order_id)", 1),
    (f"WITH d AS (SELECT order_id AS id, _offset AS o FROM {ORDERS}) SELECT id, sum(d.o) FROM d GROUP BY id", 1),
    (f"SELECT sum(o) FROM (SELECT *, _offset AS o FROM {ORDERS})", 1),
    (f"SELECT sum(a._offset) FROM {ORDERS} a JOIN {ORDERS} b ON a.order_id = b.order_id", 2),
    (f"SELECT count(*) FROM {ORDERS} a JOIN {ORDERS} b USING (order_id)", 2),
    (f"SELECT count(*) FROM {ORDERS} LATERAL VIEW explode(items) t AS item", 1),
]
"""What analysts ask: counts as the values that show."""
PACKED = [
    f"SELECT sum(ascii(substr(order_id, 1, 1)) * power(256, _offset)) FROM {ORDERS}",
    f"SELECT sum(shiftleft(1, _offset)) FROM {ORDERS}",
    f"SELECT bit_or(shiftleft(ascii(order_id), _offset)) FROM {ORDERS}",
    f"SELECT bit_xor(xxhash64(order_id)) FROM {ORDERS}",
    f"SELECT avg(power(10, _offset)) FROM {ORDERS}",
    f"SELECT try_sum(CASE _offset WHEN 0 THEN 1 WHEN 1 THEN 2 ELSE 4 END) FROM {ORDERS}",
    f"SELECT sum(CAST(concat('1', substr('000000', 1, _offset)) AS DECIMAL(38, 0))) FROM {ORDERS}",
    f"SELECT corr(power(2, _offset), _offset) FROM {ORDERS}",
    f"SELECT max_by(s, s) FROM (SELECT sum(power(2, _offset)) AS s FROM {ORDERS})",
    f"SELECT to_json(struct(sum(power(2, _offset)) AS s)) FROM {ORDERS}",
    f"SELECT sum(w) FROM ({POWERS})",
    f"WITH p AS ({POWERS}) SELECT sum(p.w) FROM p",
    f"WITH p AS ({POWERS}), q AS (SELECT * FROM p) SELECT sum(w) FROM q",
    f"WITH p(a, b) AS ({POWERS}) SELECT sum(a) FROM p",
    f"SELECT sum(a) FROM ({POWERS}) AS p(a, b)",
    f"SELECT sum(w) FROM ({POWERS} UNION ALL {POWERS})",
    f"SELECT sum(v.w) FROM {ORDERS} o JOIN VALUES (0, 1), (1, 2), (2, 4) AS v(n, w) ON o._offset = v.n",
    f"SELECT count(*) FROM {ORDERS} o JOIN range(1048576) r ON r.id < power(2, o._offset)",
    f"SELECT count(*) FROM {ORDERS} a JOIN {ORDERS} b ON b._offset < power(2, a._offset)",
    f"SELECT count(*) FROM (SELECT explode(sequence(1, CAST(power(2, _offset) AS INT))) FROM {ORDERS})",
    f"SELECT count(*) FROM {ORDERS} LATERAL VIEW explode(sequence(1, _offset)) t AS n",
    f"SELECT sum(power(2, _offset)) OVER (ORDER BY _offset) FROM {ORDERS}",
    f"SELECT * FROM (SELECT order_id, _offset FROM {ORDERS}) PIVOT (sum(power(2, _offset)) FOR order_id IN ('O-1'))",
    f"FROM {ORDERS} |> EXTEND power(2, _offset) AS w |> AGGREGATE sum(w) AS s",
]
"""Each has parts of many records in one number."""


def _weight(sql: str) -> int:
    limits = Agent("tok_1", "helper", "support", ("prod/orders",), 1000, 10_000, False)
    return row_weight(Subject("ana", agent=limits), check(sql).tree)


@pytest.mark.parametrize(("sql", "weight"), STATISTICS)
def test_statistics_over_columns_count_as_the_values_that_show(sql: str, weight: int) -> None:
    assert _weight(sql) == weight


@pytest.mark.parametrize("sql", PACKED)
def test_a_number_made_to_carry_many_records_counts_as_many_rows_as_it_has_bits(sql: str) -> None:
    assert _weight(sql) >= BITS


def test_a_person_has_no_such_limit() -> None:
    assert row_weight(Subject("ana"), check(PACKED[0]).tree) == 1
