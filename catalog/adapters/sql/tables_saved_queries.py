"""Table of saved queries."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant, Json


class SavedQueryRow(Base):
    """One statement under a name; see `catalog.saved_queries`."""

    __tablename__ = "saved_queries"
    __table_args__ = (UniqueConstraint("owner", "name"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    owner: Mapped[str] = mapped_column(AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    sql: Mapped[str] = mapped_column(AnyText)
    purpose: Mapped[str | None] = mapped_column(AnyText)
    description: Mapped[str] = mapped_column(AnyText)
    shared: Mapped[Any | None] = mapped_column(Json)
    chart: Mapped[Any | None] = mapped_column(Json)
    created_at: Mapped[datetime] = mapped_column(Instant)
    updated_at: Mapped[datetime] = mapped_column(Instant)
