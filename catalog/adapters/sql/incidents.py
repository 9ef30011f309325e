"""The record store on SQL: incidents and their history. See `catalog.incident_store.IncidentStore`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Select, and_, delete, func, or_, select
from sqlalchemy.orm import Session

from catalog.adapters.sql.base import SqlPart
from catalog.adapters.sql.tables_incidents import CheckPositionRow, IncidentEntryRow, IncidentRow
from catalog.check_positions import CheckPosition
from catalog.incident_store import (
    MOST_RESOLVED,
    Incident,
    IncidentCause,
    IncidentEntry,
    IncidentFilter,
    IncidentKey,
    IncidentState,
    RecordPlace,
    Resolution,
    incident_order,
)
from catalog.model import DatasetId
from catalog.records import rfc3339

_PLAIN = (
    *("id", "path", "title", "reason", "assignee", "opened_at", "seen_at", "fault_ended_at"),
    *("resolved_at", "resolved_by", "checks"),
)
_AT_ONCE = 200
"""Datasets that one statement names: two values each, below SQLite's limit of bound values."""


class SqlIncidents(SqlPart):
    def put_incident(self, incident: Incident) -> None:
        key = incident.key
        with self._database.begin() as session:
            session.merge(
                IncidentRow(
                    **{name: getattr(incident, name) for name in _PLAIN},
                    namespace=key.dataset.namespace,
                    name=key.dataset.name,
                    cause=str(key.cause),
                    source=key.source,
                    rule=key.rule,
                    state=str(incident.state),
                    resolution=str(incident.resolution) if incident.resolution is not None else None,
                    figures={
                        "records": incident.records,
                        "share": incident.share,
                        "first": asdict(incident.first) if incident.first is not None else None,
                        "last": asdict(incident.last) if incident.last is not None else None,
                        **({"reads": list(incident.reads)} if incident.reads else {}),
                    },
                )
            )
            if incident.is_resolved:
                session.flush()
                _forget_oldest(session, key.dataset)

    def incident(self, id: str) -> Incident | None:
        with self._database.read() as session:
            row = session.get(IncidentRow, id)
            return _incident(row) if row is not None else None

    def last_incident(self, key: IncidentKey) -> Incident | None:
        query = _of(key.dataset).where(
            IncidentRow.cause == str(key.cause), IncidentRow.source == key.source, IncidentRow.rule == key.rule
        )
        with self._database.read() as session:
            row = session.scalars(query.order_by(IncidentRow.opened_at.desc(), IncidentRow.id).limit(1)).first()
            return _incident(row) if row is not None else None

    def incidents(self, where: IncidentFilter, limit: int) -> list[Incident]:
        query = select(IncidentRow)
        if where.states:
            query = query.where(IncidentRow.state.in_([str(each) for each in where.states]))
        if where.causes:
            query = query.where(IncidentRow.cause.in_([str(each) for each in where.causes]))
        if where.sources:
            query = query.where(IncidentRow.source.in_(list(where.sources)))
        if where.assignee is not None:
            query = query.where(IncidentRow.assignee == where.assignee)
        if where.since is not None:
            query = query.where(IncidentRow.seen_at >= where.since)
        incidents: list[Incident] = []
        with self._database.read() as session:
            for part in _parts(query, where):
                incidents += map(_incident, session.scalars(part))
        return sorted(incidents, key=incident_order)[:limit]

    def count_unresolved(self) -> dict[DatasetId, int]:
        query = (
            select(IncidentRow.namespace, IncidentRow.name, func.count())
            .where(IncidentRow.state != str(IncidentState.RESOLVED), IncidentRow.figures["reads"].as_string().is_(None))
            .group_by(IncidentRow.namespace, IncidentRow.name)
        )
        with self._database.read() as session:
            return {DatasetId(namespace, name): count for namespace, name, count in session.execute(query)}

    def add_incident_entry(self, entry: IncidentEntry) -> None:
        number = select(func.count()).where(IncidentEntryRow.incident == entry.incident)
        with self._database.begin() as session:
            session.add(IncidentEntryRow(**asdict(entry), number=session.scalar(number) or 0))

    def incident_entries(self, incident: str) -> list[IncidentEntry]:
        query = select(IncidentEntryRow).where(IncidentEntryRow.incident == incident)
        with self._database.read() as session:
            rows = session.scalars(query.order_by(IncidentEntryRow.number, IncidentEntryRow.id))
            return [IncidentEntry(r.id, r.incident, r.at, r.kind, r.by, r.text, r.event) for r in rows]

    # --- positions of checks -----------------------------------------------------------------------------------------

    def check_position(self, dataset: DatasetId) -> CheckPosition | None:
        with self._database.read() as session:
            row = session.get(CheckPositionRow, (dataset.namespace, dataset.name))
            return _position(dataset, row.position) if row is not None else None

    def put_check_position(self, position: CheckPosition) -> None:
        dataset = position.dataset
        kept = {
            "number": position.number,
            "next": {str(partition): offset for partition, offset in position.next.items()},
            "topicId": position.topic_id,
            "checkedAt": rfc3339(position.checked_at),
            "newest": position.newest,
            "unread": position.unread,
        }
        with self._database.begin() as session:
            session.merge(CheckPositionRow(namespace=dataset.namespace, name=dataset.name, position=kept))


def _of(dataset: DatasetId) -> Select[IncidentRow]:
    return select(IncidentRow).where(IncidentRow.namespace == dataset.namespace, IncidentRow.name == dataset.name)


def _parts(query: Select[IncidentRow], where: IncidentFilter) -> list[Select[IncidentRow]]:
    """The query, by so many datasets at a time where it names some."""
    if where.datasets is None:
        return [query]
    datasets = sorted(where.datasets)
    return [
        query.where(
            or_(
                *(
                    and_(IncidentRow.namespace == each.namespace, IncidentRow.name == each.name)
                    for each in datasets[at : at + _AT_ONCE]
                )
            )
        )
        for at in range(0, len(datasets), _AT_ONCE)
    ]


def _forget_oldest(session: Session, dataset: DatasetId) -> None:
    resolved = (
        select(IncidentRow.id)
        .where(
            IncidentRow.namespace == dataset.namespace,
            IncidentRow.name == dataset.name,
            IncidentRow.state == str(IncidentState.RESOLVED),
        )
        .order_by(IncidentRow.resolved_at.desc(), IncidentRow.id)
        .offset(MOST_RESOLVED)
    )
    oldest = list(session.scalars(resolved))
    if oldest:
        session.execute(delete(IncidentEntryRow).where(IncidentEntryRow.incident.in_(oldest)))
        session.execute(delete(IncidentRow).where(IncidentRow.id.in_(oldest)))


def _incident(row: IncidentRow) -> Incident:
    key = IncidentKey(DatasetId(row.namespace, row.name), IncidentCause(row.cause), row.source, row.rule)
    return Incident(
        **{name: getattr(row, name) for name in _PLAIN},
        key=key,
        state=IncidentState(row.state),
        resolution=Resolution(row.resolution) if row.resolution is not None else None,
        records=row.figures["records"],
        share=row.figures["share"],
        first=_place(row.figures["first"]),
        last=_place(row.figures["last"]),
        reads=tuple(row.figures.get("reads", ())),
    )


def _place(place: Mapping[str, Any] | None) -> RecordPlace | None:
    return RecordPlace(**place) if place is not None else None


def _position(dataset: DatasetId, kept: Mapping[str, Any]) -> CheckPosition:
    checked = kept["checkedAt"]
    return CheckPosition(
        dataset=dataset,
        number=kept["number"],
        next={int(partition): offset for partition, offset in kept["next"].items()},
        topic_id=kept["topicId"],
        checked_at=datetime.fromisoformat(checked.replace("Z", "+00:00")) if checked else None,
        newest=kept["newest"],
        unread=kept["unread"],
    )
