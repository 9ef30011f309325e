"""What people choose, a test of it, and what an administrator sees of notifications."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from catalog.errors import InvalidInput, LimitExceeded
from catalog.event_model import Event
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.model import Subject
from policies.notify.intake import notice_id
from policies.notify.notices import (
    AddressOf,
    Channel,
    Chat,
    ChatKind,
    Count,
    Digest,
    Notice,
    NoticeState,
    NoticeStore,
    Preference,
    Topic,
    Undelivered,
)
from policies.notify.sender import NoticeSender
from policies.notify.when import time_of, zone_of
from policies.notify.words import message
from policies.ports import Clock
from policies.settings import NotifySettings

_TESTS_AN_HOUR = 10
MOST_NAMED = 50
"""Names of people in a report."""


@dataclass(frozen=True, slots=True)
class _ChatPlace:
    """Where a person's notices go in a chat; `sealed` is the address, of which only the `host` is readable."""

    kind: ChatKind | None
    sealed: str | None
    host: str | None


@dataclass(frozen=True, slots=True)
class ShownPreference:
    """What a person chose, without the address of their chat service, and what is possible here."""

    preference: Preference
    mail_available: bool
    mail_address_known: bool
    chat_available: bool


@dataclass(frozen=True, slots=True)
class TestOutcome:
    """What became of a test message. problem: why it was not sent, in a sentence."""

    user: str
    channel: Channel
    problem: str | None


@dataclass(frozen=True, slots=True)
class ChannelProblem:
    """Why so many notices of a channel wait or failed."""

    channel: Channel
    problem: str
    notices: int


@dataclass(frozen=True, slots=True)
class NotifyReport:
    """What is set up, and how many notices are in which state; never an address.

    links            messages have links; problems: the most frequent first
    paused           channel -> until when this process leaves its service alone
    without_address  people whose address is unknown; missed: how many of them missed a notice, with the first of their names
    """

    at: datetime
    settings: NotifySettings
    links: bool
    counts: Sequence[Count]
    problems: Sequence[ChannelProblem]
    paused: Mapping[Channel, datetime]
    without_address: Sequence[str]
    missed: int
    missed_names: Sequence[str]


class Notifications:
    """The service behind `/me/notifications` and `/notifications`."""

    def __init__(
        self,
        store: NoticeStore,
        sender: NoticeSender,
        chat: Chat | None,
        seal: Callable[[str], str],
        address_of: AddressOf,
        people: Callable[[], Sequence[str]],
        audit: AuditLog,
        clock: Clock,
        settings: NotifySettings,
        base_url: str | None,
    ) -> None:
        """`people`: names of those who are not gone."""
        self._store, self._sender, self._chat, self._seal, self._address_of = store, sender, chat, seal, address_of
        self._people, self._audit, self._clock, self._settings, self._base_url = (
            people,
            audit,
            clock,
            settings,
            base_url,
        )

    # --- a person ----------------------------------------------------------------------------------------------------

    def preference(self, user: str) -> ShownPreference:
        """What a person chose, and what is possible here."""
        return self._shown(self._store.preference(user) or Preference(user))

    def choose(
        self,
        subject: Subject,
        channels: Sequence[str],
        off: Sequence[str],
        digest: str,
        at: str,
        zone: str,
        chat_kind: str | None = None,
        chat_url: str | None = None,
    ) -> ShownPreference:
        """Set one's own preference. `chat_url` None: the address stays; empty: it is forgotten.

        Raises InvalidInput naming the field.
        """
        time_of(at)
        zone_of(zone)
        before = self._store.preference(subject.user) or Preference(subject.user)
        place = self._chat_place(before, chat_kind, chat_url)
        chosen = frozenset(_one_of(Channel, each, "channels") for each in channels)
        if Channel.CHAT in chosen and place.sealed is None:
            raise InvalidInput("The channel chat needs the address of a chat service.", details={"field": "chatUrl"})
        created = Preference(
            user=subject.user,
            channels=chosen,
            off=frozenset(_one_of(Topic, each, "off") for each in off),
            digest=_one_of(Digest, digest, "digest"),
            at=at,
            zone=zone,
            chat_kind=place.kind,
            chat_sealed=place.sealed,
            chat_host=place.host,
            changed_at=self._clock(),
        )
        self._store.put_preference(created)
        self._audit.record(
            subject.user,
            "notify.choose",
            subject.user,
            "allow",
            [],
            {
                "channels": sorted(chosen),
                "off": sorted(created.off),
                "digest": str(created.digest),
                "chatHost": place.host,
            },
        )
        return self._shown(created)

    def _chat_place(self, before: Preference, kind: str | None, url: str | None) -> _ChatPlace:
        """`kind` and `url` as in `choose`."""
        if url == "":
            return _ChatPlace(None, None, None)
        if url is not None:
            if self._chat is None or not self._settings.chat:
                raise InvalidInput(
                    "Chat services are not set up here (WEIR_NOTIFY__CHAT).", details={"field": "chatUrl"}
                )
            host = self._chat.check(url)
            return _ChatPlace(_one_of(ChatKind, kind, "chatKind"), self._seal(url), host)
        place = _ChatPlace(before.chat_kind, before.chat_sealed, before.chat_host)
        if kind is not None and place.sealed is not None:
            return replace(place, kind=_one_of(ChatKind, kind, "chatKind"))
        return place

    def mine(self, user: str, limit: int) -> Sequence[Notice]:
        """A person's notices, newest first."""
        return self._store.notices(user, limit)

    def test(self, subject: Subject, channel: str, user: str | None = None) -> TestOutcome:
        """Send a test message now, to oneself or, for those who manage (the caller checks that), to another person.

        Raises LimitExceeded after ten within an hour.
        """
        to, way, now = user or subject.user, _one_of(Channel, channel, "channel"), self._clock()
        if self._tests(subject.user) >= _TESTS_AN_HOUR:
            raise LimitExceeded(f"{_TESTS_AN_HOUR} tests within an hour are enough; try again later.")
        event = Event(uuid.uuid4().hex, "weir.notice.test", to, now, {"by": subject.user})
        identifier = notice_id(event.id, to, way, "test")
        notice = Notice(
            id=identifier,
            event=event.id,
            type=event.type,
            subject=to,
            user=to,
            channel=way,
            topic=Topic.OTHER,
            why="test",
            at=now,
            batch=identifier,
            due_at=now,
            data={"by": subject.user},
            state=NoticeState.SENT,
            attempts=1,
            done_at=now,
        )
        problem = None
        try:
            preference = self._store.preference(to) or Preference(to)
            domain = self._settings.sender.rpartition("@")[2]
            self._sender.deliver(to, way, message([notice], self._base_url, domain), preference)
        except Undelivered as error:
            problem = error.problem
        finally:
            self._sender.close()
        self._audit.record(
            subject.user, "notify.test", to, "allow", [problem or "sent"], {"channel": str(way), "users": [to]}
        )
        return TestOutcome(to, way, problem)

    def _tests(self, user: str) -> int:
        where = AuditFilter(actor=user, action="notify.test", since=self._clock() - timedelta(hours=1))
        return len(self._audit.list(where, limit=_TESTS_AN_HOUR).entries)

    def _shown(self, of: Preference) -> ShownPreference:
        return ShownPreference(
            replace(of, chat_sealed=None),
            mail_available=self._settings.smtp_host is not None,
            mail_address_known=self._address_of(of.user) is not None,
            chat_available=self._settings.chat,
        )

    # --- an administrator ----------------------------------------------------------------------------------------------

    def status(self) -> NotifyReport:
        """Raises Unavailable."""
        missed, missed_names = self._store.unaddressed(MOST_NAMED)
        return NotifyReport(
            at=self._clock(),
            settings=self._settings,
            links=self._base_url is not None,
            counts=self._store.counts(),
            problems=[ChannelProblem(*each) for each in self._store.problems(10)],
            paused=self._sender.paused(),
            without_address=[user for user in self._people() if self._address_of(user) is None],
            missed=missed,
            missed_names=missed_names,
        )


def _one_of(kind: Any, text: str | None, field: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise InvalidInput(
            f"{str(text)[:40]!r} is unknown; {field} is one of {', '.join(kind)}.", details={"field": field}
        ) from None
