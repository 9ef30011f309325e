"""Table of how far consumer groups were behind."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import BigInteger, Index, PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant


class LagRow(Base):
    """One sample; see `catalog.lags`."""

    __tablename__ = "group_lags"
    __table_args__ = (
        PrimaryKeyConstraint("cluster", "topic", "consumer_group", "at"),
        Index("ix_group_lags_at", "at"),
    )

    cluster: Mapped[str] = mapped_column(AnyText)
    topic: Mapped[str] = mapped_column(AnyText)
    consumer_group: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    lag: Mapped[int] = mapped_column(BigInteger)
