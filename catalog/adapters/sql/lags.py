"""The record store on SQL: how far consumer groups were behind. See `catalog.lags.LagStore`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables_lags import LagRow
from catalog.lags import GroupLag

_AT_ONCE = 500  # rows of a statement


class SqlLags(SqlPart):
    def add_lags(self, samples: Sequence[GroupLag], at: datetime) -> None:
        newest = {(each.cluster, each.topic, each.group): each.lag for each in samples}
        rows = [
            {"cluster": cluster, "topic": topic, "consumer_group": group, "at": at, "lag": lag}
            for (cluster, topic, group), lag in sorted(newest.items())
        ]
        insert: Any = sqlite_insert if self._database.is_sqlite else postgres_insert
        upsert = insert(LagRow.__table__)
        upsert = upsert.on_conflict_do_update(
            index_elements=["cluster", "topic", "consumer_group", "at"], set_={"lag": upsert.excluded.lag}
        )
        for start in range(0, len(rows), _AT_ONCE):
            with self._database.begin() as session:
                session.connection().execute(upsert, rows[start : start + _AT_ONCE])

    def lags(self, cluster: str, topic: str, since: datetime) -> dict[str, list[tuple[datetime, int]]]:
        query = (
            select(LagRow.consumer_group, LagRow.at, LagRow.lag)
            .where(LagRow.cluster == cluster, LagRow.topic == topic, LagRow.at >= since)
            .order_by(LagRow.consumer_group, LagRow.at)
        )
        series: dict[str, list[tuple[datetime, int]]] = {}
        with self._database.read() as session:
            for group, at, lag in session.execute(query):
                series.setdefault(group, []).append((at, lag))
        return series

    def newest_lags(self, since: datetime) -> list[GroupLag]:
        query = select(LagRow).where(LagRow.at >= since).order_by(LagRow.at)
        newest: dict[tuple[str, str, str], GroupLag] = {}
        with self._database.read() as session:
            for row in session.scalars(query):
                key = row.cluster, row.topic, row.consumer_group
                newest[key] = GroupLag(row.cluster, row.topic, row.consumer_group, row.lag)
        return [newest[key] for key in sorted(newest)]

    def forget_lags(self, before: datetime, most: int) -> int:
        with self._database.begin() as session:
            count = self._delete(session, LagRow.at < before)
            if (session.scalar(select(func.count()).select_from(LagRow)) or 0) > most:
                # The sample that is the first beyond what is kept: it goes, with all that are as old or older.
                edge = session.scalar(select(LagRow.at).order_by(LagRow.at.desc()).offset(most).limit(1))
                count += self._delete(session, LagRow.at <= edge)
            return count

    @staticmethod
    def _delete(session: Any, where: Any) -> int:
        done = session.execute(delete(LagRow).where(where).execution_options(synchronize_session=False))
        return int(done.rowcount)
