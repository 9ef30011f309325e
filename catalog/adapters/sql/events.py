"""The outbox on SQL."""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import datetime

from sqlalchemy import Select, and_, delete, func, or_, select

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables import DeliveryRow, EventRow
from catalog.event_model import OPEN_TYPES, DeliveryState, Event, EventFilter, full_type

_PAGE = 1000  # globs are matched here, not in SQL (LIKE knows no escapes that both databases share with fnmatch)
_FIELDS = tuple(f.name for f in fields(DeliveryState))


class SqlEvents(SqlPart):
    """See `catalog.ports.EventStore`. Writers come one after another, so seq grows in the order of commits."""

    def add_event(self, event: Event) -> Event:
        with self._database.begin() as session:
            row = EventRow(id=event.id, type=event.type, subject=event.subject, at=event.time, data=dict(event.data))
            session.add(row)
            session.flush()
            return replace(event, seq=row.seq)

    def events(self, where: EventFilter, limit: int) -> list[Event]:
        forward = where.after is not None
        matches: list[Event] = []
        at = where.after
        with self._database.read() as session:
            while len(matches) < limit:
                page = [_event(row) for row in session.scalars(_query(where, at, forward))]
                matches += [event for event in page if where.matches(event)]
                if len(page) < _PAGE:
                    break
                at = page[-1].seq
        return matches[:limit]

    def newest_event(self) -> int:
        with self._database.read() as session:
            return int(session.scalar(select(func.max(EventRow.seq))) or 0)

    def event_before(self, moment: datetime) -> int:
        with self._database.read() as session:
            return int(session.scalar(select(func.max(EventRow.seq)).where(EventRow.at < moment)) or 0)

    def count_events(self, after: int) -> int:
        with self._database.read() as session:
            return int(session.scalar(select(func.count()).where(EventRow.seq > after)) or 0)

    def prune_events(self, before: datetime, keep: int) -> int:
        newest = select(EventRow.seq).order_by(EventRow.seq.desc()).offset(keep).limit(1)
        with self._database.read() as session:  # mostly in vain: look without the writers' lock first
            first = session.scalar(select(func.min(EventRow.at)))
            if first is None or (first >= before and session.scalar(newest) is None):
                return 0
        with self._database.begin() as session:
            edge = session.scalar(newest) or 0
            expired = or_(EventRow.seq <= edge, EventRow.at < before)
            last = session.scalar(select(func.max(EventRow.seq)).where(expired)) or 0
            for row in session.scalars(select(DeliveryRow).where(DeliveryRow.position < last)):
                missed = session.scalar(select(func.count()).where(and_(expired, EventRow.seq > row.position))) or 0
                row.dropped, row.position = row.dropped + missed, last
            done = session.execute(delete(EventRow).where(expired))
            return int(getattr(done, "rowcount", 0))

    def deliveries(self) -> list[DeliveryState]:
        with self._database.read() as session:
            return sorted(map(_delivery, session.scalars(select(DeliveryRow))), key=lambda d: d.name)

    def delivery(self, name: str) -> DeliveryState | None:
        with self._database.read() as session:
            row = session.get(DeliveryRow, name)
            return _delivery(row) if row else None

    def put_delivery(self, state: DeliveryState) -> None:
        with self._database.begin() as session:
            session.merge(DeliveryRow(**{name: getattr(state, name) for name in _FIELDS}))

    def claim_delivery(self, name: str, worker: str, now: datetime, until: datetime) -> DeliveryState | None:
        with self._database.begin() as session:
            row = session.get(DeliveryRow, name)
            if row is None or not _delivery(row).claimable(worker, now):
                return None
            row.worker, row.leased_until = worker, until
            return _delivery(row)

    def forget_delivery(self, name: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(DeliveryRow).where(DeliveryRow.name == name))


def _query(where: EventFilter, at: int | None, forward: bool) -> Select[EventRow]:
    query = select(EventRow).limit(_PAGE)
    query = query.order_by(EventRow.seq if forward else EventRow.seq.desc())
    if at is not None:
        query = query.where(EventRow.seq > at if forward else EventRow.seq < at)
    if where.since is not None:
        query = query.where(EventRow.at >= where.since)
    if where.types and not any(set("*?[") & set(kind) for kind in where.types):
        query = query.where(EventRow.type.in_([full_type(kind) for kind in where.types]))
    if where.subject is not None and not set("*?[") & set(where.subject):
        query = query.where(EventRow.subject == where.subject)
    if where.open_only:
        query = query.where(or_(*(EventRow.type.startswith(prefix, autoescape=True) for prefix in OPEN_TYPES)))
    return query


def _event(row: EventRow) -> Event:
    return Event(id=row.id, type=row.type, subject=row.subject, time=row.at, data=row.data, seq=row.seq)


def _delivery(row: DeliveryRow) -> DeliveryState:
    return DeliveryState(**{name: getattr(row, name) for name in _FIELDS})
