"""Whether anybody wrote to the record store, at a fraction of the price of looking at its tables."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Hashable
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from catalog.adapters.sql.database import Database
from catalog.errors import Unavailable

_SQLITE = "PRAGMA data_version"
_POSTGRESQL = "SELECT pg_current_snapshot()::text"
"""Which writing transactions are over: the newest number alone stays the same when an older one commits after it."""


class StoreVersion:
    """Reads a value that differs once any other connection, of this process or another, wrote to the record store.

    It may differ although nothing of Weir was written: PostgreSQL counts the writes to all its databases. Holds one
    connection of the driver's, as SQLite counts for each connection what others wrote, and only outside of transactions.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._connection: Any = None
        self._lock = threading.Lock()

    def read(self) -> Hashable:
        """Raises Unavailable when the record store does not answer; the next call connects again."""
        driver: Any = self._database.engine.dialect.dbapi
        with self._lock:
            try:
                cursor = self._connected().cursor()
                try:
                    cursor.execute(_SQLITE if self._database.is_sqlite else _POSTGRESQL)
                    return str(cursor.fetchone()[0])
                finally:
                    cursor.close()
            except (driver.Error, SQLAlchemyError) as error:
                self._end()
                raise Unavailable(
                    f"The record store {self._database.name} does not answer.", details={"server": self._database.name}
                ) from error

    def close(self) -> None:
        """End the connection; a later `read` makes another."""
        with self._lock:
            self._end()

    def _connected(self) -> Any:
        if self._connection is None:
            pooled = self._database.engine.raw_connection()
            connection: Any = pooled.driver_connection
            pooled.detach()
            if not self._database.is_sqlite:
                connection.autocommit = True
            self._connection = connection
        return self._connection

    def _end(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()
