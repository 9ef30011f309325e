"""The record store on SQL: questions with answers, versions of descriptions. See `catalog.question_store.QuestionStore`."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from sqlalchemy import delete, select

from catalog.adapters.sql.base import SqlPart, find_row
from catalog.adapters.sql.tables import DatasetRow
from catalog.adapters.sql.tables_questions import AnswerRow, DescriptionVersionRow, QuestionRow
from catalog.model import DatasetId
from catalog.question_store import MOST_VERSIONS, DescriptionVersion, Question, QuestionAnswer

_QUESTION = ("id", "by", "at", "text", "edited_at", "accepted", "closed_at", "closed_by")
_ANSWER = ("id", "question", "by", "at", "text", "edited_at")
_VERSION = ("id", "path", "at", "by", "before", "after")
_AT_ONCE = 500


class SqlQuestions(SqlPart):
    def put_question(self, question: Question) -> None:
        with self._database.begin() as session:
            dataset = find_row(session, question.dataset)
            if dataset is not None:
                values = {name: getattr(question, name) for name in _QUESTION}
                session.merge(QuestionRow(**values, dataset_id=dataset.id))

    def question(self, id: str) -> Question | None:
        query = select(QuestionRow, DatasetRow.namespace, DatasetRow.name).join(DatasetRow)
        with self._database.read() as session:
            row = session.execute(query.where(QuestionRow.id == id)).one_or_none()
            return _question(*row) if row is not None else None

    def questions(self, datasets: Collection[DatasetId] | None = None, *, only_open: bool = False) -> list[Question]:
        query = select(QuestionRow, DatasetRow.namespace, DatasetRow.name).join(DatasetRow)
        if only_open:
            query = query.where(QuestionRow.closed_at.is_(None))
        if datasets is not None and len(datasets) == 1:
            (only,) = datasets
            query = query.where(DatasetRow.namespace == only.namespace, DatasetRow.name == only.name)
        with self._database.read() as session:
            rows = [_question(*row) for row in session.execute(query)]
        kept = [each for each in rows if datasets is None or each.dataset in datasets]
        return sorted(kept, key=lambda each: (each.at, each.id), reverse=True)

    def delete_question(self, id: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(AnswerRow).where(AnswerRow.question == id))
            session.execute(delete(QuestionRow).where(QuestionRow.id == id))

    def put_answer(self, answer: QuestionAnswer) -> None:
        with self._database.begin() as session:
            if session.get(QuestionRow, answer.question) is not None:
                session.merge(AnswerRow(**{name: getattr(answer, name) for name in _ANSWER}))

    def answers(self, questions: Collection[str]) -> list[QuestionAnswer]:
        answers: list[QuestionAnswer] = []
        with self._database.read() as session:
            for some in _parts(sorted(questions)):
                rows = session.scalars(select(AnswerRow).where(AnswerRow.question.in_(some)))
                answers += [QuestionAnswer(**{name: getattr(row, name) for name in _ANSWER}) for row in rows]
        return sorted(answers, key=lambda each: (each.at, each.id))

    def delete_answer(self, id: str) -> None:
        with self._database.begin() as session:
            session.execute(delete(AnswerRow).where(AnswerRow.id == id))

    # --- descriptions ------------------------------------------------------------------------------------------------

    def add_description(self, version: DescriptionVersion) -> None:
        with self._database.begin() as session:
            dataset = find_row(session, version.dataset)
            if dataset is None:
                return
            session.add(
                DescriptionVersionRow(**{name: getattr(version, name) for name in _VERSION}, dataset_id=dataset.id)
            )
            session.flush()
            same = select(DescriptionVersionRow.id).where(
                DescriptionVersionRow.dataset_id == dataset.id, DescriptionVersionRow.path == version.path
            )
            newest_first = same.order_by(DescriptionVersionRow.at.desc(), DescriptionVersionRow.id.desc())
            oldest = list(session.scalars(newest_first.offset(MOST_VERSIONS)))
            if oldest:
                session.execute(delete(DescriptionVersionRow).where(DescriptionVersionRow.id.in_(oldest)))

    def descriptions(self, dataset: DatasetId, path: str | None = None) -> list[DescriptionVersion]:
        query = (
            select(DescriptionVersionRow)
            .join(DatasetRow)
            .where(DatasetRow.namespace == dataset.namespace, DatasetRow.name == dataset.name)
        )
        if path is not None:
            query = query.where(DescriptionVersionRow.path == path)
        with self._database.read() as session:
            rows = session.scalars(query.order_by(DescriptionVersionRow.at.desc(), DescriptionVersionRow.id.desc()))
            return [DescriptionVersion(**{name: getattr(r, name) for name in _VERSION}, dataset=dataset) for r in rows]


def _question(row: QuestionRow, namespace: str, name: str) -> Question:
    return Question(**{each: getattr(row, each) for each in _QUESTION}, dataset=DatasetId(namespace, name))


def _parts(ids: list[str]) -> Iterable[list[str]]:
    return (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE))
