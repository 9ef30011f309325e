"""Sends notices that are due: batch by batch, at least once, with growing pauses while a service fails.

Mail and chat have rounds of their own. A failure that is one person's (their chat service) pauses that person alone.
"""

from __future__ import annotations

import os
import random
import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from policies.notify.notices import (
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
_OF_REQUESTS = ("weir.access.", "weir.breakglass.")
_OF_DATASETS = ("weir.incident.", "weir.question.", "weir.reference.", "weir.impact.")
"""Types whose notices name a dataset to people for what it holds. Those of grants report what ended with a right."""
_CHATS_AT_ONCE = 8
"""People whose chat services are called at one time: a slow one holds up one of so many."""


@dataclass(frozen=True, slots=True)
class _Rest:
    """How long a person's service is left alone, after so many failures in a row, and why."""

    until: datetime
    failures: int
    problem: str


class NoticeSender:
    """Duties of the worker: call `step` often, for each channel by a thread of its own.

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
        sees: Callable[[str, str], bool] = lambda user, request: True,
        knows: Callable[[str, str], bool] = lambda user, dataset: True,
    ) -> None:
        """`gone`: why a person is not to be notified any more; `opened`: a sealed chat address as it was given; `sees`:
        whether a user may see an access request now; `knows`: whether they may know of a dataset now."""
        self._sees, self._knows = sees, knows
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
        self._resting: dict[tuple[str, Channel], _Rest] = {}
        self._allowed = dict.fromkeys(Channel, float(settings.messages_per_minute))
        self._pruned = clock()
        self._at = dict.fromkeys(Channel, self._pruned)
        self._lock = threading.Lock()

    def step(self, channel: Channel | None = None) -> bool:
        """Send what is due by one channel, None: by each in turn; True when there may be more. Raises Unavailable."""
        if channel is None:
            more = [self._round(each) for each in Channel]
            return any(more)
        return self._round(channel)

    def _round(self, channel: Channel) -> bool:
        now = self._clock()
        if now - self._pruned >= _PRUNE_EVERY:
            self._pruned = now
            self._store.prune(now - timedelta(days=self._settings.keep_days))
        if self._paused.get(channel, now) > now:
            return False
        most = min(_BATCHES, self._allowance(channel, now))
        others = [each for each in Channel if each is not channel]
        batches = self._store.claim(self._worker, now, now + _LEASE, most, others) if most else []
        of: dict[str, list[Sequence[Notice]]] = defaultdict(list)
        for batch in batches:
            of[batch[0].user].append(batch)
        if channel is Channel.CHAT and len(of) > 1:
            with ThreadPoolExecutor(min(_CHATS_AT_ONCE, len(of)), "chat-notices") as pool:
                list(pool.map(self._send_all, of.values()))  # raises what one of them raised
        else:
            self._send_all(batches)
        if not batches and channel is Channel.MAIL:
            self.close()
        return bool(batches) and len(batches) == most

    def _allowance(self, channel: Channel, now: datetime) -> int:
        """How many messages may go out by a channel now: a bucket that fills evenly."""
        rate = self._settings.messages_per_minute
        with self._lock:
            passed = max(0.0, (now - self._at[channel]).total_seconds())
            self._at[channel] = now
            self._allowed[channel] = min(float(rate), self._allowed[channel] + passed * rate / 60)
            return int(self._allowed[channel])

    def _send_all(self, batches: Sequence[Sequence[Notice]]) -> None:
        """What cannot be tried now is given back: the service, or this person's, is left alone."""
        for batch in batches:
            first, ids, now = batch[0], [n.id for n in batch], self._clock()
            rest = self._resting.get((first.user, first.channel))
            if self._paused.get(first.channel, now) > now:
                self._store.release(ids, self._worker)
            elif rest is None or rest.until <= now:
                self._send(batch)
            elif self._is_too_old(first, now):
                self._store.finish(ids, self._worker, NoticeState.FAILED, now, rest.problem)
            else:
                self._store.defer(first.user, first.channel, rest.until)
                self._store.release(ids, self._worker)

    def _is_too_old(self, first: Notice, now: datetime) -> bool:
        return now - first.due_at >= timedelta(hours=self._settings.give_up_hours)

    def _send(self, batch: Sequence[Notice]) -> None:
        first = batch[0]
        preference = self._store.preference(first.user) or Preference(first.user)
        notices = self._wanted(batch, preference)
        if not notices:
            return
        ids = [n.id for n in notices]
        with self._lock:
            self._allowed[first.channel] -= 1  # an attempt costs as much as a success
        try:
            self.deliver(first.user, first.channel, message(notices, self._base_url, self._domain), preference)
        except Undelivered as error:
            self._failed(notices, error)
            return
        except Exception as error:
            # A fault of ours in one message must not keep the others from being sent.
            self._failed(notices, Undelivered(f"Sending failed inside Weir ({type(error).__name__})."))
            return
        self._failures.pop(first.channel, None)
        self._resting.pop((first.user, first.channel), None)
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
        notices: list[Notice] = []
        dropped: dict[str, list[str]] = defaultdict(list)
        for n in batch:
            why = problem or ("The person switched this topic off." if n.topic in preference.off else None)
            why = why or self._hidden(n)
            if why is None:
                notices.append(n)
            else:
                dropped[why].append(n.id)
        for why, ids in dropped.items():
            self._store.finish(ids, self._worker, NoticeState.DROPPED, self._clock(), why)
        return notices

    def _hidden(self, notice: Notice) -> str | None:
        """Why its person may not know of it: rights may have ended while it waited. None: they may."""
        dataset = notice.data.get("dataset")
        if notice.type.startswith(_OF_REQUESTS) and not self._sees(notice.user, notice.subject):
            return "The person may not see this request any more."
        if dataset and notice.type.startswith(_OF_DATASETS) and not self._knows(notice.user, str(dataset)):
            return "The person may not know of this dataset any more."
        return None

    def _failed(self, batch: Sequence[Notice], error: Undelivered) -> None:
        now, first = self._clock(), batch[0]
        ids = [n.id for n in batch]
        log.warning("notice_failed", channel=str(first.channel), notices=len(ids), problem=error.problem)
        if error.lasting or (self._is_too_old(first, now) and first.attempts > 0):
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
        elif first.channel is Channel.CHAT:
            resting = self._resting.get((first.user, first.channel))
            failures = resting.failures if resting is not None else 0
            rest = timedelta(seconds=self._pause(failures, error.retry_after_s))
            self._resting[first.user, first.channel] = _Rest(now + rest, failures + 1, error.problem)

    def _pause(self, failures: int, wished: float | None) -> float:
        longest = self._settings.longest_pause_s
        pause: float = min(longest, _FIRST_PAUSE_S * 2.0 ** min(failures, 30)) * (0.75 + self._jitter() / 2)
        return max(pause, min(longest, wished or 0.0))

    def paused(self) -> Mapping[Channel, datetime]:
        """Channels whose service does not answer, and until when they are left alone."""
        return {channel: until for channel, until in self._paused.items() if until > self._clock()}
