"""Rows of the record store as they are stored, the same from SQLite and PostgreSQL, out of it and into an empty one.

A cell is JSON: text as it is kept (what a database cannot store is still escaped), JSON as its text, a time as
`YYYY-MM-DD HH:MM:SS.ffffff` in UTC, bytes in base64.
"""

from __future__ import annotations

import json
import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DatabaseError

from catalog.adapters.sql import schema
from catalog.adapters.sql.database import Database
from catalog.adapters.sql.table_shapes import Kind, TableShape, shapes
from catalog.backup.contents import Row
from catalog.errors import InvalidInput, SettingsError, Unavailable

_BATCH = 2000
_MOST_NAMED = 3


class StoreCopy:
    """The tables of one transaction."""

    def __init__(self, database: Database, connection: Connection) -> None:
        self._database, self._connection = database, connection
        self._sqlite = database.is_sqlite

    # --- the schema ------------------------------------------------------------------------------------------------

    def revision(self) -> str | None:
        """The revision of the tables, None where there are none. Raises SettingsError for one that is not known here."""
        revision = schema.revision_of(self._connection)
        if revision is not None and not schema.is_known(revision):
            raise schema.newer(f"The record store {self._database.name}")
        return revision

    def begin(self, revision: str) -> None:
        """Make the empty tables of a revision, in place of others that are empty."""
        before = self.revision()
        if before is not None and before != revision:
            self._drop(before)
        schema.upgrade(self._connection, self._database.name, revision)
        for shape in reversed(shapes(revision)):
            self._connection.execute(text(f'DELETE FROM "{shape.name}"'))

    def _drop(self, revision: str) -> None:
        """Remove the tables of a revision; migrations only go forward."""
        for name in (*(shape.name for shape in reversed(shapes(revision))), "alembic_version"):
            self._connection.execute(text(f'DROP TABLE "{name}"'))
        if not self._sqlite:
            self._connection.execute(text("DROP FUNCTION IF EXISTS weir_count_change"))

    def bring_forward(self) -> None:
        """Bring the tables to the newest revision."""
        schema.upgrade(self._connection, self._database.name)

    def filled(self) -> dict[str, int]:
        """Tables that have rows of somebody -> how many."""
        revision = self.revision()
        counts: dict[str, int] = {}
        for shape in shapes(revision) if revision is not None else ():
            listed = ", ".join(f'"{name}"' for name in shape.kinds)
            rows = self._connection.execute(text(f'SELECT {listed} FROM "{shape.name}" LIMIT 2'))
            if [tuple(row) for row in rows] != list(shape.first_rows):
                counts[shape.name] = self._count(shape.name)
        return {name: count for name, count in counts.items() if count}

    # --- out -------------------------------------------------------------------------------------------------------

    def rows(self, shape: TableShape) -> Iterator[Row]:
        """All rows of a table, in the order of its key, in bounded memory."""
        listed = ", ".join(self._read(name, kind) for name, kind in shape.kinds.items())
        order = ", ".join(self._ordered(name, shape.kinds[name]) for name in shape.key)
        changes = [(n, _OUT[kind]) for n, kind in enumerate(shape.kinds.values()) if kind in _OUT]
        result = self._connection.exec_driver_sql(
            f'SELECT {listed} FROM "{shape.name}" ORDER BY {order}',
            execution_options={"stream_results": True, "max_row_buffer": _BATCH},
        )
        for partition in result.partitions(_BATCH):
            for stored in partition:
                row = list(stored)
                for place, change in changes:
                    if row[place] is not None:
                        row[place] = change(row[place])
                yield row

    def last(self, shape: TableShape) -> int | None:
        """The newest number that was given to a row, where the table never gives one again."""
        if not shape.numbered:
            return None
        if self._sqlite:
            value = self._connection.execute(
                text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": shape.name}
            ).scalar()
            return int(value or 0)
        sequence = self._sequence(shape)
        statement = f"SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {sequence}"
        return int(self._connection.execute(text(statement)).scalar() or 0)

    # --- in --------------------------------------------------------------------------------------------------------

    def fill(self, shape: TableShape, rows: Iterable[Row], last: int | None) -> None:
        """Put rows into an empty table. Raises InvalidInput for what the database does not take."""
        columns = ", ".join(f'"{name}"' for name in shape.kinds)
        kinds = _IN_SQLITE if self._sqlite else _IN_POSTGRESQL
        changes = [(n, kinds[kind]) for n, kind in enumerate(shape.kinds.values()) if kind in kinds]
        with self._refusals(shape.name):
            put = self._insert if self._sqlite else self._copy
            put(shape.name, columns, len(shape.kinds), (_changed(row, changes) for row in rows))
        self._number(shape, last)

    def _insert(self, table: str, columns: str, width: int, rows: Iterator[Row]) -> None:
        statement = f'INSERT INTO "{table}" ({columns}) VALUES ({", ".join("?" * width)})'
        while batch := [tuple(row) for row in islice(rows, _BATCH)]:
            self._connection.exec_driver_sql(statement, batch)

    def _copy(self, table: str, columns: str, width: int, rows: Iterator[Row]) -> None:
        driver: Any = self._connection.connection.driver_connection
        with driver.cursor() as cursor, cursor.copy(f'COPY "{table}" ({columns}) FROM STDIN') as copy:
            for row in rows:
                copy.write_row(row)

    def _number(self, shape: TableShape, last: int | None) -> None:
        """Let the next row get a number that no row ever had."""
        if self._sqlite:
            if shape.numbered and last:
                self._connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), {"name": shape.name})
                self._connection.execute(
                    text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"),
                    {"name": shape.name, "last": last},
                )
            return
        sequence = self._sequence(shape)
        if sequence is None:
            return
        newest = self._connection.execute(text(f'SELECT max("{shape.key[0]}") FROM "{shape.name}"')).scalar()
        if number := max(newest or 0, last or 0):
            self._connection.execute(
                text("SELECT setval(:sequence, :number)"), {"sequence": sequence, "number": number}
            )

    def _sequence(self, shape: TableShape) -> str | None:
        """What numbers the rows of a table of PostgreSQL, None where nothing does."""
        if len(shape.key) != 1 or shape.kinds[shape.key[0]] != "int":
            return None
        value = self._connection.execute(
            text("SELECT pg_get_serial_sequence(:table, :column)"),
            {"table": f'"{shape.name}"', "column": shape.key[0]},
        ).scalar()
        return None if value is None else str(value)

    @contextmanager
    def _refusals(self, table: str) -> Iterator[None]:
        driver: Any = self._database.engine.dialect.dbapi
        try:
            yield
        except (DatabaseError, driver.Error) as error:
            original = error.orig if isinstance(error, DatabaseError) else error
            if isinstance(original, driver.OperationalError):
                raise Unavailable(
                    f"The record store {self._database.name} cannot be filled"
                    f" ({str(original).strip().splitlines()[0]}); nothing was kept of the restore.",
                    details={"server": self._database.name},
                ) from error
            raise InvalidInput(
                f"The record store {self._database.name} does not take the rows of {table} ({type(original).__name__});"
                " nothing was kept of the restore."
            ) from error

    def _count(self, table: str) -> int:
        return int(self._connection.execute(text(f'SELECT count(*) FROM "{table}"')).scalar() or 0)

    def _read(self, name: str, kind: Kind) -> str:
        if kind == "json":  # SQLite keeps JSON that is a number as a number
            return f'CAST("{name}" AS TEXT)'
        if kind == "time" and not self._sqlite:
            return f"""to_char("{name}" AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.US')"""
        return f'"{name}"'

    def _ordered(self, name: str, kind: Kind) -> str:
        return f'"{name}" COLLATE "C"' if kind == "text" and not self._sqlite else f'"{name}"'


@contextmanager
def snapshot(database: Database) -> Iterator[StoreCopy]:
    """One state of the whole store; others write meanwhile. Raises Unavailable, SettingsError where there is no store."""
    file = database.file()
    if file is not None and not file.exists():
        raise SettingsError(
            f"There is no record store at {file}; set WEIR_HOME or WEIR_DATABASE__URL to the one of the instance."
        )
    with database.translated(), database.engine.connect() as connection:
        if not database.is_sqlite:
            connection = connection.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        with connection.begin():
            yield StoreCopy(database, connection)


@contextmanager
def into_empty(database: Database) -> Iterator[StoreCopy]:
    """A transaction of a store that is empty: all of it is kept, or nothing. Raises SettingsError where it has rows."""
    database.make_file()
    with database.begin() as session:
        copy = StoreCopy(database, session.connection())
        if filled := copy.filled():
            most = sorted(filled.items(), key=lambda each: -each[1])[:_MOST_NAMED]
            named = ", ".join(f"{count:,} in {name}" for name, count in most)
            raise SettingsError(
                f"The record store {database.name} has rows already ({named}); a backup is restored into an empty one:"
                " set WEIR_HOME to a new folder, or WEIR_DATABASE__URL to a new database."
            )
        yield copy


def _changed(row: Row, changes: Sequence[tuple[int, Callable[[Any], Any]]]) -> Row:
    cells = list(row)
    for place, change in changes:
        if cells[place] is not None:
            cells[place] = change(cells[place])
    return cells


def _json_text(cell: str) -> str:
    """JSON that is a number has the text of SQLite, which keeps the number and not its text."""
    if cell[:1] not in "-0123456789":
        return cell
    number = json.loads(cell)
    return json.dumps(int(number) if isinstance(number, float) and number.is_integer() else number)


def _float_out(cell: float) -> float | str:
    return cell if math.isfinite(cell) else str(cell)


_OUT: dict[Kind, Callable[[Any], Any]] = {
    "json": _json_text,
    "bool": bool,
    "bytes": lambda cell: b64encode(cell).decode(),
    "float": _float_out,
}
_IN_SQLITE: dict[Kind, Callable[[Any], Any]] = {"bytes": b64decode, "float": float}
_IN_POSTGRESQL: dict[Kind, Callable[[Any], Any]] = {
    "bytes": b64decode,
    "float": float,
    "time": lambda cell: f"{cell}+00",
}
