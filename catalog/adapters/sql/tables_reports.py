"""Tables of what producers of lineage report. A change here needs a migration; a test compares the two."""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, QuickJson


class FactRow(Base):
    """One fact. `id` is a digest of subject, part and key; names may be longer than an index takes."""

    __tablename__ = "producer_facts"

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    subject: Mapped[str] = mapped_column(AnyText, index=True)
    kind: Mapped[str] = mapped_column(AnyText)
    namespace: Mapped[str] = mapped_column(AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    part: Mapped[str] = mapped_column(AnyText)
    key: Mapped[str] = mapped_column(AnyText)
    time: Mapped[int] = mapped_column(BigInteger)
    digest: Mapped[str] = mapped_column(AnyText)
    stamp: Mapped[int] = mapped_column(BigInteger)
    value: Mapped[Any | None] = mapped_column(QuickJson)


class ReportedRow(Base):
    """A dataset under the name that producers write, and the dataset of the catalog that this means.

    `changes` counts; the catalog has taken in what there was at `taken`.
    """

    __tablename__ = "reported_datasets"

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    namespace: Mapped[str] = mapped_column(AnyText)
    name: Mapped[str] = mapped_column(AnyText)
    home: Mapped[str | None] = mapped_column(AnyText, index=True)
    home_namespace: Mapped[str | None] = mapped_column(AnyText)
    home_name: Mapped[str | None] = mapped_column(AnyText)
    changes: Mapped[int]
    taken: Mapped[int]
