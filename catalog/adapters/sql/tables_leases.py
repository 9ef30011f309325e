"""Tables of leases, and of the beats of their holders; see `catalog.leases`."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, MetaData, Table
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText


class LeaseRow(Base):
    """The lease of one duty."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(AnyText, primary_key=True)
    holder: Mapped[str] = mapped_column(AnyText)
    number: Mapped[int] = mapped_column(BigInteger)


BEATS = Table(
    "beats",
    MetaData(),
    Column("holder", AnyText, primary_key=True),
    Column("number", BigInteger, nullable=False),
)
"""No table of the record store: beats change all the time, and each change there wakes every duty."""
