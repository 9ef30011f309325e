"""Long SQL is read in a process of its own: with the same answer, in bounded time, while this process continues."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from catalog.errors import InvalidInput
from lineage.sql.columns import columns_from_sql
from lineage.sql.separate_process import SqlApart

ONE = "INSERT INTO clean SELECT order_id, md5(email) AS mail, * FROM orders;\n"
KNOWN = {"orders": {"order_id": None, "email": None, "address": {"city": None}}}


def columns(table: str) -> Mapping[str, Any] | None:
    return KNOWN.get(table)


@pytest.fixture(scope="module")
def apart() -> Iterator[SqlApart]:
    reader = SqlApart(60, at_once=100)
    yield reader
    reader.close()


@pytest.mark.parametrize("sql", [ONE * 3, "SELECT FROM WHERE (" * 20, "SELECT 1;" * 200, "(" * 5000, "x" * 5000])
def test_the_answer_is_that_of_this_process(apart: SqlApart, sql: str) -> None:
    assert apart.read(sql, "spark", columns) == columns_from_sql(sql, "spark", columns)


def test_a_text_that_takes_too_long_is_given_up_and_the_next_is_read() -> None:
    apart = SqlApart(0.05, at_once=100)
    try:
        with pytest.raises(InvalidInput, match="one by one"):
            apart.read("SELECT " + "a+" * 400_000 + "a FROM t", "spark", columns)
        apart._seconds = 60
        assert apart.read(ONE * 3, None, columns) == columns_from_sql(ONE * 3, None, columns)
    finally:
        apart.close()


def test_a_process_that_was_killed_is_replaced(apart: SqlApart) -> None:
    apart.read(ONE * 3, "spark", columns)
    assert apart._process is not None
    apart._process.kill()
    apart._process.wait()
    assert apart.read(ONE * 3, "spark", columns).inputs == {"orders"}


def test_nothing_waits_while_a_long_text_is_read(apart: SqlApart) -> None:
    apart.read(ONE * 3, "spark", columns)
    sql = ONE * 3000
    begun = time.thread_time()
    columns_from_sql(sql, "spark", columns)
    here = time.thread_time() - begun
    begun = time.process_time()
    apart.read(sql, "spark", columns)
    assert time.process_time() - begun < here / 4
