"""For whom the present call is made: every entry that the audit gets meanwhile names the agent and the tool.

A call of HTTP opens `call()` before it is known who calls, and the guard of the route fills it in. A tool of another protocol opens
`acting(subject)` around its work, with `subject.by_tool(NAME)`. Threads that a web server starts for a call carry it along.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from policies.model import Subject


@dataclass(slots=True)
class Call:
    """One call. `subject`: who makes it, once that is known."""

    subject: Subject | None = None


_CALL: ContextVar[Call | None] = ContextVar("weir_call", default=None)


@contextmanager
def call() -> Iterator[Call]:
    """A call whose subject becomes known in it."""
    opened = Call()
    before = _CALL.get()
    _CALL.set(opened)
    try:
        yield opened
    finally:
        _CALL.set(before)


@contextmanager
def acting(subject: Subject) -> Iterator[None]:
    """A call of a subject who is known."""
    with call() as opened:
        opened.subject = subject
        yield


def known(subject: Subject) -> None:
    """Note who makes the present call; nothing outside one."""
    opened = _CALL.get()
    if opened is not None:
        opened.subject = subject


def marks(actor: str) -> dict[str, str]:
    """`{agent, agentToken, purpose}` and `{tool}` of the present call, where an agent or a tool of the actor makes it."""
    opened = _CALL.get()
    subject = opened.subject if opened is not None else None
    if subject is None or subject.user != actor:
        return {}
    own = {key: value for key, value in subject.sign_in_method.items() if key != "certificate"}
    return own if subject.agent is None else {"purpose": subject.agent.purpose, **own}
