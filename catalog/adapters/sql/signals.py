"""The record store on SQL: what people do with datasets. See `catalog.signals.SignalStore`."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from itertools import permutations

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from catalog.adapters.sql.base import SqlPart, find_row
from catalog.adapters.sql.tables import DatasetRow
from catalog.adapters.sql.tables_signals import ClickRow, TogetherRow
from catalog.model import DatasetId
from catalog.signals import CLICKS_KEPT, PAIRS_KEPT, JointReads, added, weight


class SqlSignals(SqlPart):
    def add_click(self, query: str, dataset: DatasetId, at: datetime) -> None:
        with self._database.begin() as session:
            target = find_row(session, dataset)
            if target is None:
                return
            row = session.get(ClickRow, (query, target.id))
            if row is not None:
                row.score = added(row.score, at)
                return
            session.add(ClickRow(query=query, dataset_id=target.id, score=added(None, at)))
            session.flush()
            _forget_weakest(session, ClickRow, CLICKS_KEPT)

    def clicks(self, query: str, at: datetime) -> dict[DatasetId, float]:
        statement = (
            select(DatasetRow.namespace, DatasetRow.name, ClickRow.score)
            .join(ClickRow, ClickRow.dataset_id == DatasetRow.id)
            .where(ClickRow.query == query, DatasetRow.deleted_at.is_(None))
        )
        with self._database.read() as session:
            return {DatasetId(place, name): weight(score, at) for place, name, score in session.execute(statement)}

    def add_together(self, datasets: Collection[DatasetId], at: datetime) -> None:
        with self._database.begin() as session:
            ids = {target.id for each in datasets if (target := find_row(session, each)) is not None}
            new = False
            for one, other in permutations(sorted(ids), 2):
                row = session.get(TogetherRow, (one, other))
                if row is None:
                    session.add(TogetherRow(dataset_id=one, other_id=other, queries=1, score=added(None, at)))
                    new = True
                else:
                    row.queries, row.score = row.queries + 1, added(row.score, at)
            if new:
                session.flush()
                _forget_weakest(session, TogetherRow, PAIRS_KEPT)

    def together(self, dataset: DatasetId, at: datetime) -> dict[DatasetId, JointReads]:
        with self._database.read() as session:
            own = find_row(session, dataset)
            if own is None:
                return {}
            statement = (
                select(DatasetRow.namespace, DatasetRow.name, TogetherRow.queries, TogetherRow.score)
                .join(TogetherRow, TogetherRow.other_id == DatasetRow.id)
                .where(TogetherRow.dataset_id == own.id, DatasetRow.deleted_at.is_(None))
            )
            rows = session.execute(statement)
            return {DatasetId(place, name): JointReads(count, weight(score, at)) for place, name, count, score in rows}


def _forget_weakest(session: Session, table: type[ClickRow | TogetherRow], most: int) -> None:
    """Forget what is beyond `most` rows, and a hundredth more, so that not every new row costs a look at all."""
    if (session.scalar(select(func.count()).select_from(table)) or 0) <= most:
        return
    edge = session.scalar(select(table.score).order_by(table.score.desc()).offset(most - most // 100 - 1).limit(1))
    session.execute(delete(table).where(table.score < edge).execution_options(synchronize_session=False))
