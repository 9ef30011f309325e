"""Questions that people ask about datasets, with their answers, and what descriptions were before. No value of a record."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from catalog.model import DatasetId

MOST_VERSIONS = 100
"""Versions of one description that are kept; the oldest are forgotten first."""


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """What somebody answers. `edited_at`: None where it is as it was written first."""

    id: str
    question: str
    by: str
    at: datetime
    text: str
    edited_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What somebody asks about a dataset.

    accepted   id of the answer that the asker or an owner took
    closed_at  when it was closed, and by whom; None while it waits
    """

    id: str
    dataset: DatasetId
    by: str
    at: datetime
    text: str
    edited_at: datetime | None = None
    accepted: str | None = None
    closed_at: datetime | None = None
    closed_by: str | None = None

    @property
    def is_open(self) -> bool:
        return self.closed_at is None


@dataclass(frozen=True, slots=True)
class DescriptionVersion:
    """A change of a description. `path`: of the field, "" for the dataset; `by`: None where no person did it."""

    id: str
    dataset: DatasetId
    path: str
    at: datetime
    by: str | None
    before: str
    after: str


class QuestionStore(Protocol):
    """Keeps them; the twins in memory and SQL have one contract. What is about a dataset that is not there is not kept."""

    def put_question(self, question: Question) -> None:
        """Insert or replace by id."""

    def question(self, id: str) -> Question | None: ...

    def questions(self, datasets: Collection[DatasetId] | None = None, *, only_open: bool = False) -> list[Question]:
        """Those of these datasets, or of all; the newest first."""

    def delete_question(self, id: str) -> None:
        """With its answers; nothing where there is none."""

    def put_answer(self, answer: QuestionAnswer) -> None:
        """Insert or replace by id."""

    def answers(self, questions: Collection[str]) -> list[QuestionAnswer]:
        """Those of these questions, the oldest first."""

    def delete_answer(self, id: str) -> None: ...

    def add_description(self, version: DescriptionVersion) -> None:
        """Keep a change; of one description the newest `MOST_VERSIONS` stay."""

    def descriptions(self, dataset: DatasetId, path: str | None = None) -> list[DescriptionVersion]:
        """Of the dataset and all its fields, or of one of them; the newest first."""
