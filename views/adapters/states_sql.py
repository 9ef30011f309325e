"""What is known of each view, in the record store."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base, Database
from catalog.adapters.sql.types import AnyText, Json

_RUNNER = "_runner"
"""No name of a view, which begin with a letter: this row has when the runner was at work last."""


class ViewStateRow(Base):
    __tablename__ = "view_states"

    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    state: Mapped[dict[str, Any]] = mapped_column(Json)
    wish: Mapped[dict[str, Any]] = mapped_column(Json)


class SqlViewStates:
    """Implements `views.ports.ViewStates`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def beat(self, at: datetime) -> None:
        self.put(_RUNNER, {"at": at.isoformat()})

    def beaten(self) -> datetime | None:
        at = self.get(_RUNNER).get("at")
        return datetime.fromisoformat(at) if at is not None else None

    def get(self, view: str) -> dict[str, Any]:
        with self._database.read() as session:
            row = session.get(ViewStateRow, view)
            return dict(row.state) if row is not None else {}

    def all(self) -> dict[str, dict[str, Any]]:
        with self._database.read() as session:
            return {row.name: dict(row.state) for row in session.scalars(select(ViewStateRow)) if row.name != _RUNNER}

    def names(self) -> set[str]:
        with self._database.read() as session:
            return set(session.scalars(select(ViewStateRow.name))) - {_RUNNER}

    def put(self, view: str, state: Mapping[str, Any]) -> None:
        with self._database.begin() as session:
            row = session.get(ViewStateRow, view)
            if row is None:
                session.add(ViewStateRow(name=view, state=dict(state), wish={}))
            else:
                row.state = dict(state)

    def wish(self, view: str) -> dict[str, Any]:
        with self._database.read() as session:
            # The state beside it is large, and this is asked for again and again.
            return dict(session.scalar(select(ViewStateRow.wish).where(ViewStateRow.name == view)) or {})

    def put_wish(self, view: str, wish: Mapping[str, Any]) -> None:
        with self._database.begin() as session:
            row = session.get(ViewStateRow, view)
            if row is None:
                session.add(ViewStateRow(name=view, state={}, wish=dict(wish)))
            else:
                row.wish = dict(wish)

    def forget(self, view: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(ViewStateRow).where(ViewStateRow.name == view))
