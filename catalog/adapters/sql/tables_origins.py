"""Table of where declared documents were applied from."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant


class OriginRow(Base):
    """See `catalog.document_origins`."""

    __tablename__ = "document_origins"

    kind: Mapped[str] = mapped_column(AnyText, primary_key=True)
    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    repository: Mapped[str] = mapped_column(AnyText)
    commit_id: Mapped[str] = mapped_column(AnyText)
    path: Mapped[str] = mapped_column(AnyText)
    dirty: Mapped[bool]
    digest: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    by: Mapped[str | None] = mapped_column(AnyText)
    changed_at: Mapped[datetime | None] = mapped_column(Instant)
    changed_by: Mapped[str | None] = mapped_column(AnyText)
