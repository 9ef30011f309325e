"""Tables of quality over time; see `catalog.quality_store`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Double, ForeignKey, Index, LargeBinary, PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json

_DATASET = "datasets.id"


class QualityStateRow(Base):
    """What the next check of a dataset needs."""

    __tablename__ = "quality_states"

    dataset_id: Mapped[int] = mapped_column(ForeignKey(_DATASET, ondelete="CASCADE"), primary_key=True)
    series: Mapped[list[str]] = mapped_column(Json)
    learned: Mapped[bytes] = mapped_column(LargeBinary)
    facts: Mapped[dict[str, object]] = mapped_column(Json)
    checked_at: Mapped[datetime | None] = mapped_column(Instant)


class QualityPointRow(Base):
    """All series of a dataset at one moment."""

    __tablename__ = "quality_points"
    __table_args__ = (PrimaryKeyConstraint("dataset_id", "tier", "at"),)

    dataset_id: Mapped[int] = mapped_column(ForeignKey(_DATASET, ondelete="CASCADE"))
    tier: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    scans: Mapped[int]
    packed: Mapped[bytes] = mapped_column(LargeBinary)


class AnomalyRow(Base):
    """A series that left its usual range."""

    __tablename__ = "quality_anomalies"
    __table_args__ = (Index("ix_quality_anomalies_dataset_id_ended_at", "dataset_id", "ended_at"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey(_DATASET, ondelete="CASCADE"))
    path: Mapped[str | None] = mapped_column(AnyText)
    measure: Mapped[str] = mapped_column(AnyText)
    direction: Mapped[str] = mapped_column(AnyText)
    reason: Mapped[str] = mapped_column(AnyText)
    value: Mapped[float] = mapped_column(Double)
    low: Mapped[float] = mapped_column(Double)
    high: Mapped[float] = mapped_column(Double)
    score: Mapped[float] = mapped_column(Double)
    began_at: Mapped[datetime] = mapped_column(Instant)
    seen_at: Mapped[datetime] = mapped_column(Instant)
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
    ended_why: Mapped[str | None] = mapped_column(AnyText)


class QualityMarkRow(Base):
    """A time in which nothing of a dataset is an anomaly."""

    __tablename__ = "quality_marks"
    __table_args__ = (Index("ix_quality_marks_dataset_id", "dataset_id"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey(_DATASET, ondelete="CASCADE"))
    kind: Mapped[str] = mapped_column(AnyText)
    starts_at: Mapped[datetime] = mapped_column(Instant)
    ends_at: Mapped[datetime] = mapped_column(Instant)
    note: Mapped[str] = mapped_column(AnyText)
    marked_by: Mapped[str | None] = mapped_column(AnyText)
