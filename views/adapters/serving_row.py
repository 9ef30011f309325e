"""One row of one generation from SQLite, without what SQLAlchemy does around a statement, which takes ten times as long."""

from __future__ import annotations

import sqlite3
from collections import deque
from functools import lru_cache
from pathlib import Path

from sqlalchemy import LargeBinary, bindparam, select
from sqlalchemy.dialects import sqlite

from views.adapters.serving_files import BUSY_MS, prepare_sqlite
from views.adapters.serving_statements import rows_of

StoredRow = tuple[bytes, str, int, int]
"""identity, body, partition, offset."""


class RowBySqlite:
    """Reads rows by connections of its own. Safe for threads: each call has a connection to itself."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._free: deque[sqlite3.Connection] = deque()

    def row(self, number: int, key: bytes) -> StoredRow | None:
        """The row of the generation with this id, None where it has no such key. Raises sqlite3.Error."""
        try:
            connection = self._free.pop()
        except IndexError:
            connection = self._opened()
        try:
            # All rows, so that the statement ends and keeps no snapshot.
            rows: list[StoredRow] = connection.execute(_statement(number), (key,)).fetchall()
        except BaseException:
            connection.close()
            raise
        self._free.append(connection)
        return rows[0] if rows else None

    def close(self) -> None:
        while self._free:
            self._free.pop().close()

    def _opened(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._file, timeout=BUSY_MS / 1000, check_same_thread=False)
        prepare_sqlite(connection, None)
        return connection


@lru_cache(maxsize=256)
def _statement(number: int) -> str:
    c = rows_of(number).c
    statement = select(c.identity, c.body, c.partition, c.offset).where(c.key == bindparam("key", type_=LargeBinary))
    return str(statement.compile(dialect=sqlite.dialect(paramstyle="qmark")))
