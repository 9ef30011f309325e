"""Which queries need not read their whole window, and how much of it they need."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.datatypes import STRING
from policies.gate import gate
from policies.plan import shortcuts
from policies.plan.model import ByKey, PartRead, PositionOutput, Rows, TablePlan, Window

COLUMNS = (
    ("a", "weir_value.`a`"),
    ("_offset", "weir_offset"),
    ("_partition", "weir_partition"),
    ("_timestamp", "weir_timestamp"),
)
TABLE = TablePlan("v", "orders", {}, Window(()), PartRead("text", STRING), PartRead("text", STRING), columns=COLUMNS)


@pytest.mark.parametrize(
    ("sql", "enough"),
    [
        ("SELECT * FROM orders", 101),
        ("FROM orders", 101),
        ("SELECT a, upper(a) AS b, 1 FROM orders o", 101),
        ("SELECT a FROM orders LIMIT 3", 3),
        ("SELECT a FROM orders LIMIT 3 OFFSET 20", 23),
        ("SELECT a FROM orders LIMIT 5000", 101),
        ("SELECT a FROM orders LIMIT ALL", 101),
        ("SELECT a FROM orders OFFSET 20", 121),
        ("SELECT a FROM orders LIMIT 1 + 2", None),
        ("SELECT a FROM orders WHERE a > 1 LIMIT 3", None),
        ("SELECT a FROM orders ORDER BY a LIMIT 3", None),
        ("SELECT DISTINCT a FROM orders LIMIT 3", None),
        ("SELECT a FROM orders GROUP BY a LIMIT 3", None),
        ("SELECT count(a) FROM orders LIMIT 3", None),
        ("SELECT count(a) + 1 FROM orders LIMIT 3", None),
        ("SELECT row_number() OVER (ORDER BY a) FROM orders LIMIT 3", None),
        ("SELECT explode(a) FROM orders LIMIT 3", None),
        ("SELECT inline(a) FROM orders LIMIT 3", None),
        ("SELECT x FROM orders LATERAL VIEW explode(a) t AS x LIMIT 3", None),
        ("SELECT a, (SELECT max(a) FROM orders) FROM orders LIMIT 3", None),
        ("SELECT * FROM (SELECT a FROM orders) LIMIT 3", None),
        ("SELECT a FROM orders UNION ALL SELECT a FROM orders LIMIT 3", None),
        ("SELECT a FROM orders TABLESAMPLE (5 ROWS) LIMIT 3", None),
        ("SELECT o.a FROM orders o JOIN orders p ON o.a = p.a LIMIT 3", None),
        ("WITH t AS (SELECT 1) SELECT a FROM orders LIMIT 3", None),
        ("SELECT a FROM orders HAVING a > 1 LIMIT 3", None),
        ("SELECT a FROM orders QUALIFY row_number() OVER (ORDER BY a) = 1 LIMIT 3", None),
    ],
)
def test_records_that_are_enough(sql: str, enough: int | None) -> None:
    assert shortcuts.records_enough(gate.check(sql).tree, TABLE, 100) == enough


COUNT = PositionOutput("count(1)", "bigint", "count")


@pytest.mark.parametrize(
    ("sql", "outputs"),
    [
        ("SELECT count(*) FROM orders", (COUNT,)),
        ("SELECT COUNT(1) AS n FROM orders o", (replace(COUNT, name="n"),)),
        ("SELECT min(_offset), max(o._partition) AS p, max(_timestamp) FROM orders o",
         (PositionOutput("min(_offset)", "bigint", "min", "offset"), PositionOutput("p", "int", "max", "partition"),
          PositionOutput("max(_timestamp)", "timestamp", "max", "timestamp"))),
        ("SELECT count(*) FROM orders AS OF OFFSETS '0:1-5'", (COUNT,)),
        ("SELECT count(a) FROM orders", ()),
        ("SELECT count(NULL) FROM orders", ()),
        ("SELECT count(DISTINCT 1) FROM orders", ()),
        ("SELECT count(* EXCEPT (a)) FROM orders", ()),
        ("SELECT count(*) + 1 FROM orders", ()),
        ("SELECT count(*), a FROM orders", ()),
        ("SELECT max(a) FROM orders", ()),
        ("SELECT max(_offset + 1) FROM orders", ()),
        ("SELECT count(*) FROM orders WHERE a > 1", ()),
        ("SELECT count(*) FROM orders GROUP BY a", ()),
        ("SELECT count(*) FROM orders HAVING count(*) > 1", ()),
        ("SELECT count(*) FROM orders LIMIT 1", ()),
        ("SELECT count(*) FILTER (WHERE a > 1) FROM orders", ()),
        ("SELECT count(*) OVER () FROM orders", ()),
        ("SELECT count(*) FROM orders, orders p", ()),
        ("SELECT count(*) FROM (SELECT a FROM orders)", ()),
        ("SELECT count(*) FROM orders TABLESAMPLE (50 PERCENT)", ()),
        ("SELECT DISTINCT count(*) FROM orders", ()),
        ("SELECT count(*) FROM orders t(_offset, a)", ()),
    ],
)  # fmt: skip
def test_queries_that_ask_for_positions_alone(sql: str, outputs: tuple[PositionOutput, ...]) -> None:
    try:
        tree = gate.check(sql).tree
    except gate.SqlRefused:
        assert outputs == ()
        return
    assert shortcuts.positions(tree, TABLE) == outputs


@pytest.mark.parametrize(
    "table",
    [
        replace(TABLE, filters=("weir_value.`region` = 'EU'",)),
        replace(TABLE, rows=Rows("weir-generation", "1", newest=True)),
        replace(TABLE, by_key=ByKey()),
    ],
)
def test_tables_that_hide_or_replace_rows_are_read_whole(table: TablePlan) -> None:
    assert shortcuts.records_enough(gate.check("SELECT a FROM orders LIMIT 3").tree, table, 100) is None
    assert shortcuts.positions(gate.check("SELECT count(*) FROM orders").tree, table) == ()


def test_a_field_of_the_value_by_the_name_of_a_position_is_no_position() -> None:
    table = replace(TABLE, columns=(("_offset", "weir_value.`_offset`"), ("_partition", "CAST(NULL AS INT)")))
    for name in ("_offset", "_partition"):
        assert shortcuts.positions(gate.check(f"SELECT max({name}) FROM orders").tree, table) == ()
