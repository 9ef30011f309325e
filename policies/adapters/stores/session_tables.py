"""The tables of sign-in. Secrets are in none of them: digests, and the provider's tokens sealed."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Boolean, Index, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class SessionRow(Base):
    __tablename__ = "sign_in_sessions"
    __table_args__ = (
        UniqueConstraint("digest"),
        Index("ix_sign_in_sessions_user_name", "user_name"),
        Index("ix_sign_in_sessions_subject", "provider", "subject"),
    )

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    digest: Mapped[str] = mapped_column(AnyText)
    kind: Mapped[str] = mapped_column(AnyText)
    user: Mapped[str] = mapped_column("user_name", AnyText)
    provider: Mapped[str] = mapped_column(AnyText)
    issuer: Mapped[str] = mapped_column(AnyText)
    subject: Mapped[str] = mapped_column(AnyText)
    provider_session: Mapped[str | None] = mapped_column(AnyText)
    label: Mapped[str] = mapped_column(AnyText)
    created_at: Mapped[datetime] = mapped_column(Instant)
    used_at: Mapped[datetime] = mapped_column(Instant)
    ends_at: Mapped[datetime] = mapped_column(Instant)
    confirmed_at: Mapped[datetime] = mapped_column(Instant)
    claims: Mapped[dict[str, list[str]]] = mapped_column(Json)
    sealed: Mapped[str | None] = mapped_column(AnyText)
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
    ended_because: Mapped[str] = mapped_column(AnyText)
    claimed_until: Mapped[datetime | None] = mapped_column(Instant)


class MarkRow(Base):
    """What may be used once: a state, a logout token."""

    __tablename__ = "sign_in_marks"

    mark: Mapped[str] = mapped_column(AnyText, primary_key=True)
    until: Mapped[datetime] = mapped_column("kept_until", Instant)


class LinkedAccountRow(Base):
    """Which account of which issuer is which user."""

    __tablename__ = "linked_accounts"
    __table_args__ = (UniqueConstraint("user_name"),)

    issuer: Mapped[str] = mapped_column(AnyText, primary_key=True)
    subject: Mapped[str] = mapped_column(AnyText, primary_key=True)
    user: Mapped[str] = mapped_column("user_name", AnyText)
    at: Mapped[datetime] = mapped_column("linked_at", Instant)


class DeviceLoginRow(Base):
    __tablename__ = "device_logins"
    __table_args__ = (UniqueConstraint("code"),)

    digest: Mapped[str] = mapped_column(AnyText, primary_key=True)
    code: Mapped[str] = mapped_column(AnyText)
    label: Mapped[str] = mapped_column(AnyText)
    created_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    session: Mapped[str | None] = mapped_column("session_id", AnyText)
    refused: Mapped[bool] = mapped_column(Boolean)
