"""Rows given to agents in the record store, counted over all processes: SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from catalog.adapters.sql.database import Database
from policies.adapters.stores.tables import AgentRowsRow


class SqlAgentRows:
    """`AgentRows` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, token_id: str, day: date, rows: int, most: int) -> bool:
        if rows > most:
            return False
        here = (AgentRowsRow.token_id == token_id, AgentRowsRow.day == day.isoformat())
        fits = update(AgentRowsRow).where(*here, AgentRowsRow.given + rows <= most)
        more = fits.values(given=AgentRowsRow.given + rows)
        options = {"synchronize_session": False}
        with self._database.begin() as session:
            done: Any = session.execute(more, execution_options=options)
            if done.rowcount == 1:
                return True
            make = sqlite_insert if self._database.is_sqlite else postgresql_insert
            first = make(AgentRowsRow).values(token_id=token_id, day=day.isoformat(), given=0).on_conflict_do_nothing()
            session.execute(first)  # nothing where another process was first to count today
            done = session.execute(more, execution_options=options)
            return bool(done.rowcount == 1)

    def of(self, day: date) -> Mapping[str, int]:
        rows = select(AgentRowsRow.token_id, AgentRowsRow.given).where(AgentRowsRow.day == day.isoformat())
        with self._database.read() as session:
            return {row.token_id: row.given for row in session.execute(rows)}
