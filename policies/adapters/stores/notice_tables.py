"""The tables of notifications: notices (names and times, no text that people wrote), and what people prefer."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class NoticeRow(Base):
    __tablename__ = "notices"
    __table_args__ = (
        Index("ix_notices_state_due_at", "state", "due_at"),
        Index("ix_notices_batch", "batch"),
        Index("ix_notices_user_name_at", "user_name", "at"),
    )

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    event: Mapped[str] = mapped_column(AnyText)
    type: Mapped[str] = mapped_column(AnyText)
    subject: Mapped[str] = mapped_column(AnyText)
    user: Mapped[str] = mapped_column("user_name", AnyText)
    channel: Mapped[str] = mapped_column(AnyText)
    topic: Mapped[str] = mapped_column(AnyText)
    why: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    batch: Mapped[str] = mapped_column(AnyText)
    due_at: Mapped[datetime] = mapped_column(Instant)
    data: Mapped[dict[str, object]] = mapped_column(Json)
    state: Mapped[str] = mapped_column(AnyText)
    attempts: Mapped[int]
    next_try_at: Mapped[datetime | None] = mapped_column(Instant)
    problem: Mapped[str | None] = mapped_column(AnyText)
    done_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = mapped_column(Instant)
    worker: Mapped[str | None] = mapped_column(AnyText)
    leased_until: Mapped[datetime | None] = mapped_column(Instant)


class NoticePreferenceRow(Base):
    """`chat_sealed`: the address of a chat service, encrypted with a key of the instance."""

    __tablename__ = "notice_preferences"

    user: Mapped[str] = mapped_column("user_name", AnyText, primary_key=True)
    channels: Mapped[list[str]] = mapped_column(Json)
    off: Mapped[list[str]] = mapped_column("topics_off", Json)
    digest: Mapped[str] = mapped_column(AnyText)
    at: Mapped[str] = mapped_column("time_of_day", AnyText)
    zone: Mapped[str] = mapped_column(AnyText)
    chat_kind: Mapped[str | None] = mapped_column(AnyText)
    chat_sealed: Mapped[str | None] = mapped_column(AnyText)
    chat_host: Mapped[str | None] = mapped_column(AnyText)
    changed_at: Mapped[datetime | None] = mapped_column(Instant)
