"""The record store in memory: questions with answers, versions of descriptions. See `catalog.question_store`."""

from __future__ import annotations

import threading
from collections.abc import Collection
from typing import Any

from catalog.model import DatasetId
from catalog.question_store import MOST_VERSIONS, DescriptionVersion, Question, QuestionAnswer


class MemoryQuestions:
    _state: Any
    _lock: threading.RLock

    def put_question(self, question: Question) -> None:
        with self._lock:
            if question.dataset in self._state.datasets:
                self._state.questions[question.id] = question

    def question(self, id: str) -> Question | None:
        with self._lock:
            return self._state.questions.get(id)  # type: ignore[no-any-return]

    def questions(self, datasets: Collection[DatasetId] | None = None, *, only_open: bool = False) -> list[Question]:
        with self._lock:
            kept = [
                each
                for each in self._state.questions.values()
                if (datasets is None or each.dataset in datasets) and (each.is_open or not only_open)
            ]
        return sorted(kept, key=lambda each: (each.at, each.id), reverse=True)

    def delete_question(self, id: str) -> None:
        with self._lock:
            self._state.questions.pop(id, None)
            answers = self._state.answers
            for each in [each for each in answers.values() if each.question == id]:
                del answers[each.id]

    def put_answer(self, answer: QuestionAnswer) -> None:
        with self._lock:
            if answer.question in self._state.questions:
                self._state.answers[answer.id] = answer

    def answers(self, questions: Collection[str]) -> list[QuestionAnswer]:
        with self._lock:
            kept = [each for each in self._state.answers.values() if each.question in questions]
        return sorted(kept, key=lambda each: (each.at, each.id))

    def delete_answer(self, id: str) -> None:
        with self._lock:
            self._state.answers.pop(id, None)

    def add_description(self, version: DescriptionVersion) -> None:
        with self._lock:
            if version.dataset not in self._state.datasets:
                return
            self._state.descriptions[version.id] = version
            for each in self.descriptions(version.dataset, version.path)[MOST_VERSIONS:]:
                del self._state.descriptions[each.id]

    def descriptions(self, dataset: DatasetId, path: str | None = None) -> list[DescriptionVersion]:
        with self._lock:
            kept = [
                each
                for each in self._state.descriptions.values()
                if each.dataset == dataset and path in (None, each.path)
            ]
        return sorted(kept, key=lambda each: (each.at, each.id), reverse=True)
