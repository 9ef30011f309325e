"""Connections to the database of the rows of views, whose tables are made at the first use."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from catalog.errors import SettingsError, Unavailable
from views.adapters.serving_files import BUSY_MS, begin_sqlite, make_file, prepare_sqlite
from views.adapters.serving_tables import make_tables

_CLEAN_SECONDS = 30.0
"""How long `clean` waits for readers."""
_SETUP_LOCK = 8_484_003  # the same in every process; beside those of the record store


class ServingDatabase:
    """SQLite or PostgreSQL. Safe for threads and processes."""

    def __init__(self, url: str) -> None:
        """`url`: `sqlite:////path/views.db` or `postgresql+psycopg://user:password@host/name`. Connects at the first use.

        Raises SettingsError when it is neither.
        """
        try:
            self.url: URL = make_url(url)
            if self.url.drivername == "postgresql":
                self.url = self.url.set(drivername="postgresql+psycopg")
            self.is_sqlite = self.url.get_backend_name() == "sqlite"
        except (ArgumentError, NoSuchModuleError):
            raise SettingsError(_WRONG_URL) from None
        if self.url.get_backend_name() not in ("sqlite", "postgresql") or (self.is_sqlite and not self.url.database):
            raise SettingsError(_WRONG_URL)
        try:
            self.engine = self._new_engine()
        except ModuleNotFoundError:
            raise SettingsError(
                "WEIR_VIEWS__SERVING_URL names a PostgreSQL, whose driver is not installed: pip install 'weir-catalog[postgres]'."
            ) from None
        self._writing = self.engine.execution_options(weir_begin="BEGIN IMMEDIATE")
        self._asking = self.engine.execution_options(weir_begin="")
        self._ready = False
        self._setup = threading.Lock()

    def _new_engine(self) -> Engine:
        pool = {"pool_size": 8, "max_overflow": 56}
        if not self.is_sqlite:
            return create_engine(self.url, pool_pre_ping=True, connect_args={"connect_timeout": 5}, **pool)
        engine = create_engine(self.url, connect_args={"timeout": BUSY_MS / 1000}, **pool)
        event.listen(engine, "connect", prepare_sqlite)
        event.listen(engine, "begin", begin_sqlite)
        return engine

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        with self.translated():
            self._set_up()
            with self._writing.begin() as connection:
                yield connection

    @contextmanager
    def reading(self, at_once: bool = True) -> Iterator[Connection]:
        """`at_once`: one statement is read; else several, all as of the first one."""
        with self.translated():
            self._set_up()
            with (self._asking if at_once else self.engine).connect() as connection:
                yield connection

    def _set_up(self) -> None:
        if not self._ready:
            with self._setup:
                self._make_tables()
            self._ready = True

    def _make_tables(self) -> None:
        """Nothing where they are."""
        if self.is_sqlite:
            make_file(Path(self.url.database or ""))
        with self._writing.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SETUP_LOCK})
            make_tables(connection)

    def clean(self) -> None:
        """Empty SQLite's log, which holds copies of pages as they were."""
        if not self.is_sqlite:
            return
        until = time.monotonic() + _CLEAN_SECONDS
        with self.translated(), self.engine.connect() as connection:
            raw = connection.connection.driver_connection
            assert raw is not None
            raw.execute("PRAGMA busy_timeout = 1000")
            try:
                while raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]:
                    if time.monotonic() > until:
                        raise Unavailable(
                            "The rows of the view are deleted, but readers keep SQLite from emptying its log; delete"
                            " them again when they have ended.",
                            details={"server": "views"},
                        )
            finally:
                raw.execute(f"PRAGMA busy_timeout = {BUSY_MS}")

    @contextmanager
    def translated(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"The database of views {self.url.render_as_string(hide_password=True)} does not answer"
                f" ({_cause(error)}); check WEIR_VIEWS__SERVING_URL, the disk and that the server runs.",
                details={"server": "views"},
            ) from error


_WRONG_URL = (
    "WEIR_VIEWS__SERVING_URL is not the URL of a database; write sqlite:////path/views.db or"
    " postgresql+psycopg://user:password@host/name."
)


def _cause(error: Exception) -> str:
    """The driver's own first line; it names hosts and files, never a bound value."""
    original = error.orig if isinstance(error, DBAPIError) else error
    lines = str(original).strip().splitlines()
    return lines[0] if lines else type(original).__name__
