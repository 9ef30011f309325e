"""Wakes the worker's duties when the record store was written to, so that an instance at rest does next to nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

from catalog.errors import Unavailable

LOOK_S = 0.25
"""Between two looks at whether something was written: the most that a duty begins later than the write."""


class Wakeups:
    """`run` looks for writes in one thread; duties wait in theirs.

    version: differs once somebody wrote to the record store; raises Unavailable
    """

    def __init__(self, version: Callable[[], Hashable], stop: threading.Event) -> None:
        self._version, self._stop = version, stop
        self._writes = 0
        self._written = threading.Condition()

    def run(self) -> None:
        """Until `stop` is set. While the record store is away duties are woken at each look: they report it."""
        last: Hashable = object()
        while not self._stop.wait(LOOK_S):
            try:
                version = self._version()
            except Unavailable:
                version = object()
            if version != last:
                last = version
                self._wake()
        self._wake()

    def _wake(self) -> None:
        with self._written:
            self._writes += 1
            self._written.notify_all()

    def repeat(
        self,
        pause_s: float,
        idle_s: float,
        step: Callable[[], bool],
        waits: Callable[[], bool] = lambda: False,
    ) -> None:
        """Do steps until stopped, at once while a step has done something.

        pause_s  the least time from a step that found nothing to do to the next one
        idle_s   the most time, where nothing was written since that step began; what is due by the clock is seen then
        waits    whether the step left something that is due sooner: the next one comes after `pause_s`
        """
        while not self._stop.is_set():
            seen = self._writes
            if step():
                continue
            self._stop.wait(pause_s)
            if not waits():
                self.wait(seen, idle_s - pause_s)

    @property
    def writes(self) -> int:
        """How often a write was seen; for `wait`."""
        return self._writes

    def wait(self, seen: int, seconds: float) -> None:
        """Wait until there was a write after `seen`, at most so long, or until stopped."""
        until = time.monotonic() + seconds
        with self._written:
            while self._writes == seen and not self._stop.is_set():
                left = until - time.monotonic()
                if left <= 0:
                    return
                self._written.wait(left)
