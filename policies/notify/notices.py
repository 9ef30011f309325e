"""The words of notifications, and what they need from the outside: a store, a mail server, chat services.

A notice is about one event, for one person, by one channel. It holds names and times, never a value of a record, and of
what people wrote to each other only the note to owners of what a change affects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol


class Channel(StrEnum):
    MAIL = "mail"
    CHAT = "chat"


class Digest(StrEnum):
    AT_ONCE = "at-once"
    HOURLY = "hourly"
    DAILY = "daily"


class ChatKind(StrEnum):
    SLACK = "slack"
    TEAMS = "teams"


class NoticeState(StrEnum):
    WAITING = "waiting"
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"
    UNADDRESSED = "unaddressed"


class Topic(StrEnum):
    """What notices are about; people switch each off."""

    REQUESTS = "requests"
    OUTCOMES = "outcomes"
    COMMENTS = "comments"
    EXPIRY = "expiry"
    ESCALATIONS = "escalations"
    DATA = "data"
    CAMPAIGNS = "campaigns"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Preference:
    """How a person wants to be notified.

    channels     by which; off: topics they do not want
    digest       at once, or collected: at each hour, or each day at `at` (HH:MM) in `zone`
    chat_sealed  the address of their chat service, which is a secret; chat_host: what of it may be shown
    """

    user: str
    channels: frozenset[Channel] = frozenset({Channel.MAIL})
    off: frozenset[Topic] = frozenset()
    digest: Digest = Digest.AT_ONCE
    at: str = "08:00"
    zone: str = "UTC"
    chat_kind: ChatKind | None = None
    chat_sealed: str | None = None
    chat_host: str | None = None
    changed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """One event for one person by one channel.

    id        of event, person and channel, so that an event that comes again adds nothing
    type, subject, at    of the event; why: what it is to the person (`decide`, `outcome`, ...)
    data      names and times for the text
    batch     notices of one batch are sent as one message
    due_at    when to send; next_try_at: after a failure
    state     waiting, sent, failed (given up), dropped (no longer wanted), unaddressed (no address is known)
    """

    id: str
    event: str
    type: str
    subject: str
    user: str
    channel: Channel
    topic: Topic
    why: str
    at: datetime
    batch: str
    due_at: datetime
    data: Mapping[str, Any] = field(default_factory=dict)
    state: NoticeState = NoticeState.WAITING
    attempts: int = 0
    next_try_at: datetime | None = None
    problem: str | None = None
    done_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """How many notices of a channel are in a state; oldest: when the oldest of them was due."""

    channel: Channel
    state: NoticeState
    notices: int
    oldest: datetime


class NoticeStore(Protocol):
    """Raises Unavailable when it does not answer."""

    def add(self, notices: Sequence[Notice]) -> int:
        """Keep those whose id is not there yet; how many."""

    def claim(
        self, worker: str, now: datetime, until: datetime, batches: int, but: Collection[Channel] = ()
    ) -> list[list[Notice]]:
        """Batches that are due, the one that is due first in front, each with all its waiting notices; nobody else gets
        them until `until`. `but`: channels that are left out."""

    def finish(
        self,
        ids: Sequence[str],
        worker: str,
        state: NoticeState,
        at: datetime,
        problem: str | None = None,
    ) -> None:
        """Their end. Does nothing to notices that another worker has by now."""

    def postpone(self, ids: Sequence[str], worker: str, next_try_at: datetime, problem: str) -> None:
        """After a failed attempt, which counts."""

    def defer(self, user: str, channel: Channel, until: datetime) -> None:
        """Leave all waiting notices of a person by a channel alone until then; no attempt is counted."""

    def release(self, ids: Sequence[str], worker: str) -> None:
        """Give claimed notices back without an attempt."""

    def sent_since(self, user: str, channel: Channel, since: datetime) -> int:
        """How many notices for a person, to be sent at once, came since then."""

    def counts(self) -> list[Count]: ...

    def problems(self, most: int) -> list[tuple[Channel, str, int]]:
        """(channel, problem, notices that wait or failed by it), the most frequent first."""

    def unaddressed(self, most: int) -> tuple[int, list[str]]:
        """How many people have notices that no address is known for, and the names of some."""

    def notices(self, user: str, limit: int) -> list[Notice]:
        """A person's, newest first."""

    def prune(self, before: datetime) -> int:
        """Forget notices that ended before then, sent or not."""

    def preference(self, user: str) -> Preference | None: ...

    def preferences(self, users: Collection[str]) -> dict[str, Preference]: ...

    def put_preference(self, preference: Preference) -> None: ...


class Undelivered(Exception):
    """A message was not taken. `problem` is one sentence without addresses and content.

    lasting   another attempt would fail too
    server    the service itself does not answer, so other messages would fail as well
    retry_after_s   how long it asked to be left alone
    """

    def __init__(
        self, problem: str, *, lasting: bool = False, server: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(problem)
        self.problem, self.lasting, self.server, self.retry_after_s = problem, lasting, server, retry_after_s


@dataclass(frozen=True, slots=True)
class Message:
    """What is sent. `id` is the same at every attempt, so that a client can drop doubles. `links`: (text, address)
    of the lines that have one, in their order; two lines may have the same text."""

    id: str
    thread: str
    title: str
    plain: str
    html: str
    lines: tuple[str, ...] = ()
    links: tuple[tuple[str, str], ...] = ()


class Mailer(Protocol):
    def send(self, address: str, message: Message) -> None:
        """Raises Undelivered."""

    def close(self) -> None:
        """End the connection, if there is one."""


class Chat(Protocol):
    def check(self, address: str) -> str:
        """The host of an address that may be called. Raises InvalidInput for one that may not."""

    def send(self, address: str, kind: ChatKind, message: Message) -> None:
        """Raises Undelivered."""


AddressOf = Callable[[str], str | None]
"""The mail address of a person, None where none is known."""
