"""Tables of incidents and their history."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index, Integer
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class IncidentRow(Base):
    """Something wrong with a dataset; see `catalog.incident_store`."""

    __tablename__ = "incidents"
    __table_args__ = (
        Index("ix_incidents_namespace_name", "namespace", "name"),
        Index("ix_incidents_state", "state"),
    )

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    namespace: Mapped[str] = mapped_column(AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    cause: Mapped[str] = mapped_column(AnyText)
    source: Mapped[str] = mapped_column(AnyText)
    rule: Mapped[str] = mapped_column(AnyText)
    path: Mapped[str | None] = mapped_column(AnyText)
    title: Mapped[str] = mapped_column(AnyText)
    reason: Mapped[str] = mapped_column(AnyText)
    state: Mapped[str] = mapped_column(AnyText)
    assignee: Mapped[str | None] = mapped_column(AnyText)
    opened_at: Mapped[datetime] = mapped_column(Instant)
    seen_at: Mapped[datetime] = mapped_column(Instant)
    fault_ended_at: Mapped[datetime | None] = mapped_column(Instant)
    resolved_at: Mapped[datetime | None] = mapped_column(Instant)
    resolution: Mapped[str | None] = mapped_column(AnyText)
    resolved_by: Mapped[str | None] = mapped_column(AnyText)
    checks: Mapped[int] = mapped_column(Integer)
    figures: Mapped[Any] = mapped_column(Json)
    """{records, share, first, last}: JSON, as offsets and sums are larger than an integer of a database."""


class IncidentEntryRow(Base):
    """A step in the history of an incident; see `catalog.incident_store`."""

    __tablename__ = "incident_entries"
    __table_args__ = (Index("ix_incident_entries_incident", "incident"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    number: Mapped[int] = mapped_column(Integer)
    incident: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    kind: Mapped[str] = mapped_column(AnyText)
    by: Mapped[str | None] = mapped_column(AnyText)
    text: Mapped[str] = mapped_column(AnyText)
    event: Mapped[str | None] = mapped_column(AnyText)


class CheckPositionRow(Base):
    """How far the checks of new records came in a partition; see `catalog.check_positions`."""

    __tablename__ = "check_positions"

    namespace: Mapped[str] = mapped_column(AnyText, primary_key=True)
    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    position: Mapped[Any] = mapped_column(Json)
    """{number, topicId, checkedAt, newest, unread, next: {partition: offset}}"""
