"""The record store's database: one engine, one declarative base for every room, migrations at start.

SQLite (default; several processes may write at once) and PostgreSQL. A room declares its tables on `Base` in its own
`adapters/tables.py` and adds a file to `catalog/adapters/migrations/versions`.
"""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Executable, MetaData, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.orm import DeclarativeBase, Session
from sqlalchemy.pool import StaticPool

from catalog.errors import InvalidInput, SettingsError, Unavailable

_BUSY_MS = 30_000  # how long a writer waits for another; longer than any transaction of ours
_IDLE_MS = 120_000
"""After so long without a word PostgreSQL ends the transaction of a writer: its process is frozen or cannot be reached, and
all others wait for it."""
_ENDED_IDLE = "25P03"
"""PostgreSQL's code for `idle_in_transaction_session_timeout`."""
_POOL: dict[str, Any] = {"max_overflow": -1}
"""Writers hold a connection while they wait for one another. Were connections bounded, those who wait could take all of
them, and the one they wait for would in turn wait for a reader who gets none: 15 calls waited 30 seconds."""
_MIGRATION_LOCK = 8_484_001  # any numbers, the same in every process: PostgreSQL's advisory locks of the migrations
_WRITER_LOCK = 8_484_002  # and of writers


class Base(DeclarativeBase):
    """Every table of every room. Constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class Database:
    """Sessions on the record store.

    >>> with database.begin() as session:   # writes; commits at the end, rolls back on an error
    ...     session.add(row)

    `begin` inside `begin` (same thread, same task) joins the outer transaction, so that two rooms can write as one.
    """

    def __init__(self, url: str) -> None:
        """`url`: `sqlite:///path` or `postgresql+psycopg://user@host/name`. Raises SettingsError when it is neither."""
        try:
            self.url: URL = make_url(url)
        except ArgumentError:
            raise SettingsError(
                "WEIR_DATABASE__URL is not a database URL; write sqlite:////path/weir.db or"
                " postgresql+psycopg://user:password@host/name."
            ) from None
        if self.url.drivername == "postgresql":
            self.url = self.url.set(drivername="postgresql+psycopg")
        if self.url.get_backend_name() not in ("sqlite", "postgresql"):
            raise SettingsError(
                f"WEIR_DATABASE__URL asks for {self.url.get_backend_name()!r};"
                " Weir keeps its record in sqlite or postgresql."
            )
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        if self.url.get_driver_name() == "psycopg" and find_spec("psycopg") is None:
            raise SettingsError(
                "WEIR_DATABASE__URL names a PostgreSQL, whose driver is not installed: pip install 'weir-catalog[postgres]'."
            )
        self.engine = self._engine()
        # Both share one pool; only how a transaction begins differs. A SQLite transaction that reads first and writes
        # later fails when another wrote in between, so writers take the lock at once.
        self._writing = self.engine.execution_options(weir_begin="BEGIN IMMEDIATE")
        self._current: ContextVar[tuple[int, Session] | None] = ContextVar("weir_session", default=None)
        self.idle_ms: Callable[[], int] = lambda: _IDLE_MS
        """For how long PostgreSQL waits in a writer's transaction for its next statement, in milliseconds."""
        self.before_write: Callable[[Session], None] = lambda _: None
        """Called at the beginning of each writing transaction, with the lock of writers; what it raises ends the transaction."""

    def _engine(self) -> Engine:
        if not self.is_sqlite:
            return create_engine(self.url, pool_pre_ping=True, connect_args={"connect_timeout": 5}, **_POOL)
        options: dict[str, Any] = {"connect_args": {"timeout": _BUSY_MS / 1000}, "json_deserializer": _read_json}
        if not self.url.database or self.url.database == ":memory:":
            options |= {"poolclass": StaticPool, "connect_args": {"check_same_thread": False}}
        else:
            options |= _POOL
        engine = create_engine(self.url, **options)
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine

    @contextmanager
    def begin(self) -> Iterator[Session]:
        """A session for writing. Raises Unavailable when the database does not answer or stays locked.

        Writers come one after another on both databases, so that read-then-write needs no thought of others. A record
        of governance is written seldom and shortly.
        """
        with self._session(self._writing, writes=True) as session:
            yield session

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading: sees one state of the store, and waits for no writer."""
        with self._session(self.engine, writes=False) as session:
            yield session

    @contextmanager
    def _session(self, engine: Engine, writes: bool) -> Iterator[Session]:
        outer = self._current.get()
        # A thread started inside a transaction inherits the context, but must not use the session of another thread.
        if outer is not None and outer[0] == threading.get_ident():
            if writes and not outer[1].info["writes"]:
                raise RuntimeError("A write was begun inside a read; begin the write outside.")
            yield outer[1]
            return
        session = Session(engine, expire_on_commit=False, info={"writes": writes, "after_commit": []})
        token = self._current.set((threading.get_ident(), session))
        try:
            with self.translated(), session.begin():
                if writes:
                    # Now, and not at the first statement: a caller may take a lock of this process before that one, and who
                    # waits for this database with such a lock in hand keeps out the writer that it waits for.
                    session.connection()
                if writes and not self.is_sqlite:
                    session.connection().exec_driver_sql(
                        f"SET LOCAL lock_timeout = {_BUSY_MS}; SET LOCAL idle_in_transaction_session_timeout = {self.idle_ms()};"
                        f" SELECT pg_advisory_xact_lock({_WRITER_LOCK})"
                    )
                if writes:
                    self.before_write(session)
                yield session
        finally:
            self._current.reset(token)
            session.close()
        for action in session.info["after_commit"]:
            action()

    @property
    def is_writing(self) -> bool:
        """Whether this thread is inside `begin`."""
        outer = self._current.get()
        return outer is not None and outer[0] == threading.get_ident() and bool(outer[1].info["writes"])

    def one(self, statement: Executable) -> Sequence[Any] | None:
        """The first row of a short read, without a session of its own: for what is asked many times a second."""
        outer = self._current.get()
        if outer is not None and outer[0] == threading.get_ident():
            return outer[1].execute(statement).first()
        with self.translated(), self.engine.connect() as connection:
            return connection.execute(statement).first()

    def after_commit(self, action: Callable[[], None]) -> None:
        """Do this once this thread's transaction is committed, never when it fails; at once outside of one."""
        outer = self._current.get()
        if outer is not None and outer[0] == threading.get_ident():
            outer[1].info["after_commit"].append(action)
        else:
            action()

    @contextmanager
    def translated(self) -> Iterator[None]:
        """Turns a database that does not answer into Unavailable, and a text that PostgreSQL cannot keep into InvalidInput;
        other errors of the driver pass."""
        try:
            yield
        except DataError as error:
            if "NUL" not in str(error.orig):
                raise
            raise InvalidInput(
                "A text has a NUL character, which the record store does not keep; take it out."
            ) from None
        except DBAPIError as error:
            if not _is_away(error):
                raise
            raise Unavailable(
                f"The record store {self.name} does not answer ({_cause(error)}); check WEIR_DATABASE__URL, the disk"
                " and that the server runs.",
                details={"server": self.name},
            ) from error

    @property
    def name(self) -> str:
        """The URL without its password."""
        return self.url.render_as_string(hide_password=True)

    def ping(self) -> None:
        """Raises Unavailable when the database does not answer."""
        with self.read() as session:
            session.execute(text("SELECT 1"))

    def migrate(self) -> None:
        """Bring the schema to the newest version. Safe when several processes start at once, and when it is done.

        Raises Unavailable when the database does not answer, SettingsError when it was written by a newer Weir.
        """
        from catalog.adapters.sql import schema

        self.make_file()
        with self.translated(), self._writing.begin() as connection:
            if not self.is_sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            schema.upgrade(connection, self.name)

    def file(self) -> Path | None:
        """The file of SQLite; None for PostgreSQL and for a database in memory."""
        if not self.is_sqlite or not self.url.database or self.url.database == ":memory:":
            return None
        return Path(self.url.database).absolute()

    def make_file(self) -> None:
        """Make the file of SQLite, for its owner alone, where it is not there. Raises Unavailable where that cannot be done."""
        file = self.file()
        if file is None:
            return
        try:
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # SQLite gives the files beside it (-wal, -shm) the mode of the database itself.
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))
            file.chmod(0o600)
        except OSError as error:
            raise Unavailable(
                f"The folder of the record store {self.name} cannot be made ({error.strerror}); free the disk or"
                " choose another place by WEIR_DATABASE__URL.",
                details={"server": self.name},
            ) from error

    def close(self) -> None:
        self.engine.dispose()


_DECODE = json.JSONDecoder().raw_decode


def _read_json(text: str) -> Any:
    """JSON as it was written here, so without blanks around it: looking for them takes longer than reading most of it."""
    return _DECODE(text)[0]


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    # The driver's own BEGIN comes too late (before the first write) and never for DDL; `_begin_sqlite` sends it instead.
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute(f"PRAGMA busy_timeout = {_BUSY_MS}")
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")  # in WAL: safe against a crash of the process, and fast
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(connection.get_execution_options().get("weir_begin", "BEGIN"))


def _is_away(error: DBAPIError) -> bool:
    """Whether the database, and not what was asked of it, is the cause. PostgreSQL ends the connection of a writer that was
    silent for too long with an error of another kind."""
    return isinstance(error, OperationalError | InterfaceError) or getattr(error.orig, "sqlstate", None) == _ENDED_IDLE


def _cause(error: SQLAlchemyError) -> str:
    """The driver's own first line; it names hosts and files, never a bound value."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return str(original).strip().splitlines()[0] if str(original).strip() else type(original).__name__
