"""A request's thread and its clock of escalation: questions, answers, comments, and what happens when nobody answers. Pure.

pending, nobody decides for N hours      -> level 1: delegates of the approvers are notified
pending, nobody decides for 2 N hours    -> level 2: those who manage are notified; they decide only where a setting lets them
a question to the requester              -> the clock is stopped until the answer
a decision                               -> the clock begins again, at level 0
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput
from policies.access_request import AccessRequest, Message, RequestState
from policies.request_transitions import at

DELEGATES, MANAGERS = 1, 2
MOST_MESSAGES = 200
MOST_CHARACTERS = 2000
_MOST_NAMED = 50


def ask_back(request: AccessRequest, by: str, now: datetime, text: str) -> AccessRequest:
    """A question to the requester. Raises Conflict unless the request is pending, InvalidInput without a question."""
    request = at(request, now)
    if request.state is not RequestState.PENDING:
        raise Conflict(
            f"Access request {request.id} is {request.state}; only a pending one can be asked back.",
            details={"id": request.id, "state": str(request.state)},
        )
    after = _with(request, Message(by, now, "question", _text(text)))
    return replace(after, state=RequestState.ASKED_BACK, asked_back_at=now)


def comment(request: AccessRequest, by: str, now: datetime, text: str) -> AccessRequest:
    """A comment; of the requester on a request that was asked back, the answer. Raises Conflict when the thread is full."""
    request = at(request, now)
    if request.state is RequestState.ASKED_BACK and by == request.requester:
        answered = _with(request, Message(by, now, "answer", _text(text)))
        paused = now - (request.asked_back_at or now)
        since = (request.waiting_since or request.created_at) + paused
        return replace(answered, state=RequestState.PENDING, asked_back_at=None, waiting_since=since)
    return _with(request, Message(by, now, "comment", _text(text)))


def due(request: AccessRequest, now: datetime, after: timedelta) -> int:
    """The level of escalation that is due and was not reached yet; 0 = none."""
    if at(request, now).state is not RequestState.PENDING or request.break_glass or after <= timedelta(0):
        return 0
    waited = now - (request.waiting_since or request.created_at)
    level = MANAGERS if waited >= 2 * after else DELEGATES if waited >= after else 0
    return level if level > request.escalated else 0


def escalate(request: AccessRequest, now: datetime, level: int, people: Sequence[str]) -> AccessRequest:
    """With the level reached, and who was notified in the thread. Also in a full thread."""
    to = "those who manage" if level == MANAGERS else "delegates"
    entry = Message("weir", now, "escalation", f"Nobody decided, so {to} were notified.", tuple(people[:_MOST_NAMED]))
    return replace(request, escalated=level, thread=(*request.thread, entry))


def _with(request: AccessRequest, message: Message) -> AccessRequest:
    if len(request.thread) >= MOST_MESSAGES:
        raise Conflict(f"The thread of access request {request.id} is full: it has {MOST_MESSAGES} messages.")
    return replace(request, thread=(*request.thread, message))


def _text(text: str) -> str:
    stripped = text.strip()
    if not stripped:
        raise InvalidInput("A message needs a text.", details={"field": "text"})
    if len(stripped) > MOST_CHARACTERS:
        raise InvalidInput(f"A message has at most {MOST_CHARACTERS} characters.", details={"field": "text"})
    return stripped
