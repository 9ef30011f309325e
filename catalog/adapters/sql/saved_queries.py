"""The record store on SQL: saved queries. See `catalog.saved_queries.SavedQueryStore`."""

from __future__ import annotations

from sqlalchemy import delete, or_, select

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables_saved_queries import SavedQueryRow
from catalog.errors import Conflict
from catalog.saved_queries import SavedQuery


class SqlSavedQueries(SqlPart):
    def put_saved_query(self, query: SavedQuery) -> None:
        same = select(SavedQueryRow.id).where(
            SavedQueryRow.owner == query.owner, SavedQueryRow.name == query.name, SavedQueryRow.id != query.id
        )
        with self._database.begin() as session:  # a writer waits for the other, so nobody saves between the two
            if session.scalar(same) is not None:
                raise Conflict(
                    f"You have a saved query {query.name!r} already; choose another name, or change that one."
                )
            session.merge(
                SavedQueryRow(
                    id=query.id,
                    owner=query.owner,
                    name=query.name,
                    sql=query.sql,
                    purpose=query.purpose,
                    description=query.description,
                    shared=dict(query.shared) if query.shared else None,
                    chart=dict(query.chart) if query.chart is not None else None,
                    created_at=query.created_at,
                    updated_at=query.updated_at,
                )
            )

    def saved_query(self, id: str) -> SavedQuery | None:
        with self._database.read() as session:
            row = session.get(SavedQueryRow, id)
            return _query(row) if row is not None else None

    def saved_queries(self, user: str) -> list[SavedQuery]:
        statement = select(SavedQueryRow).where(or_(SavedQueryRow.owner == user, SavedQueryRow.shared.is_not(None)))
        with self._database.read() as session:
            queries = map(_query, session.scalars(statement))
            return sorted(queries, key=lambda query: (query.updated_at, query.id), reverse=True)

    def delete_saved_query(self, id: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(SavedQueryRow).where(SavedQueryRow.id == id))


def _query(row: SavedQueryRow) -> SavedQuery:
    return SavedQuery(
        id=row.id,
        owner=row.owner,
        name=row.name,
        sql=row.sql,
        created_at=row.created_at,
        updated_at=row.updated_at,
        purpose=row.purpose,
        description=row.description,
        shared=row.shared or None,
        chart=row.chart,
    )
