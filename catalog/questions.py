"""Questions about datasets: people ask and answer, the asker or an owner accepts an answer and closes the question."""

from __future__ import annotations

import re
import uuid
from collections.abc import Collection
from dataclasses import replace

from catalog.errors import Conflict, InvalidInput, NotFound
from catalog.model import DatasetId
from catalog.ports import CatalogStore, Clock, EventSink
from catalog.question_store import Question, QuestionAnswer
from catalog.records import DatasetRecord
from catalog.unseen import MOVING

LONGEST = 10_000
"""Characters of a question or an answer."""
MOST_OPEN = 200
"""Questions of one dataset that wait at a time."""
MOST_KEPT = 1000
"""Questions of one dataset, closed ones too."""
MOST_ANSWERS = 100
_UNSEEN = re.compile(f"(?![\\n\\r\\t])[{MOVING}]")


class Questions:
    """The service behind questions. The caller has decided that the person may. Each method is one transaction."""

    def __init__(self, store: CatalogStore, clock: Clock, events: EventSink | None = None) -> None:
        self._store, self._clock, self._events = store, clock, events

    def get(self, id: str) -> Question:
        """Raises NotFound."""
        question = self._store.question(id)
        if question is None:
            raise NotFound(
                f"There is no question {id[:100]!r}; weir dataset question list DATASET shows those of a dataset."
            )
        return question

    def about(self, datasets: Collection[DatasetId], *, only_open: bool = False) -> list[Question]:
        """Questions about these datasets, the newest first."""
        return self._store.questions(datasets, only_open=only_open)

    def answers_to(self, questions: Collection[str]) -> list[QuestionAnswer]:
        """By the ids of questions, the oldest first."""
        return self._store.answers(questions)

    def ask(self, record: DatasetRecord, by: str, text: str) -> Question:
        """Raises InvalidInput for a text that cannot be kept, Conflict while too many are there."""
        text = checked(text, "question")
        with self._store.transaction():
            known = self._store.questions([record.id])
            if sum(each.is_open for each in known) >= MOST_OPEN:
                raise Conflict(
                    f"{MOST_OPEN} questions about {record.reference} are open already; close some of them first."
                )
            if len(known) >= MOST_KEPT:
                raise Conflict(f"{record.reference} has {MOST_KEPT:,} questions already; remove some of them first.")
            question = Question(uuid.uuid4().hex, record.id, by, self._clock(), text)
            self._store.put_question(question)
            self._emit("question.asked", record, {"by": by, "question": question.id})
        return question

    def answer(self, record: DatasetRecord, id: str, by: str, text: str) -> Question:
        """Raises NotFound, InvalidInput, Conflict for a question that is closed."""
        text = checked(text, "answer")
        with self._store.transaction():
            question = self._open(id)
            if len(self._store.answers([id])) >= MOST_ANSWERS:
                raise Conflict(f"The question has {MOST_ANSWERS} answers already; edit yours instead.")
            self._store.put_answer(QuestionAnswer(uuid.uuid4().hex, id, by, self._clock(), text))
            self._emit("question.answered", record, {"by": by, "question": id, "user": question.by})
        return question

    def edit(self, id: str, text: str) -> None:
        """Raises NotFound, InvalidInput, Conflict for one that is closed."""
        text = checked(text, "question")
        with self._store.transaction():
            self._store.put_question(replace(self._open(id), text=text, edited_at=self._clock()))

    def edit_answer(self, id: str, answer: str, text: str) -> None:
        """Raises NotFound, InvalidInput, Conflict for one of a closed question."""
        text = checked(text, "answer")
        with self._store.transaction():
            self._open(id)
            self._store.put_answer(replace(self.answer_of(id, answer), text=text, edited_at=self._clock()))

    def accept(self, record: DatasetRecord, id: str, answer: str | None, by: str) -> None:
        """Take an answer as the right one, which closes the question; None: take none, and open it again."""
        with self._store.transaction():
            question = self.get(id)
            if answer is None:
                self._store.put_question(replace(question, accepted=None, closed_at=None, closed_by=None))
                return
            accepted = self.answer_of(id, answer)
            self._store.put_question(replace(question, accepted=answer, closed_at=self._clock(), closed_by=by))
            self._emit("question.accepted", record, {"by": by, "question": id, "user": accepted.by})

    def close(self, id: str, by: str) -> None:
        """Nothing changes where it is closed."""
        with self._store.transaction():
            question = self.get(id)
            if question.is_open:
                self._store.put_question(replace(question, closed_at=self._clock(), closed_by=by))

    def reopen(self, id: str) -> None:
        """With no answer accepted."""
        with self._store.transaction():
            self._store.put_question(replace(self.get(id), accepted=None, closed_at=None, closed_by=None))

    def remove(self, id: str) -> None:
        """With its answers. Raises NotFound."""
        with self._store.transaction():
            self.get(id)
            self._store.delete_question(id)

    def remove_answer(self, id: str, answer: str) -> None:
        """A question whose accepted answer goes is open again. Raises NotFound."""
        with self._store.transaction():
            question, gone = self.get(id), self.answer_of(id, answer)
            self._store.delete_answer(gone.id)
            if question.accepted == gone.id:
                self._store.put_question(replace(question, accepted=None, closed_at=None, closed_by=None))

    def answer_of(self, id: str, answer: str) -> QuestionAnswer:
        """Raises NotFound."""
        for each in self._store.answers([id]):
            if each.id == answer:
                return each
        raise NotFound(f"The question has no answer {answer[:100]!r}.")

    def _open(self, id: str) -> Question:
        question = self.get(id)
        if not question.is_open:
            raise Conflict("The question is closed; open it again first.", details={"id": id})
        return question

    def _emit(self, kind: str, record: DatasetRecord, data: dict[str, object]) -> None:
        if self._events is not None:
            named = {"cluster": record.cluster, "namespace": record.id.namespace, "name": record.id.name}
            self._events.emit(kind, record.reference, {**named, "dataset": record.reference, **data})


def checked(text: str, what: str) -> str:
    """The text without blanks around it. Raises InvalidInput."""
    text = text.strip()
    if not text:
        raise InvalidInput(f"The {what} is empty; write a sentence.", details={"field": "text"})
    if len(text) > LONGEST:
        raise InvalidInput(
            f"The {what} has {len(text):,} characters; write at most {LONGEST:,}.", details={"field": "text"}
        )
    if _UNSEEN.search(text):
        raise InvalidInput(f"The {what} has characters that cannot be seen; take them out.", details={"field": "text"})
    return text
