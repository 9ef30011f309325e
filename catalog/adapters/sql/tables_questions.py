"""Tables of questions with answers, and of what descriptions were before."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from catalog.adapters.sql.database import Base
from catalog.adapters.sql.types import AnyText, Instant


class QuestionRow(Base):
    """What somebody asks about a dataset; see `catalog.question_store`."""

    __tablename__ = "dataset_questions"
    __table_args__ = (Index("ix_dataset_questions_dataset_id", "dataset_id"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    by: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    text: Mapped[str] = mapped_column(AnyText)
    edited_at: Mapped[datetime | None] = mapped_column(Instant)
    accepted: Mapped[str | None] = mapped_column(AnyText)
    closed_at: Mapped[datetime | None] = mapped_column(Instant)
    closed_by: Mapped[str | None] = mapped_column(AnyText)


class AnswerRow(Base):
    """What somebody answers."""

    __tablename__ = "dataset_answers"
    __table_args__ = (Index("ix_dataset_answers_question", "question"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    question: Mapped[str] = mapped_column(ForeignKey("dataset_questions.id", ondelete="CASCADE"))
    by: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    text: Mapped[str] = mapped_column(AnyText)
    edited_at: Mapped[datetime | None] = mapped_column(Instant)


class DescriptionVersionRow(Base):
    """A change of the description of a dataset or of a field of it."""

    __tablename__ = "description_versions"
    __table_args__ = (Index("ix_description_versions_dataset_id", "dataset_id"),)

    id: Mapped[str] = mapped_column(AnyText, primary_key=True)
    dataset_id: Mapped[int] = mapped_column(ForeignKey("datasets.id", ondelete="CASCADE"))
    path: Mapped[str] = mapped_column(AnyText)
    at: Mapped[datetime] = mapped_column(Instant)
    by: Mapped[str | None] = mapped_column(AnyText)
    before: Mapped[str] = mapped_column(AnyText)
    after: Mapped[str] = mapped_column(AnyText)
