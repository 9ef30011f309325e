"""What happened, as CloudEvents 1.0 describe it, and how far each receiver has come."""

from __future__ import annotations

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from catalog.records import rfc3339

TYPE_PREFIX = "weir."

OPEN_TYPES = ("weir.schema.", "weir.scan.", "weir.dataset.", "weir.classification.")
"""Types every signed-in user may read: they report what the catalog shows anyway. All others report what people did."""


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. Never holds a value of a record.

    seq      its place in the outbox, counted upwards; 0 = not yet stored
    type     `weir.schema.changed`, `weir.scan.failed`...
    subject  what it is about: `prod/orders`, the id of a scan, a grant's name...
    data     JSON-ready; names, counts, places and times
    """

    id: str
    type: str
    subject: str
    time: datetime
    data: Mapping[str, Any] = field(default_factory=dict)
    seq: int = 0

    @property
    def is_open(self) -> bool:
        return self.type.startswith(OPEN_TYPES)

    def to_json(self, source: str) -> dict[str, object]:
        """CloudEvents 1.0 in JSON; `sequence` is the extension of that name, as text that sorts."""
        return {
            "specversion": "1.0",
            "id": self.id,
            "source": source,
            "type": self.type,
            "subject": self.subject,
            "time": rfc3339(self.time),
            "datacontenttype": "application/json",
            "sequence": f"{self.seq:020d}",
            "data": dict(self.data),
        }


EventDraft = tuple[str, Mapping[str, object]]
"""(type of event, its data), before a room reports it."""


@dataclass(frozen=True, slots=True)
class EventFilter:
    """Which events to list. `types` and `subject` are globs (`weir.schema.*`, `prod/*`); several types mean any of them.

    after      only those with a larger seq
    open_only  only the types that every signed-in user may read
    """

    types: Sequence[str] = ()
    subject: str | None = None
    since: datetime | None = None
    after: int | None = None
    open_only: bool = False

    def matches(self, event: Event) -> bool:
        return (
            (not self.types or type_matches(self.types, event.type))
            and (self.subject is None or fnmatch.fnmatchcase(event.subject, self.subject))
            and (self.since is None or event.time >= self.since)
            and (self.after is None or event.seq > self.after)
            and (not self.open_only or event.is_open)
        )


@dataclass(frozen=True, slots=True)
class DeliveryState:
    """How far one receiver (`kafka`, `webhook:NAME`) has come.

    position    seq of the last event it took, or that did not concern it
    failures    tries in a row that failed; next_try_at: not before then
    failed_at   when the first of them failed
    problem     why the last one failed; a sentence without any content of events or answers
    dropped     events it never got: given up after a time, or past retention before it answered
    worker      who is delivering to it just now, until leased_until
    """

    name: str
    position: int = 0
    failures: int = 0
    failed_at: datetime | None = None
    next_try_at: datetime | None = None
    problem: str | None = None
    delivered_at: datetime | None = None
    dropped: int = 0
    worker: str | None = None
    leased_until: datetime | None = None

    def claimable(self, worker: str, now: datetime) -> bool:
        """Nobody else has it, and its next try is due."""
        free = self.worker in (None, worker) or self.leased_until is None or self.leased_until <= now
        return free and (self.next_try_at is None or self.next_try_at <= now)


class DeliveryFailed(Exception):
    """A receiver did not take an event. `problem` names the receiver's host or server and the cause, no content.

    taken           how many of the given events, from the first, it did take
    retry_after_s   how long it asked to be left alone
    """

    def __init__(self, problem: str, taken: int = 0, retry_after_s: float | None = None) -> None:
        super().__init__(problem)
        self.problem = problem
        self.taken = taken
        self.retry_after_s = retry_after_s


def full_type(kind: str) -> str:
    """`schema.changed` and `weir.schema.changed` both mean the latter."""
    return kind if kind.startswith(TYPE_PREFIX) else TYPE_PREFIX + kind


def type_matches(globs: Sequence[str], kind: str) -> bool:
    """True when one of the globs (`schema.*`, `weir.scan.failed`, `*`) names the type."""
    return any(glob == "*" or fnmatch.fnmatchcase(kind, full_type(glob)) for glob in globs)
