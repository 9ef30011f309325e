"""What is known of each view, in the record store."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Column, MetaData, Table, delete, insert, select, update
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.beside import BesideDatabase
from catalog.adapters.sql.database import Base, Database
from catalog.adapters.sql.types import AnyText, Json
from views.model import Wish

_RUNNER = "_runner"
"""No name of a view, which begin with a letter. Before 0.2.0 this row had what `view_runner` has now."""
_WORK = Table("view_runner", MetaData(), Column("id", AnyText, primary_key=True), Column("at", AnyText, nullable=False))
"""When the runner was at work last. No table of the record store, where each change wakes every duty."""
_ONLY = "runner"


class ViewStateRow(Base):
    __tablename__ = "view_states"

    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    state: Mapped[dict[str, object]] = mapped_column(Json)
    wish: Mapped[Wish] = mapped_column(Json)


class SqlViewStates:
    """Implements `views.ports.ViewStates`."""

    def __init__(self, database: Database) -> None:
        self._database, self._beside = database, BesideDatabase(database, [_WORK])

    def close(self) -> None:
        self._beside.close()

    def beat(self, at: datetime) -> None:
        with self._beside.transaction() as connection:
            if connection.execute(update(_WORK).values(at=at.isoformat())).rowcount == 0:
                connection.execute(insert(_WORK).values(id=_ONLY, at=at.isoformat()))

    def beaten(self) -> datetime | None:
        with self._beside.transaction() as connection:
            at = connection.execute(select(_WORK.c.at)).scalar()
        return datetime.fromisoformat(at) if at is not None else None

    def get(self, view: str) -> dict[str, object]:
        with self._database.read() as session:
            row = session.get(ViewStateRow, view)
            return dict(row.state) if row is not None else {}

    def all(self) -> dict[str, dict[str, object]]:
        with self._database.read() as session:
            return {row.name: dict(row.state) for row in session.scalars(select(ViewStateRow)) if row.name != _RUNNER}

    def names(self) -> set[str]:
        with self._database.read() as session:
            return set(session.scalars(select(ViewStateRow.name))) - {_RUNNER}

    def put(self, view: str, state: Mapping[str, object]) -> None:
        with self._database.begin() as session:
            row = session.get(ViewStateRow, view)
            if row is None:
                session.add(ViewStateRow(name=view, state=dict(state), wish={}))
            else:
                row.state = dict(state)

    def wish(self, view: str) -> Wish:
        with self._database.read() as session:
            # The state beside it is large, and this is asked for again and again.
            return session.scalar(select(ViewStateRow.wish).where(ViewStateRow.name == view)) or {}

    def put_wish(self, view: str, wish: Wish) -> None:
        with self._database.begin() as session:
            row = session.get(ViewStateRow, view)
            if row is None:
                session.add(ViewStateRow(name=view, state={}, wish=wish.copy()))
            else:
                row.wish = wish.copy()

    def forget(self, view: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(ViewStateRow).where(ViewStateRow.name == view))
