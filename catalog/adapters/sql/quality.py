"""The record store on SQL: quality over time. See `catalog.quality_store.QualityStore`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime
from functools import cache, lru_cache
from typing import Any, cast

from sqlalchemy import Table, and_, bindparam, delete, or_, select
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert
from sqlalchemy.orm import InstrumentedAttribute

from catalog.adapters.sql.base import SqlPart, need_row
from catalog.adapters.sql.tables import DatasetRow
from catalog.adapters.sql.tables_quality import AnomalyRow, QualityMarkRow, QualityPointRow, QualityStateRow
from catalog.model import DatasetId
from catalog.quality_store import (
    MOST_ANOMALIES,
    MOST_MARKS,
    MOST_POINTS,
    Anomaly,
    QualityMark,
    QualityPoint,
    QualityState,
    Tier,
    anomaly_order,
)

_ANOMALY = tuple(name for name in Anomaly.__dataclass_fields__ if name != "dataset")
_MARK = tuple(name for name in QualityMark.__dataclass_fields__ if name != "dataset")
_STATES, _MARKS = QualityStateRow.__table__, QualityMarkRow.__table__
_POINTS = cast(Table, QualityPointRow.__table__)

# Made once: every scan runs them, and to make them takes longer than to run them.
_ID = select(DatasetRow.id).where(DatasetRow.namespace == bindparam("namespace"), DatasetRow.name == bindparam("name"))
_OWN = _ID.scalar_subquery()
_STATE = select(*_STATES.c).where(_STATES.c.dataset_id == _OWN)
_NEWEST_MARKS = select(*_MARKS.c).where(_MARKS.c.dataset_id == _OWN).order_by(_MARKS.c.ends_at.desc(), _MARKS.c.id)


@lru_cache(maxsize=256)
def _at(counts: tuple[tuple[Tier, int], ...]) -> Any:
    """Points at so many moments of each tier. One statement for each set of counts, of which checks have few: to expand a list
    takes as long as the query."""
    columns = (_POINTS.c.tier, _POINTS.c.at, _POINTS.c.scans, _POINTS.c.packed)
    places = [
        and_(
            _POINTS.c.tier == str(tier),
            _POINTS.c.at.in_([bindparam(f"{tier}_{n}", type_=_POINTS.c.at.type) for n in range(count)]),
        )
        for tier, count in counts
    ]
    return select(*columns).where(_POINTS.c.dataset_id == _OWN, or_(*places)).order_by(_POINTS.c.at)


def _oldest(tier: Tier) -> Any:
    """What is behind the newest points of a tier."""
    of_tier = and_(_POINTS.c.dataset_id == bindparam("of"), _POINTS.c.tier == str(tier))
    newest = select(_POINTS.c.at).where(of_tier).order_by(_POINTS.c.at.desc()).limit(1)
    return and_(of_tier, _POINTS.c.at <= newest.offset(bindparam(f"most_{tier}")).scalar_subquery())


@cache
def _forget(tiers: frozenset[Tier]) -> Any:
    return delete(_POINTS).where(or_(*map(_oldest, sorted(tiers))))


def _upsert(insert: Any, table: Any, *keys: str) -> Any:
    statement = insert(table)
    fresh = {column.name: statement.excluded[column.name] for column in table.c if column.name not in keys}
    return statement.on_conflict_do_update(index_elements=list(keys), set_=fresh)


_PUT_STATE = {insert: _upsert(insert, _STATES, "dataset_id") for insert in (sqlite_insert, postgres_insert)}
_PUT_POINTS = {
    insert: _upsert(insert, _POINTS, "dataset_id", "tier", "at") for insert in (sqlite_insert, postgres_insert)
}


def _named(dataset: DatasetId) -> dict[str, str]:
    return {"namespace": dataset.namespace, "name": dataset.name}


def _is(dataset: DatasetId, column: InstrumentedAttribute[int]) -> Any:
    same = select(DatasetRow.id).where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
    return column == same.scalar_subquery()


class SqlQuality(SqlPart):
    def quality_state(self, dataset: DatasetId) -> QualityState | None:
        with self._database.read() as session:
            row = session.connection().execute(_STATE, _named(dataset)).one_or_none()
        return QualityState(dataset, tuple(row.series), row.learned, row.facts, row.checked_at) if row else None

    def put_quality_state(self, state: QualityState, points: Collection[QualityPoint] = ()) -> None:
        insert: Any = sqlite_insert if self._database.is_sqlite else postgres_insert
        with self._database.begin() as session:
            run = session.connection().execute
            key = run(_ID, _named(state.dataset)).scalar() or need_row(session, state.dataset).id
            row = {
                "dataset_id": key,
                "series": list(state.series),
                "learned": state.learned,
                "facts": dict(state.facts),
                "checked_at": state.checked_at,
            }
            run(_PUT_STATE[insert], row)
            rows = [
                {"dataset_id": key, "tier": str(each.tier), "at": each.at, "scans": each.scans, "packed": each.values}
                for each in points
            ]
            if rows:
                run(_PUT_POINTS[insert], rows)
            if tiers := frozenset(
                each.tier for each in points if each.scans == 1
            ):  # of others there was a point before
                run(_forget(tiers), {"of": key, **{f"most_{tier}": MOST_POINTS[tier] for tier in tiers}})

    def quality_points_at(self, dataset: DatasetId, moments: Mapping[Tier, Collection[datetime]]) -> list[QualityPoint]:
        counts = tuple((tier, len(of_tier)) for tier, of_tier in sorted(moments.items()) if of_tier)
        if not counts:
            return []
        given = {f"{tier}_{n}": at for tier, _ in counts for n, at in enumerate(moments[tier])}
        with self._database.read() as session:
            rows = session.connection().execute(_at(counts), {**_named(dataset), **given}).all()
        return [QualityPoint(Tier(tier), at, scans, packed) for tier, at, scans, packed in rows]

    def newest_quality_points(
        self, dataset: DatasetId, tier: Tier, limit: int, since: datetime | None = None
    ) -> list[QualityPoint]:
        query = select(QualityPointRow.at, QualityPointRow.scans, QualityPointRow.packed).where(
            _is(dataset, QualityPointRow.dataset_id), QualityPointRow.tier == tier
        )
        if since is not None:
            query = query.where(QualityPointRow.at >= since)
        with self._database.read() as session:
            rows = session.execute(query.order_by(QualityPointRow.at.desc()).limit(limit)).all()
        return [QualityPoint(tier, at, scans, packed) for at, scans, packed in reversed(rows)]

    def put_anomaly(self, anomaly: Anomaly) -> None:
        with self._database.begin() as session:
            key = need_row(session, anomaly.dataset).id
            session.merge(AnomalyRow(dataset_id=key, **{name: getattr(anomaly, name) for name in _ANOMALY}))
            if anomaly.ended_at is not None:
                session.flush()
                over = select(AnomalyRow.id).where(AnomalyRow.dataset_id == key, AnomalyRow.ended_at.is_not(None))
                newest = over.order_by(AnomalyRow.ended_at.desc(), AnomalyRow.id)
                oldest = list(session.scalars(newest.offset(MOST_ANOMALIES)))
                if oldest:
                    session.execute(delete(AnomalyRow).where(AnomalyRow.id.in_(oldest)))

    def anomalies(self, dataset: DatasetId, limit: int) -> list[Anomaly]:
        query = select(AnomalyRow).where(_is(dataset, AnomalyRow.dataset_id))
        with self._database.read() as session:
            return sorted((_anomaly(dataset, row) for row in session.scalars(query)), key=anomaly_order)[:limit]

    def lasting_anomalies(self, dataset: DatasetId) -> list[Anomaly]:
        query = select(AnomalyRow).where(_is(dataset, AnomalyRow.dataset_id), AnomalyRow.ended_at.is_(None))
        with self._database.read() as session:
            return sorted((_anomaly(dataset, row) for row in session.scalars(query)), key=anomaly_order)

    def put_quality_mark(self, mark: QualityMark) -> None:
        with self._database.begin() as session:
            key = need_row(session, mark.dataset).id
            session.merge(QualityMarkRow(dataset_id=key, **{name: getattr(mark, name) for name in _MARK}))
            session.flush()
            newest = (
                select(QualityMarkRow.id)
                .where(QualityMarkRow.dataset_id == key)
                .order_by(QualityMarkRow.ends_at.desc(), QualityMarkRow.id)
            )
            oldest = list(session.scalars(newest.offset(MOST_MARKS)))
            if oldest:
                session.execute(delete(QualityMarkRow).where(QualityMarkRow.id.in_(oldest)))

    def delete_quality_mark(self, dataset: DatasetId, id: str) -> bool:
        own = delete(QualityMarkRow).where(_is(dataset, QualityMarkRow.dataset_id), QualityMarkRow.id == id)
        with self._database.begin() as session:
            return bool(session.execute(own.returning(QualityMarkRow.id)).all())

    def quality_marks(self, dataset: DatasetId) -> list[QualityMark]:
        with self._database.read() as session:
            rows = session.connection().execute(_NEWEST_MARKS, _named(dataset)).all()
        return [QualityMark(dataset=dataset, **{name: getattr(row, name) for name in _MARK}) for row in rows]


def _anomaly(dataset: DatasetId, row: AnomalyRow) -> Anomaly:
    return Anomaly(dataset=dataset, **{name: getattr(row, name) for name in _ANOMALY})
