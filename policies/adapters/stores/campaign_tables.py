"""The tables of access reviews."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Boolean, Index, Integer
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class CampaignRow(Base):
    __tablename__ = "access_reviews"
    __table_args__ = (Index("ix_access_reviews_state", "state"), Index("ix_access_reviews_review", "review"))

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    review: Mapped[str | None] = mapped_column(AnyText)
    state: Mapped[str] = mapped_column(AnyText)
    started_at: Mapped[datetime] = mapped_column(Instant)
    due_at: Mapped[datetime] = mapped_column(Instant)
    version: Mapped[int] = mapped_column(Integer)
    body: Mapped[dict[str, object]] = mapped_column(Json)


class CampaignItemRow(Base):
    """What items are found by is in columns, the rest in `body`."""

    __tablename__ = "access_review_items"
    __table_args__ = (
        Index("ix_access_review_items_state", "review", "state"),
        Index("ix_access_review_items_person", "review", "person"),
    )

    campaign: Mapped[str] = mapped_column("review", AnyText, primary_key=True)
    number: Mapped[int] = mapped_column(Integer, primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(AnyText)
    person: Mapped[str | None] = mapped_column(AnyText)
    state: Mapped[str] = mapped_column(AnyText)
    outcome: Mapped[str] = mapped_column(AnyText)
    reviewers: Mapped[str] = mapped_column(AnyText)
    opens: Mapped[str] = mapped_column(AnyText)
    unused: Mapped[bool] = mapped_column(Boolean)
    at_source: Mapped[bool] = mapped_column(Boolean)
    version: Mapped[int] = mapped_column(Integer)
    body: Mapped[dict[str, object]] = mapped_column(Json)


class CampaignSetRow(Base):
    """What many items of a campaign share: who may decide them, which datasets they open."""

    __tablename__ = "access_review_sets"

    campaign: Mapped[str] = mapped_column("review", AnyText, primary_key=True)
    kind: Mapped[str] = mapped_column(AnyText, primary_key=True)
    key: Mapped[str] = mapped_column("set_key", AnyText, primary_key=True)
    body: Mapped[Any] = mapped_column(Json)
