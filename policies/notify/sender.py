"""Sends notices that are due: batch by batch, at least once, with growing pauses while a service fails."""

from __future__ import annotations

import os
import random
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

import structlog

from policies.notices import (
    AddressOf,
    Channel,
    Chat,
    Mailer,
    Message,
    Notice,
    NoticeState,
    NoticeStore,
    Preference,
    Undelivered,
)
from policies.notify.words import message
from policies.ports import Clock
from policies.settings import NotifySettings

log = structlog.get_logger("weir.notify")

_LEASE = timedelta(minutes=10)
_BATCHES = 20
_FIRST_PAUSE_S = 5.0
_PRUNE_EVERY = timedelta(minutes=10)


class NoticeSender:
    """A duty of the worker: call `step` often.

    A notice is marked as sent after its message was taken. After a crash between the two it is sent again, with the same
    Message-ID.
    """

    def __init__(
        self,
        store: NoticeStore,
        mailer: Mailer | None,
        chat: Chat | None,
        address_of: AddressOf,
        gone: Callable[[str], str | None],
        opened: Callable[[str], str | None],
        clock: Clock,
        settings: NotifySettings,
        base_url: str | None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`gone`: why a person is not to be notified any more; `opened`: a sealed chat address as it was given."""
        self._store, self._mailer, self._chat, self._address_of, self._gone = store, mailer, chat, address_of, gone
        self._opened, self._clock, self._settings, self._base_url, self._jitter = (
            opened,
            clock,
            settings,
            base_url,
            jitter,
        )
        self._worker = f"{os.uname().nodename}:{os.getpid()}:{uuid.uuid4().hex[:6]}"
        self._paused: dict[Channel, datetime] = {}
        self._failures: dict[Channel, int] = {}
        self._allowed = float(settings.messages_per_minute)
        self._at = self._pruned = clock()

    def step(self) -> bool:
        """Send what is due; True when there may be more. Raises Unavailable."""
        now = self._clock()
        if now - self._pruned >= _PRUNE_EVERY:
            self._pruned = now
            self._store.prune(now - timedelta(days=self._settings.keep_days))
        away = [channel for channel, until in self._paused.items() if until > now]
        most = min(_BATCHES, self._allowance(now))
        batches = self._store.claim(self._worker, now, now + _LEASE, most, away) if most else []
        for batch in batches:
            if self._paused.get(batch[0].channel, now) > now:
                self._store.release([n.id for n in batch], self._worker)
                continue
            self._send(batch)
        if not batches:
            self.close()
        return bool(batches) and len(batches) == most

    def _allowance(self, now: datetime) -> int:
        """How many messages may go out now: a bucket that fills evenly."""
        rate = self._settings.messages_per_minute
        passed = max(0.0, (now - self._at).total_seconds())
        self._at = now
        self._allowed = min(float(rate), self._allowed + passed * rate / 60)
        return int(self._allowed)

    def _send(self, batch: Sequence[Notice]) -> None:
        first = batch[0]
        preference = self._store.preference(first.user) or Preference(first.user)
        wanted = self._wanted(batch, preference)
        if not wanted:
            return
        ids = [n.id for n in wanted]
        try:
            self.deliver(first.user, first.channel, message(wanted, self._base_url, self._domain), preference)
        except Undelivered as error:
            self._failed(wanted, error)
            return
        except Exception as error:
            # A fault of ours in one message must not keep the others from being sent.
            self._failed(wanted, Undelivered(f"Sending failed inside Weir ({type(error).__name__})."))
            return
        self._allowed -= 1
        self._failures.pop(first.channel, None)
        self._store.finish(ids, self._worker, NoticeState.SENT, self._clock())

    @property
    def _domain(self) -> str:
        return self._settings.sender.rpartition("@")[2]

    def close(self) -> None:
        """End connections."""
        if self._mailer is not None:
            self._mailer.close()

    def deliver(self, user: str, channel: Channel, text: Message, preference: Preference) -> None:
        """Give a message to the service of a channel. Raises Undelivered."""
        if channel is Channel.MAIL:
            if self._mailer is None:
                raise Undelivered("No mail server is set up: WEIR_NOTIFY__SMTP_HOST.", server=True)
            address = self._address_of(user)
            if address is None:
                raise Undelivered("No mail address of this person is known.", lasting=True)
            self._mailer.send(address, text)
            return
        if self._chat is None:
            raise Undelivered("Chat services are not allowed: WEIR_NOTIFY__CHAT.", server=True)
        address = self._opened(preference.chat_sealed or "")
        if address is None or preference.chat_kind is None:
            raise Undelivered("The address of the chat service cannot be read; it must be set again.", lasting=True)
        self._chat.send(address, preference.chat_kind, text)

    def _wanted(self, batch: Sequence[Notice], preference: Preference) -> list[Notice]:
        """What of a batch is still to be sent; the rest is dropped, with the reason."""
        first = batch[0]
        gone = self._gone(first.user)
        problem = f"The person {gone}." if gone else None
        if problem is None and first.channel not in preference.channels:
            problem = "The person switched this channel off."
        dropped = [n for n in batch if problem is not None or n.topic in preference.off]
        if dropped:
            why = problem or "The person switched this topic off."
            self._store.finish([n.id for n in dropped], self._worker, NoticeState.DROPPED, self._clock(), why)
        return [n for n in batch if n not in dropped]

    def _failed(self, batch: Sequence[Notice], error: Undelivered) -> None:
        now, first = self._clock(), batch[0]
        ids = [n.id for n in batch]
        too_old = now - first.due_at >= timedelta(hours=self._settings.give_up_hours)
        log.warning("notice_failed", channel=str(first.channel), notices=len(ids), problem=error.problem)
        if error.lasting or (too_old and first.attempts > 0):
            state = (
                NoticeState.UNADDRESSED
                if error.lasting and "address of this person" in error.problem
                else NoticeState.FAILED
            )
            self._store.finish(ids, self._worker, state, now, error.problem)
            return
        pause = timedelta(seconds=self._pause(first.attempts, error.retry_after_s))
        self._store.postpone(ids, self._worker, now + pause, error.problem)
        if error.server:
            failures = self._failures.get(first.channel, 0)
            self._failures[first.channel] = failures + 1
            self._paused[first.channel] = now + timedelta(seconds=self._pause(failures, error.retry_after_s))

    def _pause(self, failures: int, wished: float | None) -> float:
        longest = self._settings.longest_pause_s
        pause: float = min(longest, _FIRST_PAUSE_S * 2.0 ** min(failures, 30)) * (0.75 + self._jitter() / 2)
        return max(pause, min(longest, wished or 0.0))

    def paused(self) -> Mapping[Channel, datetime]:
        """Channels whose service does not answer, and until when they are left alone."""
        return {channel: until for channel, until in self._paused.items() if until > self._clock()}
