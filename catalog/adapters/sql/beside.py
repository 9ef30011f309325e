"""Tables beside the record store: small, changed all the time, of use only while processes run. No backup has them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Table

from catalog.adapters.sql.database import Database

_FILE = "beats.db"


class BesideDatabase:
    """The same PostgreSQL; where the record store is a file of SQLite, a file beside it. Makes the tables it is given."""

    def __init__(self, database: Database, tables: Sequence[Table]) -> None:
        file = database.file()
        self._own = file is not None
        self._tables = tables
        self._database = database if file is None else Database(f"sqlite:///{Path(file).with_name(_FILE)}")
        self._ready = False
        self._lock = threading.Lock()

    def close(self) -> None:
        if self._own:
            self._database.close()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Without the lock of writers: it waits for nobody. Raises Unavailable."""
        with self._lock:
            if not self._ready:
                self._database.make_file()
                with self._database.begin() as session:
                    for table in self._tables:
                        table.create(session.connection(), checkfirst=True)
                self._ready = True
        with self._database.translated(), self._database.engine.begin() as connection:
            yield connection
