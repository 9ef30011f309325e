"""Questions as one caller may know of them, and what the caller may do with each."""

from __future__ import annotations

from collections.abc import Sequence

from api.features.questions.answers import DatasetAnswer, DatasetQuestion, DatasetQuestions, RemovedQuestion, TextMayDo
from api.joins.responsible import ResponsiblePeople, is_among
from api.visibility.readers import Reader
from catalog.errors import NotAllowed, NotFound
from catalog.model import DatasetId
from catalog.question_store import Question, QuestionAnswer
from catalog.questions import Questions
from catalog.records import DatasetRecord, rfc3339
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.domains import Power
from policies.model import Subject
from policies.spellings import same_person


class ShownQuestions:
    """For one caller. A question about a dataset that the caller may not know of is answered as one that is not there."""

    def __init__(
        self,
        questions: Questions,
        reader: Reader,
        responsible: ResponsiblePeople,
        identity: Identity,
        audit: AuditLog,
        caller: Subject,
    ) -> None:
        self._questions, self._reader, self._responsible = questions, reader, responsible
        self._identity, self._audit, self._caller = identity, audit, caller

    def all(self, dataset: DatasetId) -> DatasetQuestions:
        """Raises DatasetNotFound."""
        record = self._reader.datasets.get(dataset)
        listed = sorted(self._questions.about([record.id]), key=lambda each: not each.is_open)
        return DatasetQuestions(
            questions=self._answers(record, listed),
            waiting=sum(each.is_open for each in listed),
            notified=self._responsible.of(record).names,
        )

    def ask(self, dataset: DatasetId, text: str) -> DatasetQuestion:
        record = self._reader.datasets.get(dataset)
        question = self._questions.ask(record, self._caller.user, text)
        self._audit.record_by(self._caller, "question.ask", record.reference, "allow", [question.id])
        return self.one(question.id)

    def answer(self, id: str, text: str) -> DatasetQuestion:
        _, record = self._known(id)
        self._questions.answer(record, id, self._caller.user, text)
        self._audit.record_by(self._caller, "question.answer", record.reference, "allow", [id])
        return self.one(id)

    def edit(self, id: str, text: str) -> DatasetQuestion:
        question, record = self._known(id)
        self._require_author(question.by, "question")
        self._questions.edit(id, text)
        self._audit.record_by(self._caller, "question.edit", record.reference, "allow", [id])
        return self.one(id)

    def edit_answer(self, id: str, answer: str, text: str) -> DatasetQuestion:
        _, record = self._known(id)
        self._require_author(self._questions.answer_of(id, answer).by, "answer")
        self._questions.edit_answer(id, answer, text)
        self._audit.record_by(self._caller, "question.edit", record.reference, "allow", [id, answer])
        return self.one(id)

    def accept(self, id: str, answer: str | None) -> DatasetQuestion:
        question, record = self._known(id)
        self._require_decides(question, record)
        self._questions.accept(record, id, answer, self._caller.user)
        self._audit.record_by(
            self._caller, "question.accept", record.reference, "allow", [id, *([answer] if answer else [])]
        )
        return self.one(id)

    def close(self, id: str, *, closed: bool) -> DatasetQuestion:
        question, record = self._known(id)
        self._require_decides(question, record)
        if closed:
            self._questions.close(id, self._caller.user)
        else:
            self._questions.reopen(id)
        self._audit.record_by(
            self._caller, "question.close" if closed else "question.open", record.reference, "allow", [id]
        )
        return self.one(id)

    def remove(self, id: str) -> RemovedQuestion:
        question, record = self._known(id)
        if not (self._wrote(question.by) or self.curates(record)):
            raise NotAllowed("Only who asked, and those who curate the dataset, remove a question.")
        self._questions.remove(id)
        self._audit.record_by(self._caller, "question.remove", record.reference, "allow", [id])
        return RemovedQuestion(id=id)

    def remove_answer(self, id: str, answer: str) -> DatasetQuestion:
        _, record = self._known(id)
        if not (self._wrote(self._questions.answer_of(id, answer).by) or self.curates(record)):
            raise NotAllowed("Only who wrote it, and those who curate the dataset, remove an answer.")
        self._questions.remove_answer(id, answer)
        self._audit.record_by(self._caller, "question.remove", record.reference, "allow", [id, answer])
        return self.one(id)

    def one(self, id: str) -> DatasetQuestion:
        """Raises NotFound."""
        question, record = self._known(id)
        return self._answers(record, [question])[0]

    def answers_for(self, record: DatasetRecord) -> bool:
        """Whether the caller is one of those who answer for a dataset."""
        return is_among(self._caller, self._responsible.of(record).people)

    def curates(self, record: DatasetRecord) -> bool:
        """Whether the caller answers for a dataset, manages, or edits it by its domain."""
        powers = self._identity.powers(self._caller, record.reference)
        return self._identity.manages(self._caller) or Power.EDIT in powers or self.answers_for(record)

    def _known(self, id: str) -> tuple[Question, DatasetRecord]:
        question = self._questions.get(id)
        record = self._reader.store.dataset(question.dataset) if self._reader.knows(question.dataset) else None
        if record is None:
            raise NotFound(
                f"There is no question {id[:100]!r}; weir dataset question list DATASET shows those of a dataset."
            )
        return question, record

    def _wrote(self, by: str) -> bool:
        return self._caller.agent is None and same_person(self._caller.user, by)

    def _require_author(self, by: str, what: str) -> None:
        if not self._wrote(by):
            raise NotAllowed(f"Only {by}, who wrote the {what}, edits it; write an answer of your own.")

    def _require_decides(self, question: Question, record: DatasetRecord) -> None:
        if not (self._wrote(question.by) or self.curates(record)):
            raise NotAllowed(
                f"Only {question.by}, who asked, and those who curate {record.reference} accept an answer or close it."
            )

    def _answers(self, record: DatasetRecord, questions: Sequence[Question]) -> list[DatasetQuestion]:
        curates = self.curates(record)
        of: dict[str, list[QuestionAnswer]] = {}
        for each in self._questions.answers_to([each.id for each in questions]):
            of.setdefault(each.question, []).append(each)
        return [self._shown(record, each, of.get(each.id, []), curates) for each in questions]

    def _shown(
        self, record: DatasetRecord, question: Question, answers: Sequence[QuestionAnswer], curates: bool
    ) -> DatasetQuestion:
        return DatasetQuestion(
            id=question.id,
            dataset=record.reference,
            by=question.by,
            at=rfc3339(question.at),
            text=self._text(question.text),
            edited_at=rfc3339(question.edited_at),
            state="open" if question.is_open else "closed",
            closed_at=rfc3339(question.closed_at),
            closed_by=question.closed_by,
            answers=[
                DatasetAnswer(
                    id=each.id,
                    by=each.by,
                    at=rfc3339(each.at),
                    text=self._text(each.text),
                    edited_at=rfc3339(each.edited_at),
                    accepted=each.id == question.accepted,
                    may=self._may(each.by, question, curates),
                )
                for each in answers
            ],
            decide=curates or self._wrote(question.by),
            may=self._may(question.by, question, curates),
        )

    def _may(self, by: str, question: Question, curates: bool) -> TextMayDo:
        wrote = self._wrote(by)
        return TextMayDo(edit=wrote and question.is_open, remove=wrote or curates)

    def _text(self, text: str) -> str:
        return "" if self._reader.mentions_hidden(text) else text
