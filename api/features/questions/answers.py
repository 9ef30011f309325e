"""Answers of questions about datasets."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about


class TextMayDo(Answer):
    """What the caller may do with a question or an answer."""

    edit: bool = about("Change its text: who wrote it, while the question is open.")
    remove: bool = about("Who wrote it, and those who curate the dataset.")


class DatasetAnswer(Answer):
    """What somebody answers."""

    id: str
    by: str
    at: Time
    text: str = about(
        "As it was written; show it as text. Empty where it names a dataset that the caller may not know of."
    )
    edited_at: Time | None
    accepted: bool
    may: TextMayDo


class DatasetQuestion(Answer):
    """What somebody asks about a dataset."""

    id: str
    dataset: str = about("CLUSTER/TOPIC.")
    by: str
    at: Time
    text: str = about(
        "As it was written; show it as text. Empty where it names a dataset that the caller may not know of."
    )
    edited_at: Time | None
    state: Literal["open", "closed"]
    closed_at: Time | None
    closed_by: str | None
    answers: list[DatasetAnswer] = about("The oldest first.")
    decide: bool = about("Whether the caller may accept an answer, close it and open it again.")
    may: TextMayDo


class DatasetQuestions(Answer):
    """Questions that are open, then those that are closed; each the newest first."""

    questions: list[DatasetQuestion]
    waiting: int = about("How many are open.")
    notified: list[str] = about(
        "Who answers for the dataset, and is notified of a question: users, groups as group:NAME."
    )


class RemovedQuestion(Answer):
    """A question that is gone."""

    id: str
