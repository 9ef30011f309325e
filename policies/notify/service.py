"""What people choose, a test of it, and what an administrator sees of notifications."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from catalog.errors import InvalidInput, LimitExceeded
from catalog.event_model import Event
from catalog.records import rfc3339
from policies.audit.log import AuditLog
from policies.audit.ports import AuditFilter
from policies.model import Subject
from policies.notify.intake import notice_id
from policies.notify.notices import (
    AddressOf,
    Channel,
    Chat,
    ChatKind,
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
from policies.notify.words import message, sentence
from policies.ports import Clock
from policies.settings import NotifySettings

_TESTS_AN_HOUR = 10
_MOST_NAMED = 50


@dataclass(frozen=True, slots=True)
class _ChatPlace:
    """Where a person's notices go in a chat; `sealed` is the address, of which only the `host` is readable."""

    kind: ChatKind | None
    sealed: str | None
    host: str | None


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

    def preference(self, user: str) -> dict[str, Any]:
        """What a person chose, and what is possible here. Of their chat service only the host."""
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
    ) -> dict[str, Any]:
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

    def mine(self, user: str, limit: int) -> list[dict[str, Any]]:
        """A person's notices, newest first."""
        return [_notice_json(each) for each in self._store.notices(user, limit)]

    def test(self, subject: Subject, channel: str, user: str | None = None) -> dict[str, Any]:
        """Send a test message now, to oneself or, for those who manage (the caller checks that), to another person.

        `{user, channel, sent, problem}`: what the service answered. Raises LimitExceeded after ten within an hour.
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
        return {"user": to, "channel": str(way), "sent": problem is None, "problem": problem}

    def _tests(self, user: str) -> int:
        where = AuditFilter(actor=user, action="notify.test", since=self._clock() - timedelta(hours=1))
        return len(self._audit.list(where, limit=_TESTS_AN_HOUR).entries)

    def _shown(self, of: Preference) -> dict[str, Any]:
        return {
            "user": of.user,
            "channels": sorted(of.channels),
            "off": sorted(of.off),
            "digest": str(of.digest),
            "at": of.at,
            "zone": of.zone,
            "changed": of.changed_at is not None,
            "chatKind": str(of.chat_kind) if of.chat_kind else None,
            "chatHost": of.chat_host,
            "mailAvailable": self._settings.smtp_host is not None,
            "mailAddressKnown": self._address_of(of.user) is not None,
            "chatAvailable": self._settings.chat,
            "topics": [str(each) for each in Topic],
        }

    # --- an administrator ----------------------------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """What is set up, and how many notices are in which state; never an address. Raises Unavailable."""
        now = self._clock()
        counts = self._store.counts()
        missed, missed_names = self._store.unaddressed(_MOST_NAMED)
        unknown = [user for user in self._people() if self._address_of(user) is None]
        paused = self._sender.paused()
        return {
            "mail": {
                "host": self._settings.smtp_host,
                "port": self._settings.smtp_port,
                "security": self._settings.smtp_security,
                "sender": self._settings.sender,
                "signsIn": self._settings.smtp_user is not None,
            },
            "chat": self._settings.chat,
            "links": self._base_url is not None,
            "counts": [
                {
                    "channel": str(c.channel),
                    "state": str(c.state),
                    "notices": c.notices,
                    "oldest": rfc3339(c.oldest),
                    "ageSeconds": max(0.0, (now - c.oldest).total_seconds()),
                }
                for c in counts
            ],
            "problems": [
                {"channel": str(channel), "problem": problem, "notices": number}
                for channel, problem, number in self._store.problems(10)
            ],
            "paused": [{"channel": str(channel), "until": rfc3339(until)} for channel, until in paused.items()],
            "withoutAddress": len(unknown),
            "withoutAddressNames": unknown[:_MOST_NAMED],
            "missedByAddress": missed,
            "missedByAddressNames": missed_names,
        }


def _notice_json(each: Notice) -> dict[str, Any]:
    return {
        "id": each.id,
        "type": each.type,
        "subject": each.subject,
        "channel": str(each.channel),
        "topic": str(each.topic),
        "text": sentence(each),
        "at": rfc3339(each.at),
        "dueAt": rfc3339(each.due_at),
        "state": str(each.state),
        "problem": each.problem,
        "doneAt": rfc3339(each.done_at),
    }


def _one_of(kind: Any, text: str | None, field: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise InvalidInput(
            f"{str(text)[:40]!r} is unknown; {field} is one of {', '.join(kind)}.", details={"field": field}
        ) from None
