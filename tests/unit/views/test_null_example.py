"""The example of records without a value in docs/view-semantics.md, computed by SQLite and read as a view would be."""

from __future__ import annotations

import sqlite3

from catalog.datatypes import parse_ddl
from policies.gate import gate
from tests.doc_examples import example
from views.model import Column
from views.serving.where.read import read_where
from views.shape.shape import shape

EXAMPLE = example("view-semantics.md", "### 2. A record without a value")
ROWS = [record or {"region": None, "amount": None} for record in EXAMPLE.records]


def test_the_example_covers_the_section() -> None:
    assert None in EXAMPLE.records and len(EXAMPLE.queries) >= 4
    assert any("IS NULL" in sql and [None, None] in rows for sql, rows in EXAMPLE.queries.items())


def test_the_rows_are_those_of_sql() -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE orders (region TEXT, amount INTEGER)")
    connection.executemany("INSERT INTO orders VALUES (:region, :amount)", ROWS)
    for sql, rows in EXAMPLE.queries.items():
        assert [list(row) for row in connection.execute(sql)] == rows, sql


def test_each_query_is_a_view_and_its_condition_a_where() -> None:
    columns = [Column(name, str(kind), kind) for name, kind in parse_ddl("region STRING, amount INT").fields]
    for sql, rows in EXAMPLE.queries.items():
        shape(gate.check(sql), key=None, watermark=False, watermark_column=None)
        _, where, condition = sql.partition("WHERE ")
        if where:
            check = read_where(condition, columns)
            assert [[row["region"], row["amount"]] for row in ROWS if check(row)] == rows, sql
