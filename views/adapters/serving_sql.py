"""The rows of views in SQLite or PostgreSQL, in a database of their own that makes its tables itself."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, and_, delete, or_, select, update
from sqlalchemy.dialects import postgresql, sqlite

from catalog.errors import NotFound
from views.adapters.serving_changes import forget_some, take_away
from views.adapters.serving_database import ServingDatabase
from views.adapters.serving_reads import FEW, ServingReads, chunks
from views.adapters.serving_statements import TYPES, gone_of, insert_arrays, insert_one, of_generation, rows_of
from views.adapters.serving_tables import GENERATIONS, Stored, offsets_text, positions_of, positions_text, stored
from views.model import Positions, Row
from views.serving.key_order import key_bytes

_CHUNK = 5_000
"""Rows that one transaction of `drop` deletes."""


class SqlServingTable(ServingReads):
    """`views.ports.ServingTable`. Safe for threads and processes."""

    def __init__(self, url: str) -> None:
        """`url`: `sqlite:////path/views.db` or `postgresql+psycopg://user:password@host/name`. Connects at the first use.

        Raises SettingsError when it is neither.
        """
        super().__init__(ServingDatabase(url))

    def close(self) -> None:
        if self._one is not None:
            self._one.close()
        self._database.close()

    def prepare(self, view: str, generation: str) -> None:
        if self._prepared(view, generation):
            self.drop(view, generation)  # what an earlier run began
            self._prepared(view, generation)

    def _prepared(self, view: str, generation: str) -> bool:
        """Make room where there is none; whether the one that is there is to be dropped first."""
        with self._database.transaction() as connection:
            values = {"positions": "{}", "offsets": "{}", "rows": 0, "dropping": False}
            insert: Any = sqlite.insert if self._database.is_sqlite else postgresql.insert
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
        removed = sorted({key_bytes(key) for key in gone} - keyed.keys())
        with self._database.transaction() as connection:
            number, before, version = self._locked(connection, view, generation)
            if _earlier(positions, before):
                return 0, 0
            version += 1 if keyed or removed else 0
            new = self._upsert(connection, rows_of(number), [stored(key, keyed[key], version) for key in sorted(keyed)])
            lost = sum(take_away(connection, number, keys, version, time.time()) for keys in chunks(removed))
            merged = {**before, **{p: max(offset, before.get(p, 0)) for p, offset in positions.items()}}
            state = {
                "positions": positions_text(merged),
                "rows": GENERATIONS.c.rows + (new - lost),
                "version": version,
            }
            connection.execute(update(GENERATIONS).where(GENERATIONS.c.id == number).values(state))
            return new, lost

    def expire(self, view: str, generation: str, before: Positions) -> int:
        """See the port. In short transactions, so that the feed waits for none of them. Raises NotFound for a generation
        that was never prepared or is dropped."""
        count = 0
        while before:
            with self._database.transaction() as connection:
                number, _, version = self._locked(connection, view, generation)
                table = rows_of(number)
                old = or_(*(and_(table.c.partition == p, table.c.offset < offset) for p, offset in before.items()))
                keys = list(connection.scalars(select(table.c.key).where(old).limit(FEW)))
                version += 1 if keys else 0
                lost = take_away(connection, number, keys, version, time.time()) if keys else 0
                state = {"rows": GENERATIONS.c.rows - lost, "version": version}
                connection.execute(update(GENERATIONS).where(GENERATIONS.c.id == number).values(state))
            count += lost
            if len(keys) < FEW:
                break
        return count

    def contain(self, view: str, generation: str, offsets: Mapping[str, Positions], at: datetime) -> None:
        """Raises NotFound for a generation that was never prepared or is dropped."""
        with self._database.transaction() as connection:
            number, _, _ = self._locked(connection, view, generation)
            state = {"offsets": offsets_text(offsets), "at": at.isoformat()}
            connection.execute(update(GENERATIONS).where(GENERATIONS.c.id == number).values(state))

    def drop(self, view: str, generation: str) -> int:
        """See the port. The rows are gone for readers at once; the bytes leave the files in short transactions, so that
        writers wait for none of them. Raises Unavailable when readers keep SQLite's log for half a minute: call again.
        """
        with self._database.transaction() as connection:
            stored_row = connection.execute(
                of_generation(view, generation, GENERATIONS.c.id, GENERATIONS.c.rows)
            ).first()
            if stored_row is not None:
                mark = update(GENERATIONS).where(GENERATIONS.c.id == stored_row.id).values(dropping=True)
                connection.execute(mark)
        if stored_row is not None:
            self._known.pop((view, generation), None)
            tables = rows_of(stored_row.id), gone_of(stored_row.id)
            while self._database.is_sqlite and any(self._delete_some(table) for table in tables):
                pass
            with self._database.transaction() as connection:
                for table in tables:
                    table.drop(connection, checkfirst=True)
                connection.execute(delete(GENERATIONS).where(GENERATIONS.c.id == stored_row.id))
        self._database.clean()
        return int(stored_row.rows) if stored_row is not None else 0

    def _delete_some(self, table: Table) -> int:
        with self._database.transaction() as connection:
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
        if self._database.is_sqlite:  # tuples by way of the driver: half the time of dicts by way of SQLAlchemy
            return connection.exec_driver_sql(insert_one(table, replace), values).rowcount
        columns = {f"all_{name}": list(column) for name, column in zip(TYPES, zip(*values, strict=True), strict=True)}
        options = {"preserve_rowcount": True}
        return connection.execute(insert_arrays(table, replace), columns, execution_options=options).rowcount

    def _locked(self, connection: Connection, view: str, generation: str) -> tuple[int, dict[int, int], int]:
        """Id, positions and version of a generation, which nobody else changes until the end of the transaction."""
        statement = of_generation(view, generation, GENERATIONS.c.id, GENERATIONS.c.positions, GENERATIONS.c.version)
        stored_row = connection.execute(statement.where(~GENERATIONS.c.dropping).with_for_update()).first()
        if stored_row is None:
            raise NotFound(f"The serving table has no generation {generation} of the view {view}; prepare it first.")
        return stored_row.id, positions_of(stored_row.positions), stored_row.version

    def forget_gone(self, view: str, generation: str, before: datetime) -> int:
        with self._database.transaction() as connection:
            number = connection.scalar(of_generation(view, generation, GENERATIONS.c.id).where(~GENERATIONS.c.dropping))
            return forget_some(connection, number, before.timestamp()) if number is not None else 0


def _earlier(positions: Positions, contained: Positions) -> bool:
    """Whether a batch that ends here came before what is contained."""
    return all(offset <= contained.get(p, 0) for p, offset in positions.items()) and any(
        offset < contained.get(p, 0) for p, offset in positions.items()
    )
