"""Seals of the audit, and how far it was shipped, in the record store: SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import delete, insert, select, update

from catalog.adapters.sql.database import Database
from policies.adapters.stores.tables import (
    AuditNamedRow,
    AuditNameRow,
    AuditRow,
    AuditSegmentRow,
    AuditShippingRow,
)
from policies.audit.ports import Removal, Segment, Shipping

_SEGMENTS: Any = AuditSegmentRow.__table__
_SHIPPING: Any = AuditShippingRow.__table__
_ENTRIES: Any = AuditRow.__table__
_NAMES: Any = AuditNameRow.__table__
_MARKS: Any = AuditNamedRow.__table__
_SEGMENT = select(
    _SEGMENTS.c.number,
    _SEGMENTS.c.chain,
    _SEGMENTS.c.first_seq,
    _SEGMENTS.c.last_seq,
    _SEGMENTS.c.begins,
    _SEGMENTS.c.ends,
    _SEGMENTS.c.hash_before,
    _SEGMENTS.c.hash_last,
    _SEGMENTS.c.previous,
    _SEGMENTS.c.sealed_at,
    _SEGMENTS.c.public_key,
    _SEGMENTS.c.signature,
    _SEGMENTS.c.removed_at,
    _SEGMENTS.c.removed_by,
    _SEGMENTS.c.removed_file,
    _SEGMENTS.c.removed_key,
)
"""In the order of a Segment, then of its Removal."""
_SHIPPED = select(
    _SHIPPING.c.place,
    _SHIPPING.c.chain,
    _SHIPPING.c.position,
    _SHIPPING.c.shipped_at,
    _SHIPPING.c.failures,
    _SHIPPING.c.failed_at,
    _SHIPPING.c.problem,
    _SHIPPING.c.cut,
    _SHIPPING.c.begins,
    _SHIPPING.c.missed,
)
"""In the order of a Shipping."""


class SqlSegmentStore:
    """`SegmentStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def segments(self) -> list[Segment]:
        with self._database.read() as session:
            return [_segment(row) for row in session.execute(_SEGMENT.order_by(_SEGMENTS.c.number))]

    def add(self, segment: Segment, note: Callable[[], object]) -> bool:
        with self._database.begin() as session:
            row = session.execute(select(_SEGMENTS.c.number).where(_SEGMENTS.c.number == segment.number)).first()
            if row is not None:
                return False
            session.execute(
                insert(_SEGMENTS),
                {
                    "number": segment.number,
                    "chain": segment.chain,
                    "first_seq": segment.first,
                    "last_seq": segment.last,
                    "begins": segment.begins,
                    "ends": segment.ends,
                    "hash_before": segment.before,
                    "hash_last": segment.head,
                    "previous": segment.previous,
                    "sealed_at": segment.sealed_at,
                    "public_key": segment.key,
                    "signature": segment.signature,
                },
            )
            note()
            return True

    def remove(self, number: int, removal: Removal, note: Callable[[], object]) -> bool:
        with self._database.begin() as session:
            here = (_SEGMENTS.c.number == number, _SEGMENTS.c.removed_at.is_(None))
            if session.execute(select(_SEGMENTS.c.number).where(*here)).first() is None:
                return False
            session.execute(
                update(_SEGMENTS)
                .where(*here)
                .values(
                    removed_at=removal.at,
                    removed_by=removal.setting,
                    removed_file=removal.file,
                    removed_key=removal.key,
                )
            )
            note()
            return True

    def purge(self, limit: int) -> int:
        with self._database.begin() as session:
            last = session.execute(
                select(_SEGMENTS.c.last_seq)
                .where(_SEGMENTS.c.removed_at.is_not(None))
                .order_by(_SEGMENTS.c.number.desc())
            ).scalar()
            first = session.execute(select(_ENTRIES.c.seq).order_by(_ENTRIES.c.seq).limit(1)).scalar()
            if last is None or first is None or first > last:
                return 0
            until = min(last, first + limit - 1)
            # Entries that were not indexed yet are not to be looked for any more.
            session.execute(update(_MARKS).where(_MARKS.c.done < until).values(done=until))
            session.execute(delete(_NAMES).where(_NAMES.c.seq.between(first, until)))
            session.execute(delete(_ENTRIES).where(_ENTRIES.c.seq.between(first, until)))
            return int(until - first + 1)


class SqlShippingStore:
    """`ShippingStore` on the record store."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def get(self, place: str) -> Shipping | None:
        row = self._database.one(_SHIPPED.where(_SHIPPING.c.place == place))
        return Shipping(*row) if row is not None else None

    def put(self, shipping: Shipping, before: int) -> bool:
        values = {
            "chain": shipping.chain,
            "position": shipping.position,
            "shipped_at": shipping.shipped_at,
            "failures": shipping.failures,
            "failed_at": shipping.failed_at,
            "problem": shipping.problem,
            "cut": shipping.cut,
            "begins": shipping.begins,
            "missed": shipping.missed,
        }
        here = _SHIPPING.c.place == shipping.place
        with self._database.begin() as session:
            position = session.execute(select(_SHIPPING.c.position).where(here)).scalar()
            if (position or 0) != before:
                return False
            if position is None:
                session.execute(insert(_SHIPPING), {"place": shipping.place, **values})
            else:
                session.execute(update(_SHIPPING).where(here).values(**values))
            return True


def _segment(row: Sequence[Any]) -> Segment:
    *parts, at, setting, file, key = row
    segment = Segment(*parts)
    return replace(segment, removal=Removal(at, setting, file, key)) if at is not None else segment
