"""The record store on SQL: where declared documents were applied from. See `catalog.document_origins.OriginStore`."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import delete, select

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables_origins import OriginRow
from catalog.document_origins import Checkout, DocumentOrigin

_SAME = ("kind", "name", "digest", "at", "by", "changed_at", "changed_by")
_AT_ONCE = 500


class SqlOrigins(SqlPart):
    def put_origins(self, origins: Collection[DocumentOrigin]) -> None:
        with self._database.begin() as session:
            for each in origins:
                session.merge(_row(each))

    def origins(self, kind: str) -> dict[str, DocumentOrigin]:
        with self._database.read() as session:
            rows = session.scalars(select(OriginRow).where(OriginRow.kind == kind))
            return {row.name: _origin(row) for row in rows}

    def delete_origins(self, kind: str, names: Collection[str]) -> None:
        listed = sorted(names)
        with self._database.begin() as session:
            for at in range(0, len(listed), _AT_ONCE):
                some = listed[at : at + _AT_ONCE]
                session.execute(delete(OriginRow).where(OriginRow.kind == kind, OriginRow.name.in_(some)))


def _row(origin: DocumentOrigin) -> OriginRow:
    checkout = origin.checkout
    return OriginRow(
        **{name: getattr(origin, name) for name in _SAME},
        repository=checkout.repository,
        commit_id=checkout.commit,
        path=checkout.path,
        dirty=checkout.dirty,
    )


def _origin(row: OriginRow) -> DocumentOrigin:
    checkout = Checkout(row.repository, row.commit_id, row.path, row.dirty)
    return DocumentOrigin(**{name: getattr(row, name) for name in _SAME}, checkout=checkout)
