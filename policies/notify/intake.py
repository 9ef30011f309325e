"""Writes a notice for every person whom an event concerns: a receiver of the outbox, which reaches no server."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import structlog

from catalog.errors import Unavailable, WeirError
from catalog.event_model import DeliveryFailed, Event
from policies.notify.notices import AddressOf, Channel, Notice, NoticeState, NoticeStore, Preference, Topic
from policies.notify.when import due, next_hour
from policies.notify.who import Notified, People, notified
from policies.notify.words import kept
from policies.ports import Clock
from policies.settings import NotifySettings

log = structlog.get_logger("weir.notify")

_OFTEN = ("weir.schema.", "weir.scan.", "weir.dataset.", "weir.classification.", "weir.query.", "weir.mask.")
"""Types of which there are thousands and that concern nobody by name."""


class NoticeIntake:
    """`catalog.ports.Receiver`. An event that comes again adds nothing."""

    name = "notices"
    at_once = 100
    lasting = True

    def __init__(
        self,
        store: NoticeStore,
        people: People,
        address_of: AddressOf,
        clock: Clock,
        settings: NotifySettings,
        since: Callable[[], datetime] | None = None,
        is_declared: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`is_declared`: whether a purpose is a declared one, which messages may name."""
        self._store, self._people, self._address_of = store, people, address_of
        self._clock, self._settings, self._is_declared = clock, settings, is_declared
        self.since: datetime | None = (since or clock)()

    def wants(self, event: Event) -> bool:
        return not event.type.startswith(_OFTEN) or "people" in event.data

    def tell(self, events: Sequence[Event]) -> None:
        """Raises DeliveryFailed when the record store does not answer; the events come again then."""
        try:
            for event in events:
                self._take(event)
        except Unavailable as error:
            raise DeliveryFailed(error.message) from None

    def _take(self, event: Event) -> None:
        """An event that cannot be read must not keep later ones from being reported; it is counted as a failure."""
        try:
            self.take(event)
        except WeirError as error:
            if isinstance(error, Unavailable):
                raise
            self._failed(event, error)
        except Exception as error:
            self._failed(event, error)

    def _failed(self, event: Event, error: Exception) -> None:
        now, kind = self._clock(), type(error).__name__
        log.error("event_not_noticed", type=event.type, kind=kind)
        identifier = notice_id(event.id, "", Channel.MAIL, "failed")
        problem = f"Weir could not find out whom an event {event.type} concerns ({kind})."
        failed = Notice(
            id=identifier,
            event=event.id,
            type=event.type,
            subject=event.subject,
            user="",
            channel=Channel.MAIL,
            topic=Topic.OTHER,
            why="failed",
            at=event.time,
            batch=identifier,
            due_at=now,
            data={},
            state=NoticeState.FAILED,
            problem=problem,
            done_at=now,
        )
        self._store.add([failed])

    def take(self, event: Event) -> int:
        """Write the notices of one event; how many are new. Raises Unavailable."""
        addressed = notified(event, self._people)
        preferences = self._store.preferences([each.user for each in addressed])
        now = self._clock()
        notices = [
            self._notice(event, each, channel, preference, now)
            for each in addressed
            for preference in (preferences.get(each.user) or Preference(each.user),)
            if each.topic not in preference.off
            for channel in sorted(preference.channels)
            if self._is_set_up(channel, preference)
        ]
        return self._store.add(notices)

    def _is_set_up(self, channel: Channel, preference: Preference) -> bool:
        if channel is Channel.MAIL:
            return self._settings.smtp_host is not None
        return self._settings.chat and preference.chat_sealed is not None

    def _notice(self, event: Event, each: Notified, channel: Channel, preference: Preference, now: datetime) -> Notice:
        # The parts of a bundle are one matter to the people who decide it.
        same = event.data.get("bundle") if event.type == "weir.access.requested" else None
        identifier = notice_id(str(same or event.id), each.user, channel, each.why)
        moment, digest = due(preference, now)
        if digest is None and self._is_too_much(each.user, channel, now):
            moment = next_hour(now)
            digest = f"over:{moment.isoformat()}"
        addressed = channel is not Channel.MAIL or self._address_of(each.user) is not None
        return Notice(
            id=identifier,
            event=event.id,
            type=event.type,
            subject=event.subject,
            user=each.user,
            channel=channel,
            topic=each.topic,
            why=each.why,
            at=event.time,
            batch=f"{each.user}\n{channel}\n{digest}" if digest is not None else identifier,
            due_at=moment,
            data=kept(event.data, self._is_declared),
            state=NoticeState.WAITING if addressed else NoticeState.UNADDRESSED,
            problem=None if addressed else "No mail address of this person is known.",
            done_at=None if addressed else now,
        )

    def _is_too_much(self, user: str, channel: Channel, now: datetime) -> bool:
        sent = self._store.sent_since(user, channel, now - timedelta(hours=1))
        return sent >= self._settings.person_per_hour


def notice_id(event: str, user: str, channel: Channel, why: str) -> str:
    """The same for an event that comes again, so that it is written once."""
    return hashlib.sha256("\n".join((event, user, channel, why)).encode("utf-8", "replace")).hexdigest()[:40]
