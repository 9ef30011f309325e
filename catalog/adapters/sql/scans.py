"""Scan jobs and scan positions on SQL."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, or_, select

from catalog.adapters.sql.base import SqlPart, need_row
from catalog.adapters.sql.tables import DatasetRow, PositionRow, ScanRow
from catalog.model import DatasetId
from catalog.scan_store import ScanPosition, ScanRecord, ScanState, ScanTally

_QUEUE = 200  # scans looked at for one that need not wait for another
_FIELDS = tuple(ScanRecord.__dataclass_fields__)


class SqlScans(SqlPart):
    def put_scan(self, scan: ScanRecord) -> None:
        with self._database.begin() as session:
            session.merge(ScanRow(**{name: _column(name, getattr(scan, name)) for name in _FIELDS}))

    def scan(self, scan_id: str) -> ScanRecord | None:
        with self._database.read() as session:
            row = session.get(ScanRow, scan_id)
            return _scan(row) if row else None

    def scans(self, limit: int, offset: int = 0) -> list[ScanRecord]:
        query = select(ScanRow).order_by(ScanRow.created_at.desc(), ScanRow.id.desc()).limit(limit).offset(offset)
        with self._database.read() as session:
            return [_scan(row) for row in session.scalars(query)]

    def claim_scan(self, worker: str, now: datetime, stale_before: datetime) -> ScanRecord | None:
        heard = func.coalesce(ScanRow.heartbeat_at, ScanRow.created_at)
        stale = and_(ScanRow.state == str(ScanState.RUNNING), heard < stale_before)
        free = or_(ScanRow.state == str(ScanState.QUEUED), stale)
        query = select(ScanRow).where(free).order_by(ScanRow.created_at, ScanRow.id).limit(_QUEUE)
        under_way = select(ScanRow).where(ScanRow.state == str(ScanState.RUNNING), heard >= stale_before)
        # Workers ask often and mostly in vain: look without the writers' lock first.
        with self._database.read() as session:
            if session.scalars(query).first() is None:
                return None
        with self._database.begin() as session:
            busy = [_scan(row) for row in session.scalars(under_way)]
            waiting = (row for row in session.scalars(query) if not any(_scan(row).overlaps(scan) for scan in busy))
            row = next(waiting, None)
            if row is None:
                return None
            row.state, row.worker, row.heartbeat_at = str(ScanState.RUNNING), worker, now
            row.started_at = row.started_at or now
            return _scan(row)

    def scan_tallies(self) -> list[ScanTally]:
        query = select(ScanRow.state, func.count(), func.min(ScanRow.created_at)).group_by(ScanRow.state)
        with self._database.read() as session:
            return [ScanTally(ScanState(state), scans, oldest) for state, scans, oldest in session.execute(query)]

    def last_scan(self, requested_by: str) -> ScanRecord | None:
        query = select(ScanRow).where(ScanRow.requested_by == requested_by).order_by(ScanRow.created_at.desc()).limit(1)
        with self._database.read() as session:
            row = session.scalars(query).first()
            return _scan(row) if row else None

    def update_scan(self, scan_id: str, changes: Mapping[str, Any]) -> ScanRecord | None:
        with self._database.begin() as session:
            row = session.get(ScanRow, scan_id)
            if row is None:
                return None
            for name, value in changes.items():
                setattr(row, name, _column(name, value))
            return _scan(row)

    def positions(self, dataset: DatasetId) -> list[ScanPosition]:
        query = (
            select(PositionRow)
            .join(DatasetRow, DatasetRow.id == PositionRow.dataset_id)
            .where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
            .order_by(PositionRow.partition)
        )
        with self._database.read() as session:
            return [ScanPosition(row.partition, row.next_offset, row.details) for row in session.scalars(query)]

    def put_positions(self, dataset: DatasetId, positions: Iterable[ScanPosition]) -> None:
        with self._database.begin() as session:
            key = need_row(session, dataset).id
            for p in positions:
                session.merge(
                    PositionRow(
                        dataset_id=key, partition=p.partition, next_offset=p.next_offset, details=dict(p.details)
                    )
                )


def _column(name: str, value: Any) -> Any:
    match name:
        case "state":
            return str(value)
        case "request":
            return dict(value)
        case "datasets" | "problems":
            return [dict(item) for item in value]
        case _:
            return value


def _scan(row: ScanRow) -> ScanRecord:
    columns = {name: getattr(row, name) for name in _FIELDS}
    columns |= {
        "state": ScanState(row.state),
        "datasets": tuple(row.datasets),
        "problems": tuple(row.problems),
    }
    return ScanRecord(**columns)
