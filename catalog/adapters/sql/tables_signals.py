"""Tables of what people do with datasets. Nothing in them names a person, or the words of a query."""

from __future__ import annotations

from sqlalchemy import Double, ForeignKey, Index, PrimaryKeyConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText


class ClickRow(Base):
    """`query`: a keyed hash. `score`: see `catalog.signals`."""

    __tablename__ = "search_clicks"
    __table_args__ = (PrimaryKeyConstraint("query", "dataset_id"), Index("ix_search_clicks_score", "score"))

    query: Mapped[str] = mapped_column(AnyText)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    score: Mapped[float] = mapped_column(Double)


class TogetherRow(Base):
    """Two datasets that queries read together; each pair in both directions."""

    __tablename__ = "datasets_together"
    __table_args__ = (PrimaryKeyConstraint("dataset_id", "other_id"), Index("ix_datasets_together_score", "score"))

    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    other_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    queries: Mapped[int]
    score: Mapped[float] = mapped_column(Double)
