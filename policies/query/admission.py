"""Turns: how many queries run at once, for one subject and for all, and who is next.

A subject at its own limit waits behind its own queries only. Of those that may run, the subject with the fewest
running queries is next, and of one subject the query that came first: many queries of one cannot keep another waiting.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from collections.abc import Iterator

from catalog.errors import LimitExceeded
from policies.plan.cancellation import Stop
from policies.plan.settings import QuerySettings


class Turns:
    """Safe for threads."""

    def __init__(self, settings: QuerySettings) -> None:
        self._settings = settings
        self._running: Counter[str] = Counter()
        self._queue: list[tuple[str, object]] = []
        self._changed = threading.Condition()

    @property
    def running(self) -> int:
        """Queries that have their turn now."""
        return sum(self._running.values())

    @contextlib.contextmanager
    def take(self, user: str, stop: Stop | None = None) -> Iterator[None]:
        """Wait for a turn and hold it.

        Raises LimitExceeded (details: limit = queued_per_subject | queued | concurrent_per_subject | concurrent),
        QueryCancelled when stopped while it waits.
        """
        stop = stop or Stop()
        with stop.telling(self._wake):
            self._wait(user, stop)
        try:
            yield
        finally:
            with self._changed:
                self._running[user] -= 1
                if not self._running[user]:
                    del self._running[user]
                self._changed.notify_all()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _wait(self, user: str, stop: Stop) -> None:
        mine = (user, object())
        until = time.monotonic() + self._settings.wait_seconds
        with self._changed:
            self._queue.append(mine)
            try:
                if self._next() is not mine:
                    self._admit(user)
                while self._next() is not mine:
                    stop.check()
                    left = until - time.monotonic()
                    if left <= 0:
                        raise self._too_long(user)
                    self._changed.wait(left)
                stop.check()
                self._running[user] += 1
            finally:
                self._queue.remove(mine)
                self._changed.notify_all()

    def _next(self) -> tuple[str, object] | None:
        if self.running >= self._settings.concurrent:
            return None
        most = self._settings.concurrent_per_subject
        waiting = [each for each in self._queue if self._running[each[0]] < most]
        return min(waiting, key=lambda each: self._running[each[0]], default=None)

    def _admit(self, user: str) -> None:
        """Whether one more may wait; it is in the queue already."""
        mine = sum(1 for each, _ in self._queue if each == user)
        if mine > self._settings.queued_per_subject:
            raise LimitExceeded(
                f"{mine - 1} of your queries wait already; wait for one to end, or cancel one.",
                details={"limit": "queued_per_subject", "queued": mine - 1, "running": self._running[user]},
            )
        if len(self._queue) > self._settings.queued:
            raise LimitExceeded(
                f"{len(self._queue) - 1} queries wait already; try again in a moment.", details={"limit": "queued"}
            )

    def _too_long(self, user: str) -> LimitExceeded:
        waited = f"{self._settings.wait_seconds:g} seconds"
        if self._running[user] >= self._settings.concurrent_per_subject:
            return LimitExceeded(
                f"{self._running[user]} of your queries run already, and none ended within {waited}; wait for one to"
                " end, or cancel one.",
                details={"limit": "concurrent_per_subject", "running": self._running[user]},
            )
        return LimitExceeded(
            f"All places for queries were taken for {waited}; try again in a moment.", details={"limit": "concurrent"}
        )
