"""Questions about datasets: ask, answer, edit, accept, close."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Depends
from pydantic import Field, StringConstraints

from api.edge.answer import RequestBody
from api.edge.parameters import Name, Text
from api.features.questions import answers
from api.features.questions.shown import ShownQuestions
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.responsible import ResponsiblePeople
from api.visibility.readers import Readers
from catalog.errors import InvalidInput
from catalog.model import DatasetId
from catalog.questions import LONGEST, Questions
from policies.access.identity import Identity
from policies.audit.log import AuditLog

router = FeatureRouter(tags=["catalog"])

Written = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST)]
_CHANGE = signed_in("own texts; accepting and closing for who asked and those who curate the dataset", scope="describe")
_WRITE = signed_in(KNOWN, scope="describe", agents=False)


class TextBody(RequestBody):
    """A question or an answer, as plain text."""

    text: Written


class QuestionBody(RequestBody):
    """One thing to change: its text, the answer that is accepted, or its state."""

    text: Written | None = None
    accepted: Text | None = Field(None, description="Id of the answer; null: none is accepted.")
    state: Literal["open", "closed"] | None = None


def _shown(
    questions: From[Questions],
    readers: From[Readers],
    responsible: From[ResponsiblePeople],
    identity: From[Identity],
    audit: From[AuditLog],
    caller: Caller,
) -> ShownQuestions:
    return ShownQuestions(questions, readers.of(caller), responsible, identity, audit, caller)


Shown = Annotated[ShownQuestions, Depends(_shown)]


@router.get("/datasets/{namespace}/{name}/questions", dependencies=[signed_in(KNOWN)])
def list_questions(shown: Shown, namespace: Name, name: Name) -> answers.DatasetQuestions:
    """Questions about a dataset, with their answers."""
    return shown.all(DatasetId(namespace, name))


@router.post("/datasets/{namespace}/{name}/questions", dependencies=[_WRITE])
def ask(shown: Shown, namespace: Name, name: Name, body: TextBody) -> answers.DatasetQuestion:
    """Ask something about a dataset. Those who answer for it are notified."""
    return shown.ask(DatasetId(namespace, name), body.text)


@router.get("/questions/{id}", dependencies=[signed_in(KNOWN)])
def get_question(shown: Shown, id: Name) -> answers.DatasetQuestion:
    """One question."""
    return shown.one(id)


@router.patch("/questions/{id}", dependencies=[_CHANGE])
def change_question(shown: Shown, id: Name, body: QuestionBody) -> answers.DatasetQuestion:
    """Edit one's own question; accept an answer, which closes it; close it, or open it again."""
    given = body.model_fields_set
    if len(given) != 1:
        raise InvalidInput("Send one of text, accepted and state.")
    if "text" in given:
        if body.text is None:
            raise InvalidInput("The question is empty; write a sentence.", details={"field": "text"})
        return shown.edit(id, body.text)
    if "accepted" in given:
        return shown.accept(id, body.accepted)
    if body.state is None:
        raise InvalidInput("The state is open or closed.", details={"field": "state"})
    return shown.close(id, closed=body.state == "closed")


@router.delete("/questions/{id}", dependencies=[_CHANGE])
def remove_question(shown: Shown, id: Name) -> answers.RemovedQuestion:
    """Remove a question and its answers."""
    return shown.remove(id)


@router.post("/questions/{id}/answers", dependencies=[_WRITE])
def answer_question(shown: Shown, id: Name, body: TextBody) -> answers.DatasetQuestion:
    """Answer a question. Who asked is notified."""
    return shown.answer(id, body.text)


@router.patch("/questions/{id}/answers/{answer}", dependencies=[_CHANGE])
def edit_answer(shown: Shown, id: Name, answer: Name, body: TextBody) -> answers.DatasetQuestion:
    """Edit one's own answer."""
    return shown.edit_answer(id, answer, body.text)


@router.delete("/questions/{id}/answers/{answer}", dependencies=[_CHANGE])
def remove_answer(shown: Shown, id: Name, answer: Name) -> answers.DatasetQuestion:
    """Remove an answer."""
    return shown.remove_answer(id, answer)
