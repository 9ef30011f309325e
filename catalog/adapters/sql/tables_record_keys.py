"""Table of the fingerprints of keys; see `catalog.record_keys`."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant


class RecordKeyRow(Base):
    """The fingerprint of one key, and who stated it."""

    __tablename__ = "record_keys"

    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    fingerprint: Mapped[str] = mapped_column(AnyText)
    host: Mapped[str] = mapped_column(AnyText)
    home: Mapped[str] = mapped_column(AnyText)
    stated_at: Mapped[datetime] = mapped_column(Instant)
