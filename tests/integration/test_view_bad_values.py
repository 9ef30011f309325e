"""Expressions that fail, or wrap around, at one value: in a view that value is NULL, and others are what they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from catalog.adapters.spark_connect import connect, release
from policies.adapters.spark.sessions import FEW, MANY, PINNED
from policies.gate import gate
from views.shape.shape import shape

pytestmark = pytest.mark.integration

GOOD = (
    "2L AS n, 1 AS i, 'a' AS p, 'abc' AS x, array('u', 'v') AS list, array(1, 2) AS two, 'YQ==' AS b64, 'yyyy' AS f,"
    " 'Europe/Berlin' AS tz, TIMESTAMP '2026-01-01 00:00:00' AS at, map('0', 'zero', '1', 'one') AS m"
)
BAD = (
    "9223372036854775807L AS n, 0 AS i, '(' AS p, CAST(NULL AS STRING) AS x, array('u', 'v') AS list, array(1) AS two,"
    " 'a' AS b64, '{{{' AS f, 'Nowhere' AS tz, TIMESTAMP '2026-01-01 00:00:00' AS at, map('0', 'zero') AS m"
)
CASES = {
    "n + 1": (3, None),
    "n * 2": (4, None),
    "0 - n - 2": (-4, None),
    "CAST(n AS INT)": (2, None),
    "CAST(n AS TINYINT)": (2, None),
    "int(n)": (2, None),
    "element_at(list, i)": ("u", None),
    "element_at(list, -i)": ("v", None),
    "try_element_at(list, i)": ("u", None),
    "element_at(m, CAST(i AS STRING))": ("one", "zero"),
    "element_at(map(0, 'a', 1, 'b'), i)": ("b", "a"),
    "slice(list, i, 1)": (["u"], None),
    "slice(list, 1, i - 1)": ([], None),
    "array_insert(list, i, 'w')": (["w", "u", "v"], None),
    "split_part('a-b', '-', i)": ("a", None),
    "sequence(1, 3, i)": ([1, 2, 3], None),
    "sequence(3, 1, 0 - i)": ([3, 2, 1], None),
    "sequence(1, 1, i)": ([1], [1]),
    "size(sequence(DATE '2026-01-01', DATE '2026-01-03', INTERVAL 1 DAY))": (3, 3),
    "size(sequence(DATE '2026-01-03', DATE '2026-01-01', INTERVAL 1 DAY))": (-1, -1),
    "'cat' RLIKE p": (True, None),
    "rlike('cat', p)": (True, None),
    "'cat' NOT RLIKE p": (False, None),
    "regexp_replace('cat', p, 'o')": ("cot", None),
    "regexp_extract('cat', p, 0)": ("a", None),
    "regexp_extract_all('cat', p, 0)": (["a"], None),
    "regexp_count('cat', p)": (1, None),
    "split('cat', p)": (["c", "t"], None),
    "'a' LIKE concat(p, '')": (True, False),
    "date_format(at, f)": ("2026", None),
    "CAST(from_utc_timestamp(at, tz) AS STRING)": ("2026-01-01 01:00:00", None),
    "CAST(unbase64(b64) AS STRING)": ("a", None),
    "CAST(encode(concat(x, ''), 'US-ASCII') AS STRING)": ("abc", None),
    "map(x, 1)": ({"abc": 1}, None),
    "map_from_arrays(list, two)": ({"u": 1, "v": 2}, None),
    "CAST(timestamp_seconds(n) AS STRING)": ("1970-01-01 00:00:02", None),
    "CAST(timestamp_millis(n) AS STRING)": ("1970-01-01 00:00:00.002", None),
}


@pytest.fixture(scope="module", params=["interpreted", "compiled"])
def spark(stack: Any, request: pytest.FixtureRequest) -> Iterator[Any]:
    session = connect(stack.spark)
    for name, value in {**PINNED, **(FEW if request.param == "interpreted" else MANY)}.items():
        session.conf.set(name, value)
    session.sql(f"SELECT 0 AS _no, {GOOD} UNION ALL SELECT 1, {BAD}").createOrReplaceTempView("orders")
    yield session
    release(session)


def fitted(sql: str) -> str:
    """An expression as a view runs it."""
    gated = gate.check(f"SELECT _no, {sql} AS c FROM orders")
    tree: Any = shape(gated, key=None, watermark=False, watermark_column=None).tree
    return str(tree.expressions[1].this.sql("spark"))


def test_a_bad_value_is_null_and_a_good_one_is_itself(spark: Any) -> None:
    items = ", ".join(f"{fitted(sql)} AS c{number}" for number, sql in enumerate(CASES))
    # Behind a shuffle, lest the two rows are computed when the query is planned.
    rows = sorted(spark.sql(f"SELECT _no, {items} FROM (SELECT /*+ REPARTITION(2) */ * FROM orders)").collect())
    answers = {sql: (rows[0][number + 1], rows[1][number + 1]) for number, sql in enumerate(CASES)}
    assert answers == CASES
