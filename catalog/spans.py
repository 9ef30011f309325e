"""Spans of traces: what a process did, for how long, and as a part of what. Off unless a process sets a tracer.

Names and attributes are words of fixed lists, routes and counts: never values of records, SQL, or names of people.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol

Attribute = str | int | float | bool


class Span(Protocol):
    """One that is under way."""

    def rename(self, name: str) -> None: ...

    def note(self, name: str, value: Attribute) -> None: ...


class Tracer(Protocol):
    """Makes spans. `parent`: the header traceparent of a caller. `current`: whether spans of the same thread are below it."""

    def span(
        self, name: str, attributes: dict[str, Attribute], *, parent: str | None, served: bool, current: bool
    ) -> AbstractContextManager[Span]: ...

    def carried(self, work: Callable[[], None]) -> Callable[[], None]: ...


class _NoSpan:
    def rename(self, name: str) -> None:
        return None

    def note(self, name: str, value: Attribute) -> None:
        return None


_OFF: AbstractContextManager[Span] = nullcontext(_NoSpan())
_tracer: Tracer | None = None


def use(tracer: Tracer | None) -> None:
    """Have the spans of this process made by a tracer; None ends it."""
    global _tracer
    _tracer = tracer


def on() -> bool:
    """Whether this process makes spans."""
    return _tracer is not None


def span(name: str, **attributes: Attribute) -> AbstractContextManager[Span]:
    """A span around what is done here, below the one that is under way in this thread."""
    if _tracer is None:
        return _OFF
    return _tracer.span(name, attributes, parent=None, served=False, current=True)


def leaf(name: str, **attributes: Attribute) -> AbstractContextManager[Span]:
    """A span that may end on another thread than the one that began it; no other is below it."""
    if _tracer is None:
        return _OFF
    return _tracer.span(name, attributes, parent=None, served=False, current=False)


def request(parent: str | None) -> AbstractContextManager[Span]:
    """A span around a request that is answered. `parent`: the caller's header traceparent, if it has one."""
    if _tracer is None:
        return _OFF
    return _tracer.span("request", {}, parent=parent, served=True, current=True)


def carried(work: Callable[[], None]) -> Callable[[], None]:
    """Work for another thread, with its spans below the one that is under way in this thread. Nothing else is carried."""
    return work if _tracer is None else _tracer.carried(work)
