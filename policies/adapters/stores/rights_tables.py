"""The tables of ACLs in the care of Weir and of applies."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class RightsAclRow(Base):
    """`key` is a digest of the ACL, which is longer than an index may hold."""

    __tablename__ = "rights_acls"

    cluster: Mapped[str] = mapped_column(AnyText, primary_key=True)
    key: Mapped[str] = mapped_column("acl_key", AnyText, primary_key=True)
    state: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    by: Mapped[str] = mapped_column("made_by", AnyText)
    acl: Mapped[list[Any]] = mapped_column(Json)


class RightsApplyRow(Base):
    """`lease_until`: until when `runner` alone may continue it."""

    __tablename__ = "rights_applies"
    __table_args__ = (Index("ix_rights_applies_state", "cluster", "state"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    cluster: Mapped[str] = mapped_column(AnyText)
    state: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    runner: Mapped[str | None] = mapped_column(AnyText)
    lease_until: Mapped[datetime | None] = mapped_column(Instant)
    body: Mapped[dict[str, object]] = mapped_column(Json)
    changes: Mapped[list[Any]] = mapped_column(Json)
