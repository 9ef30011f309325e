"""What a masked copy has of hidden records, by the SQL itself."""

from __future__ import annotations

import sqlite3

import pytest

from catalog.datatypes import STRING
from policies.adapters.spark import hidden_records
from policies.plan.model import PartRead, TablePlan, Window

COLUMNS = ("key", "weir_key", "weir_value", "weir_raw", "weir_headers", "offset")


def table(*filters: str) -> TablePlan:
    text = PartRead("text", STRING)
    return TablePlan("v", "t", {}, Window(()), text, text, filters)


def copied(plan: TablePlan, compacted: bool) -> list[tuple[object, ...]]:
    """`offset` is the last column; regions are the values."""
    store = sqlite3.connect(":memory:")
    store.execute(f"CREATE TABLE t ({', '.join(COLUMNS)})")
    stored = [("a", "EU"), ("a", "US"), ("b", "EU"), ("b", None), (None, "US"), ("c", "US"), ("c", None)]
    for offset, (key, region) in enumerate(stored):
        raw, trace = region and f"bytes of {region}", "trace"
        store.execute("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", (key, key, region, raw, trace, offset))
    shown = f"SELECT *, {hidden_records.shown(plan)} AS {hidden_records.SHOWN} FROM t"
    columns = hidden_records.without_values([*COLUMNS, hidden_records.SHOWN])
    where = hidden_records.kept(compacted)
    answer = store.execute(f"SELECT {', '.join(columns)} FROM ({shown}) WHERE {where} ORDER BY offset")
    return [row[:-1] for row in answer]


def test_a_record_that_leaves_the_filter_takes_its_row_out_of_a_compacted_copy() -> None:
    assert copied(table("weir_value = 'EU'"), compacted=True) == [
        ("a", "a", "EU", "bytes of EU", "trace", 0),
        ("a", "a", None, None, None, 1),
        ("b", "b", "EU", "bytes of EU", "trace", 2),
        ("b", "b", None, None, None, 3),
        ("c", "c", None, None, None, 5),
        ("c", "c", None, None, None, 6),
    ]


def test_a_copy_that_keeps_all_records_has_those_that_delete() -> None:
    assert [(row[0], row[2], row[-1]) for row in copied(table("weir_value = 'EU'"), compacted=False)] == [
        ("a", "EU", 0),
        ("b", "EU", 2),
        ("b", None, 3),
        ("c", None, 6),
    ]


@pytest.mark.parametrize(
    ("filters", "constant"),
    [
        (["coalesce(CAST(weir_key.region = 'EU' AS BOOLEAN), FALSE)"], True),
        (["weir_key = 'a'", "weir_value.region = 'EU'"], False),
        (["weir_headers['region'] = 'EU'"], False),
        (["weir_key_of = 1"], False),
    ],
)
def test_a_filter_on_the_key_alone_shows_all_records_of_a_key_or_none(filters: list[str], constant: bool) -> None:
    assert hidden_records.by_key(table(*filters)) is constant
