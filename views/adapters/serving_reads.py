"""Reads of the rows of views: by key, by range and by version."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Select, Table, select
from sqlalchemy.exc import DBAPIError

from views.adapters.serving_changes import read_changes
from views.adapters.serving_database import ServingDatabase
from views.adapters.serving_row import RowBySqlite
from views.adapters.serving_statements import CONTAINED, of_generation, range_of_keys, rows_of, some_keys
from views.adapters.serving_tables import GENERATIONS, contained_of, row_of
from views.model import Row
from views.row_ports import Changes, Contained, Versions, Wanted
from views.serving.key_order import bounds, key_bytes

FEW = 500
"""Keys in one statement."""
_MISSING = ("no such table", "does not exist")


class ServingReads:
    """The reads of `views.adapters.serving_sql`. Safe for threads and processes."""

    def __init__(self, database: ServingDatabase) -> None:
        self._database = database
        self._one = RowBySqlite(Path(database.url.database or "")) if database.is_sqlite else None
        self._known: dict[tuple[str, str], int] = {}

    def contained(self, view: str, generation: str) -> Contained:
        with self._database.reading() as connection:
            stored_row = connection.execute(CONTAINED, {"view": view, "generation": generation}).first()
        return contained_of(*stored_row) if stored_row is not None else Contained(there=False)

    def read(self, view: str, generation: str, wanted: Wanted, limit: int) -> list[Row]:
        """See the port. Raises InvalidInput for a key that is not a JSON list, or a bound that is too long."""
        low, high = bounds(wanted)
        if limit <= 0 or (high is not None and low >= high):
            return []
        if self._one is not None and wanted.keys is not None and len(wanted.keys) == 1:
            return self._by_key(self._one, view, generation, wanted.keys[0], low, high)
        with self._database.reading(wanted.keys is None or len(wanted.keys) <= FEW) as connection:
            number = self._number(connection, view, generation)
            if number is None:
                return []
            table = rows_of(number)
            try:
                if wanted.keys is None:
                    return _fetched(
                        connection, range_of_keys(table, high is not None), {"low": low, "high": high, "n": limit}
                    )
                return self._by_keys(connection, table, wanted.keys, low, high, limit)
            except DBAPIError as error:
                if not any(each in str(error.orig) for each in _MISSING):
                    raise
                self._known.pop((view, generation), None)  # dropped by another process in between
                return []

    def _by_key(
        self, table: RowBySqlite, view: str, generation: str, key: str, low: bytes, high: bytes | None
    ) -> list[Row]:
        encoded = key_bytes(key)
        if encoded < low or (high is not None and encoded >= high):
            return []
        number = self._known.get((view, generation))
        if number is None:
            with self._database.reading() as connection:
                number = self._number(connection, view, generation)
        if number is None:
            return []
        with self._database.translated():
            try:
                stored_row = table.row(number, encoded)
            except sqlite3.OperationalError as error:
                if not any(each in str(error) for each in _MISSING):
                    raise
                self._known.pop((view, generation), None)  # dropped by another process in between
                return []
        return [row_of(*stored_row)] if stored_row is not None else []

    def _by_keys(
        self, connection: Connection, table: Table, keys: Sequence[str], low: bytes, high: bytes | None, limit: int
    ) -> list[Row]:
        encoded = {key_bytes(key) for key in keys}
        chosen = sorted(each for each in encoded if low <= each and (high is None or each < high))
        rows: list[Row] = []
        for some in chunks(chosen):
            rows += _fetched(connection, some_keys(table), {"keys": some, "n": limit - len(rows)})
            if len(rows) >= limit:
                break
        return rows

    def versions(self, view: str, generation: str) -> Versions:
        statement = of_generation(view, generation, GENERATIONS.c.version, GENERATIONS.c.forgotten)
        with self._database.reading() as connection:
            stored_row = connection.execute(statement.where(~GENERATIONS.c.dropping)).first()
        return Versions(*stored_row) if stored_row is not None else Versions()

    def changes(self, view: str, generation: str, after: int, until: int, limit: int, gone: bool = True) -> Changes:
        with self._database.reading(at_once=False) as connection:
            number = self._number(connection, view, generation)
            try:
                return read_changes(connection, number, after, until, limit, gone) if number else Changes((), until)
            except DBAPIError as error:
                if not any(each in str(error.orig) for each in _MISSING):
                    raise
                self._known.pop((view, generation), None)  # dropped by another process in between
                return Changes((), until)

    def count(self, view: str, generation: str) -> int:
        with self._database.reading() as connection:
            statement = of_generation(view, generation, GENERATIONS.c.rows).where(~GENERATIONS.c.dropping)
            return int(connection.scalar(statement) or 0)

    def generations(self, view: str) -> list[str]:
        """In the order they were prepared; one whose `drop` did not end is among them."""
        with self._database.reading() as connection:
            statement = select(GENERATIONS.c.generation).where(GENERATIONS.c.view == view).order_by(GENERATIONS.c.id)
            return list(connection.scalars(statement))

    def _number(self, connection: Connection, view: str, generation: str) -> int | None:
        """The id of a generation. Ids are never given twice, so a remembered one is right or its table is gone."""
        number = self._known.get((view, generation))
        if number is None:
            number = connection.scalar(of_generation(view, generation, GENERATIONS.c.id).where(~GENERATIONS.c.dropping))
            if number is not None:
                self._known[view, generation] = number
        return number


def chunks(keys: Sequence[bytes]) -> Iterator[list[bytes]]:
    rest = iter(keys)
    while some := list(islice(rest, FEW)):
        yield some


def _fetched(connection: Connection, statement: Select[Any], values: Mapping[str, Any]) -> list[Row]:
    return [row_of(*each) for each in connection.execute(statement, {k: v for k, v in values.items() if v is not None})]
