"""Ways to make an empty serving table: memory, SQLite and PostgreSQL; and rows for it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from tests.catalog_stores import own_postgres
from tests.twins.views import MemoryServingTable
from views.adapters.serving_sql import SqlServingTable
from views.model import Row
from views.row_ports import ServingTable, Wanted

TABLES = ("memory", "sqlite", "postgresql")

Batch = tuple[list[Row], list[str], dict[int, int]]
"""Rows, keys to delete, positions."""


@contextmanager
def serving_table(kind: str, request: pytest.FixtureRequest) -> Iterator[ServingTable]:
    """An empty serving table of a kind; closed at the end."""
    if kind == "memory":
        yield MemoryServingTable()
        return
    if kind == "sqlite":
        store = SqlServingTable(f"sqlite:///{request.getfixturevalue('tmp_path')}/deep/views.db")
        yield store
        store.close()
        return
    with own_postgres(request.getfixturevalue("postgres_server")) as url:
        store = SqlServingTable(url)
        yield store
        store.close()


def row(*key: Any, offset: int = 0, partition: int = 0, **values: Any) -> Row:
    """A row by the parts of its key."""
    return Row(json.dumps(list(key)), {"k": key[0] if key else None, **values}, offset, partition)


def keys(rows: list[Row]) -> list[Any]:
    """The keys of rows, as they are read."""
    return [json.loads(each.key) for each in rows]


ALL = Wanted()


def changed(table: ServingTable, after: int, limit: int = 100, gone: bool = True, until: int | None = None) -> Any:
    """(version, key, n or None) of each change, and where they end."""
    top = table.versions("v", "g").newest if until is None else until
    page = table.changes("v", "g", after, top, limit, gone)
    return [(c.version, json.loads(c.key)[0], c.row.values["n"] if c.row else None) for c in page.changes], page.end
