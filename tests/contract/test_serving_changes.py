"""What any `ServingTable` must do for those who follow its changes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text

from tests.serving_tables import ALL, TABLES, changed, row, serving_table
from views.adapters.serving_sql import SqlServingTable
from views.row_ports import Changes, ServingTable, Versions


@pytest.fixture(params=TABLES)
def table(request: pytest.FixtureRequest) -> Iterator[ServingTable]:
    with serving_table(request.param, request) as kept:
        yield kept


def test_changes_since_a_version(table: ServingTable) -> None:
    assert table.versions("v", "g") == Versions() and table.changes("v", "g", -1, 5, 10) == Changes((), 5)
    table.prepare("v", "g")
    assert table.versions("v", "g") == Versions(0, 0)
    table.write("v", "g", [row("a", n=1), row("b", n=1), row("c", n=1)], [], {0: 3})
    table.write("v", "g", [row("b", n=2)], ['["a"]', '["never"]'], {0: 6})
    table.write("v", "g", [], [], {0: 7})
    assert table.versions("v", "g") == Versions(2, 0), "a batch without rows makes no version"
    assert changed(table, 1) == ([(2, "a", None), (2, "b", 2)], 2)
    assert changed(table, -1, gone=False) == ([(1, "c", 1), (2, "b", 2)], 2)
    assert changed(table, 2) == ([], 2)
    table.write("v", "g", [row("a", n=3), row("b", n=2, offset=9)], ['["c"]'], {0: 9})
    assert changed(table, 2) == ([(3, "a", 3), (3, "c", None)], 3), "the same values again change nothing"
    assert changed(table, 1) == ([(2, "a", None), (2, "b", 2), (3, "a", 3), (3, "c", None)], 3)
    assert changed(table, 1, until=2) == ([(2, "a", None), (2, "b", 2)], 2)


def test_a_version_is_never_divided(table: ServingTable) -> None:
    table.prepare("v", "g")
    for batch in range(5):
        table.write("v", "g", [row(f"{batch}-{n:03}", n=n) for n in range(40)], [], {0: batch + 1})
    at, sizes = -1, []
    while at < 5:
        some, at = changed(table, at, 90)
        sizes.append(len(some))
    assert sizes == [80, 80, 40]
    assert len(changed(table, -1, 7)[0]) == 40 and changed(table, -1, 7)[1] == 1


def test_keys_that_are_gone_are_forgotten(table: Any) -> None:
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1), row("b", n=1)], [], {0: 2})
    table.write("v", "g", [], ['["a"]'], {0: 3})
    assert table.forget_gone("v", "g", datetime.now(UTC) - timedelta(seconds=60)) == 0
    assert table.versions("v", "g") == Versions(2, 0)
    assert table.forget_gone("v", "g", datetime.now(UTC) + timedelta(seconds=60)) == 1
    assert table.versions("v", "g") == Versions(2, 2) and changed(table, 1) == ([], 2)
    assert table.forget_gone("v", "nothing", datetime.now(UTC)) == 0


def test_a_follower_who_applies_changes_has_the_rows(table: ServingTable) -> None:
    table.prepare("v", "g")
    rng, at = random.Random(11), -1
    copied: dict[str, object] = {}
    for batch in range(1, 120):
        some = rng.sample(range(30), 6)
        table.write("v", "g", [row(n, n=batch) for n in some[:3]], [json.dumps([n]) for n in some[3:]], {0: batch})
        while rng.random() < 0.4 and at < batch:
            page = table.changes("v", "g", at, table.versions("v", "g").newest, 8, at >= 0)
            at = page.end
            for each in page.changes:
                copied.pop(each.key, None)
                if each.row is not None:
                    copied[each.key] = each.row.values["n"]
    for each in table.changes("v", "g", at, table.versions("v", "g").newest, 1000).changes:
        copied.pop(each.key, None)
        if each.row is not None:
            copied[each.key] = each.row.values["n"]
    assert copied == {each.key: each.values["n"] for each in table.read("v", "g", ALL, 100)}


def test_a_database_of_a_weir_without_versions_gets_them(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/views.db"
    table = SqlServingTable(url)
    table.prepare("v", "g")
    table.write("v", "g", [row("a", n=1)], [], {0: 1})
    table.close()
    with create_engine(url).begin() as connection:
        connection.execute(text("DROP INDEX weir_view_rows_1_version"))
        connection.execute(text("DROP TABLE weir_view_gone_1"))
        connection.execute(text("ALTER TABLE weir_view_rows_1 DROP COLUMN version"))
        for column in ("version", "forgotten"):
            connection.execute(text(f"ALTER TABLE weir_view_generations DROP COLUMN {column}"))
    again = SqlServingTable(url)
    assert changed(again, -1) == ([(0, "a", 1)], 0)
    again.write("v", "g", [row("b", n=2)], ['["a"]'], {0: 2})
    assert changed(again, 0) == ([(1, "a", None), (1, "b", 2)], 1)
    again.close()
