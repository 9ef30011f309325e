"""The rows of views in SQLite or PostgreSQL, in a database of their own that makes its tables itself."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    Engine,
    Select,
    Table,
    and_,
    create_engine,
    delete,
    event,
    or_,
    select,
    text,
    update,
)  # fmt: skip
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from catalog.errors import NotFound, SettingsError, Unavailable
from views.adapters.serving_changes import forget_some, read_changes, take_away
from views.adapters.serving_files import BUSY_MS, begin_sqlite, make_file, prepare_sqlite
from views.adapters.serving_row import RowBySqlite
from views.adapters.serving_statements import (
    CONTAINED,
    TYPES,
    gone_of,
    insert_arrays,
    insert_one,
    of_generation,
    range_of_keys,
    rows_of,
    some_keys,
)
from views.adapters.serving_tables import (
    GENERATIONS,
    Stored,
    contained_of,
    make_tables,
    offsets_text,
    positions_of,
    positions_text,
    row_of,
    stored,
)  # fmt: skip
from views.model import Positions, Row
from views.ports import Changes, Contained, Versions, Wanted
from views.serving.key_order import bounds, key_bytes

_FEW = 500
"""Keys in one statement."""
_CHUNK = 5_000
"""Rows that one transaction of `drop` deletes."""
_CLEAN_SECONDS = 30.0
"""How long `drop` waits for readers before the log is emptied."""
_SETUP_LOCK = 8_484_003  # the same in every process; beside those of the record store
_MISSING = ("no such table", "does not exist")


class SqlServingTable:
    """`views.ports.ServingTable`. Safe for threads and processes."""

    def __init__(self, url: str) -> None:
        """`url`: `sqlite:////path/views.db` or `postgresql+psycopg://user:password@host/name`. Connects at the first use.

        Raises SettingsError when it is neither.
        """
        try:
            self._url: URL = make_url(url)
            if self._url.drivername == "postgresql":
                self._url = self._url.set(drivername="postgresql+psycopg")
            self._sqlite = self._url.get_backend_name() == "sqlite"
        except (ArgumentError, NoSuchModuleError):
            raise SettingsError(_WRONG_URL) from None
        if self._url.get_backend_name() not in ("sqlite", "postgresql") or (self._sqlite and not self._url.database):
            raise SettingsError(_WRONG_URL)
        try:
            self._engine = self._made()
        except ModuleNotFoundError:
            raise SettingsError(
                "WEIR_VIEWS__SERVING_URL names a PostgreSQL, whose driver is not installed: pip install 'weir-catalog[postgres]'."
            ) from None
        self._writing = self._engine.execution_options(weir_begin="BEGIN IMMEDIATE")
        self._asking = self._engine.execution_options(weir_begin="")
        self._one = RowBySqlite(Path(self._url.database or "")) if self._sqlite else None
        self._known: dict[tuple[str, str], int] = {}
        self._ready = False
        self._setup = threading.Lock()

    def _made(self) -> Engine:
        pool: dict[str, Any] = {"pool_size": 8, "max_overflow": 56}
        if not self._sqlite:
            return create_engine(self._url, pool_pre_ping=True, connect_args={"connect_timeout": 5}, **pool)
        engine = create_engine(self._url, connect_args={"timeout": BUSY_MS / 1000}, **pool)
        event.listen(engine, "connect", prepare_sqlite)
        event.listen(engine, "begin", begin_sqlite)
        return engine

    # --- writing --------------------------------------------------------------------------------------------------

    def prepare(self, view: str, generation: str) -> None:
        if self._prepared(view, generation):
            self.drop(view, generation)  # what an earlier run began
            self._prepared(view, generation)

    def _prepared(self, view: str, generation: str) -> bool:
        """Make room where there is none; whether the one that is there is to be dropped first."""
        with self._transaction() as connection:
            values = {"positions": "{}", "offsets": "{}", "rows": 0, "dropping": False}
            insert: Any = sqlite.insert if self._sqlite else postgresql.insert
            new = insert(GENERATIONS).values(view=view, generation=generation, **values)
            number = connection.scalar(new.on_conflict_do_nothing().returning(GENERATIONS.c.id))
            if number is not None:
                rows_of(number).create(connection)
                gone_of(number).create(connection)
                return False
            return bool(connection.scalar(of_generation(view, generation, GENERATIONS.c.dropping)))

    def write(
        self, view: str, generation: str, rows: Sequence[Row], gone: Sequence[str], positions: Positions
    ) -> tuple[int, int]:
        """See the port. A batch that ends before what is contained already was written by an earlier run: it changes
        nothing. Raises NotFound for a generation that was never prepared or is dropped."""
        keyed = {key_bytes(row.key): row for row in rows}
        taken = sorted({key_bytes(key) for key in gone} - keyed.keys())
        with self._transaction() as connection:
            number, before, version = self._locked(connection, view, generation)
            if _earlier(positions, before):
                return 0, 0
            version += 1 if keyed or taken else 0
            new = self._upsert(connection, rows_of(number), [stored(key, keyed[key], version) for key in sorted(keyed)])
            lost = sum(take_away(connection, number, keys, version, time.time()) for keys in _chunks(taken))
            merged = {**before, **{p: max(offset, before.get(p, 0)) for p, offset in positions.items()}}
            state = {
                "positions": positions_text(merged), "rows": GENERATIONS.c.rows + (new - lost), "version": version,
            }  # fmt: skip
            connection.execute(update(GENERATIONS).where(GENERATIONS.c.id == number).values(state))
            return new, lost

    def expire(self, view: str, generation: str, before: Positions) -> int:
        """See the port. In short transactions, so that the feed waits for none of them. Raises NotFound for a generation
        that was never prepared or is dropped."""
        gone = 0
        while before:
            with self._transaction() as connection:
                number, _, version = self._locked(connection, view, generation)
                table = rows_of(number)
                old = or_(*(and_(table.c.partition == p, table.c.offset < offset) for p, offset in before.items()))
                keys = list(connection.scalars(select(table.c.key).where(old).limit(_FEW)))
                version += 1 if keys else 0
                lost = take_away(connection, number, keys, version, time.time()) if keys else 0
                state = {"rows": GENERATIONS.c.rows - lost, "version": version}
                connection.execute(update(GENERATIONS).where(GENERATIONS.c.id == number).values(state))
            gone += lost
            if len(keys) < _FEW:
                break
        return gone

    def contain(self, view: str, generation: str, offsets: Mapping[str, Positions], at: datetime) -> None:
        """Raises NotFound for a generation that was never prepared or is dropped."""
        with self._transaction() as connection:
            number, _, _ = self._locked(connection, view, generation)
            state = {"offsets": offsets_text(offsets), "at": at.isoformat()}
            connection.execute(update(GENERATIONS).where(GENERATIONS.c.id == number).values(state))

    def drop(self, view: str, generation: str) -> int:
        """See the port. The rows are gone for readers at once; the bytes leave the files in short transactions, so that
        writers wait for none of them. Raises Unavailable when readers keep SQLite's log for half a minute: call again.
        """
        with self._transaction() as connection:
            stored_row = connection.execute(
                of_generation(view, generation, GENERATIONS.c.id, GENERATIONS.c.rows)
            ).first()
            if stored_row is not None:
                mark = update(GENERATIONS).where(GENERATIONS.c.id == stored_row.id).values(dropping=True)
                connection.execute(mark)
        if stored_row is not None:
            self._known.pop((view, generation), None)
            tables = rows_of(stored_row.id), gone_of(stored_row.id)
            while self._sqlite and any(self._delete_some(table) for table in tables):
                pass
            with self._transaction() as connection:
                for table in tables:
                    table.drop(connection, checkfirst=True)
                connection.execute(delete(GENERATIONS).where(GENERATIONS.c.id == stored_row.id))
        self._clean()
        return int(stored_row.rows) if stored_row is not None else 0

    def scrub(self) -> None:
        """Rewrite the files so that no byte of a row that was changed or taken away is left in them: a page that is split
        keeps copies of the rows that moved. To be called after an erasure. Takes some seconds for a million rows, in which
        writers wait (readers too, of PostgreSQL), and needs as much free disk as the rows. Keys that are gone are forgotten:
        who follows a view and has not seen them yet gets all rows again. Raises Unavailable."""
        with self._transaction() as connection:
            numbers = list(connection.scalars(select(GENERATIONS.c.id).where(~GENERATIONS.c.dropping)))
            for number in numbers:
                forget_some(connection, number, None)
        with self._translated(), self._engine.connect() as connection:
            if self._sqlite:
                raw = connection.connection.driver_connection
                assert raw is not None
                raw.execute("PRAGMA temp_store = FILE")  # the copy would be in memory else
                raw.execute("VACUUM")
                connection.invalidate()
            else:
                alone = connection.execution_options(isolation_level="AUTOCOMMIT")
                for table in (*map(rows_of, numbers), *map(gone_of, numbers)):
                    alone.execute(text(f"VACUUM FULL {table.name}"))
        self._clean()

    def _delete_some(self, table: Table) -> int:
        with self._transaction() as connection:
            some = select(table.c.key).order_by(table.c.key).limit(_CHUNK).scalar_subquery()
            return connection.execute(delete(table).where(table.c.key.in_(some))).rowcount

    def _upsert(self, connection: Connection, table: Table, values: list[Stored]) -> int:
        """How many of them are new. They go first, since a filled table is the rule at the start of a view."""
        if not values:
            return 0
        new = self._inserted(connection, table, values, False)
        if new < len(values):
            self._inserted(connection, table, values, True)
        return new

    def _inserted(self, connection: Connection, table: Table, values: list[Stored], replace: bool) -> int:
        if self._sqlite:  # tuples by way of the driver: half the time of dicts by way of SQLAlchemy
            return connection.exec_driver_sql(insert_one(table, replace), values).rowcount
        columns = {f"all_{name}": list(column) for name, column in zip(TYPES, zip(*values, strict=True), strict=True)}
        options = {"preserve_rowcount": True}
        return connection.execute(insert_arrays(table, replace), columns, execution_options=options).rowcount

    def _locked(self, connection: Connection, view: str, generation: str) -> tuple[int, dict[int, int], int]:
        """Id, positions and version of a generation, which nobody else changes until the end of the transaction."""
        asked = of_generation(view, generation, GENERATIONS.c.id, GENERATIONS.c.positions, GENERATIONS.c.version)
        stored_row = connection.execute(asked.where(~GENERATIONS.c.dropping).with_for_update()).first()
        if stored_row is None:
            raise NotFound(f"The serving table has no generation {generation} of the view {view}; prepare it first.")
        return stored_row.id, positions_of(stored_row.positions), stored_row.version

    def forget_gone(self, view: str, generation: str, before: datetime) -> int:
        with self._transaction() as connection:
            number = connection.scalar(of_generation(view, generation, GENERATIONS.c.id).where(~GENERATIONS.c.dropping))
            return forget_some(connection, number, before.timestamp()) if number is not None else 0

    # --- reading --------------------------------------------------------------------------------------------------

    def contained(self, view: str, generation: str) -> Contained:
        with self._reading() as connection:
            stored_row = connection.execute(CONTAINED, {"view": view, "generation": generation}).first()
        return contained_of(*stored_row) if stored_row is not None else Contained(there=False)

    def read(self, view: str, generation: str, wanted: Wanted, limit: int) -> list[Row]:
        """See the port. Raises InvalidInput for a key that is not a JSON list, or a bound that is too long."""
        low, high = bounds(wanted)
        if limit <= 0 or (high is not None and low >= high):
            return []
        if self._one is not None and wanted.keys is not None and len(wanted.keys) == 1:
            return self._by_key(self._one, view, generation, wanted.keys[0], low, high)
        with self._reading(wanted.keys is None or len(wanted.keys) <= _FEW) as connection:
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
            with self._reading() as connection:
                number = self._number(connection, view, generation)
        if number is None:
            return []
        with self._translated():
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
        asked = sorted(each for each in encoded if low <= each and (high is None or each < high))
        rows: list[Row] = []
        for some in _chunks(asked):
            rows += _fetched(connection, some_keys(table), {"keys": some, "n": limit - len(rows)})
            if len(rows) >= limit:
                break
        return rows

    def versions(self, view: str, generation: str) -> Versions:
        asked = of_generation(view, generation, GENERATIONS.c.version, GENERATIONS.c.forgotten)
        with self._reading() as connection:
            stored_row = connection.execute(asked.where(~GENERATIONS.c.dropping)).first()
        return Versions(*stored_row) if stored_row is not None else Versions()

    def changes(self, view: str, generation: str, after: int, until: int, limit: int, gone: bool = True) -> Changes:
        with self._reading(at_once=False) as connection:
            number = self._number(connection, view, generation)
            try:
                return read_changes(connection, number, after, until, limit, gone) if number else Changes((), until)
            except DBAPIError as error:
                if not any(each in str(error.orig) for each in _MISSING):
                    raise
                self._known.pop((view, generation), None)  # dropped by another process in between
                return Changes((), until)

    def count(self, view: str, generation: str) -> int:
        with self._reading() as connection:
            asked = of_generation(view, generation, GENERATIONS.c.rows).where(~GENERATIONS.c.dropping)
            return int(connection.scalar(asked) or 0)

    def generations(self, view: str) -> list[str]:
        """In the order they were prepared; one whose `drop` did not end is among them."""
        with self._reading() as connection:
            asked = select(GENERATIONS.c.generation).where(GENERATIONS.c.view == view).order_by(GENERATIONS.c.id)
            return list(connection.scalars(asked))

    def _number(self, connection: Connection, view: str, generation: str) -> int | None:
        """The id of a generation. Ids are never given twice, so a remembered one is right or its table is gone."""
        known = self._known.get((view, generation))
        if known is None:
            known = connection.scalar(of_generation(view, generation, GENERATIONS.c.id).where(~GENERATIONS.c.dropping))
            if known is not None:
                self._known[view, generation] = known
        return known

    # --- connections ----------------------------------------------------------------------------------------------

    def close(self) -> None:
        if self._one is not None:
            self._one.close()
        self._engine.dispose()

    @contextmanager
    def _transaction(self) -> Iterator[Connection]:
        with self._translated():
            self._set_up()
            with self._writing.begin() as connection:
                yield connection

    @contextmanager
    def _reading(self, at_once: bool = True) -> Iterator[Connection]:
        """`at_once`: one statement is read; else several, all as of the first one."""
        with self._translated():
            self._set_up()
            with (self._asking if at_once else self._engine).connect() as connection:
                yield connection

    def _set_up(self) -> None:
        if not self._ready:
            with self._setup:
                self._make_tables()
            self._ready = True

    def _make_tables(self) -> None:
        """Nothing where they are."""
        if self._sqlite:
            make_file(Path(self._url.database or ""))
        with self._writing.begin() as connection:
            if not self._sqlite:
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _SETUP_LOCK})
            make_tables(connection)

    def _clean(self) -> None:
        """Empty SQLite's log, which holds copies of pages as they were."""
        if not self._sqlite:
            return
        until = time.monotonic() + _CLEAN_SECONDS
        with self._translated(), self._engine.connect() as connection:
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
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, sqlite3.Error, OSError) as error:
            raise Unavailable(
                f"The database of views {self._url.render_as_string(hide_password=True)} does not answer"
                f" ({_cause(error)}); check WEIR_VIEWS__SERVING_URL, the disk and that the server runs.",
                details={"server": "views"},
            ) from error


_WRONG_URL = (
    "WEIR_VIEWS__SERVING_URL is not the URL of a database; write sqlite:////path/views.db or"
    " postgresql+psycopg://user:password@host/name."
)


def _earlier(positions: Positions, contained: Positions) -> bool:
    """Whether a batch that ends here came before what is contained."""
    return all(offset <= contained.get(p, 0) for p, offset in positions.items()) and any(
        offset < contained.get(p, 0) for p, offset in positions.items()
    )


def _chunks(keys: Sequence[bytes]) -> Iterator[list[bytes]]:
    rest = iter(keys)
    while some := list(islice(rest, _FEW)):
        yield some


def _fetched(connection: Connection, statement: Select[Any], values: Mapping[str, Any]) -> list[Row]:
    return [row_of(*each) for each in connection.execute(statement, {k: v for k, v in values.items() if v is not None})]


def _cause(error: Exception) -> str:
    """The driver's own first line; it names hosts and files, never a bound value."""
    original = error.orig if isinstance(error, DBAPIError) else error
    lines = str(original).strip().splitlines()
    return lines[0] if lines else type(original).__name__
