"""Which columns of a topic a query can mean, and what is decoded for them."""

from __future__ import annotations

import pytest

from catalog.datatypes import STRING, columns_ddl, parse_ddl
from policies.gate import gate
from policies.plan.model import PartRead, TablePlan, Window
from policies.plan.projection import mentioned, narrowed

KIND = parse_ddl("id STRING, customer STRUCT<email: STRING, name: STRING>, amount DOUBLE, note STRING")
COLUMNS = (
    ("id", "weir_value.`id`"),
    ("customer", "named_struct('email', weir_value.`customer`.`email`)"),
    ("amount", "CASE WHEN `weir_clear_0` THEN weir_value.`amount` END"),
    ("note", "weir_value.`note`"),
    ("_partition", "weir_partition"),
    ("_timestamp", "weir_timestamp"),
    ("_value", "CAST(weir_raw AS STRING)"),
)
SYSTEM = ("_partition", "_timestamp", "_value")


def plan(
    kind: str = "json", filters: tuple[str, ...] = (), columns: tuple[tuple[str, str], ...] = COLUMNS
) -> TablePlan:
    return TablePlan(
        "v",
        "orders",
        {},
        Window(()),
        PartRead("text", STRING),
        PartRead(kind, KIND),
        filters,
        (("weir_clear_0", "weir_value.`id` = 'x'"),),
        columns,
    )


def read(sql: str, **more: object) -> tuple[list[str], str]:
    """The columns of the view, and what is decoded of a record."""
    plan_left = narrowed(plan(**more), mentioned(gate.check(sql).tree), SYSTEM)  # type: ignore[arg-type]
    return [name for name, _ in plan_left.columns], columns_ddl(plan_left.value.kind)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sql", "columns", "decoded"),
    [
        ("SELECT note FROM orders", ["note"], "`id` STRING, `note` STRING"),
        ("SELECT o.customer.email AS e FROM orders o ORDER BY e", ["customer"], None),
        ("SELECT NOTE FROM orders WHERE AMOUNT > 1", ["amount", "note"], None),
        ("SELECT a.id FROM orders a JOIN orders b USING (note)", ["id", "note"], None),
        ("SELECT count(*) FROM orders", ["_timestamp"], "`id` STRING"),
        ("SELECT _partition, count(*) FROM orders GROUP BY ALL", ["_partition"], "`id` STRING"),
        ("SELECT 1 FROM orders WHERE EXISTS (SELECT 1 FROM orders p WHERE p.note = 'x')", ["note"], None),
        ("WITH t AS (SELECT `note` AS n FROM orders) SELECT n FROM t", ["note"], "`id` STRING, `note` STRING"),
        ("SELECT transform(array(1), amount -> amount + 1) FROM orders", ["amount"], None),
        ("SELECT _value FROM orders", ["_value"], "`id` STRING"),
    ],
)
def test_what_is_named_is_read(sql: str, columns: list[str], decoded: str | None) -> None:
    names, kind = read(sql)
    assert names == columns
    if decoded is not None:
        assert kind == decoded, "with what the conditions of masks need"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM orders",
        "SELECT o.* FROM orders o",
        "SELECT struct(*) FROM orders",
        "SELECT count(o.*) FROM orders o",
        "FROM orders",
        "SELECT b FROM orders AS o(a, b, c, d)",
        "SELECT a.id FROM orders a NATURAL JOIN orders b",
        "SELECT * FROM (SELECT id, amount FROM orders) PIVOT (sum(amount) FOR id IN ('a', 'b'))",
        "SELECT id FROM orders UNION ALL SELECT hash(*) FROM orders",
        "SELECT * EXCEPT (id) FROM orders",
    ],
)
def test_where_columns_are_meant_without_a_name_every_field_is_read(sql: str) -> None:
    assert read(sql) == ([name for name, _ in COLUMNS if name not in SYSTEM], columns_ddl(KIND))


def test_system_columns_are_read_where_they_are_named() -> None:
    assert read("SELECT *, _TIMESTAMP FROM orders")[0] == ["id", "customer", "amount", "note", "_timestamp"]
    assert read("SELECT * FROM orders ORDER BY _partition")[0][-1] == "_partition"


def test_row_filters_rest_on_stored_fields_that_nobody_names() -> None:
    assert read("SELECT note FROM orders", filters=("weir_value.`amount` > 5",))[1] == (
        "`id` STRING, `amount` DOUBLE, `note` STRING"
    )


def test_a_record_that_is_used_as_a_whole_is_decoded_as_a_whole() -> None:
    columns = (*COLUMNS, ("all", "to_json(weir_value)"))
    assert read("SELECT `all` FROM orders", columns=columns) == (["all"], columns_ddl(KIND))


def test_names_are_compared_as_the_engine_does() -> None:
    assert read("SELECT `ıd` FROM orders")[0] == ["id"]


def test_lines_that_are_read_by_position_keep_all_their_fields() -> None:
    assert read("SELECT note FROM orders", kind="csv") == (["note"], columns_ddl(KIND))
