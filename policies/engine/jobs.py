"""One plan in the engine: worked on by a thread of its own, waited for by another, each by its own clock.

The one who waits is never kept by the engine: it continues when the answer is there, when the plan's time is over, when
the query was stopped, or when the engine ended; whatever the engine's thread does meanwhile.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from catalog.errors import LimitExceeded, WeirError
from catalog.spans import carried
from policies.engine import blame
from policies.plan.cancellation import Stop
from policies.plan.model import QueryPlan
from policies.plan.weights import light

_AHEAD = 2
"""Batches that wait for their reader."""
_GRACE_SECONDS = 1.0
"""How long one whose time is over waits for the engine to stop in order."""
_LOOK_SECONDS = 0.5
END = object()


def expired(seconds: float) -> LimitExceeded:
    """What a query ends with whose time is over."""
    return LimitExceeded(
        f"The query was stopped after {seconds:g} seconds; ask for fewer records or columns.",
        details={"limit": "seconds", "seconds": seconds},
    )


class Job:
    """Safe for threads.

    begun     when it was given to the engine; monotonic, as all times here
    stopping  since when it should have stopped; None while it should run
    ended     when the engine's thread was through with it
    again     whether the engine ended through another's fault, so that it may be asked again
    """

    def __init__(self, plan: QueryPlan, stop_seconds: float) -> None:
        """`stop_seconds`: how long one who cancelled waits for the engine to stop."""
        self.plan, self.statement, self.light = plan, blame.keys(plan), light(plan)
        self.stop = Stop(plan.stop.query_id)
        self.begun = time.monotonic()
        self.stopping: float | None = None
        self.ended: float | None = None
        self.well = False
        self.again = False
        self._deadline = self.begun + plan.seconds
        self._stop_seconds = stop_seconds
        self._items: deque[Any] = deque()
        self._verdict: WeirError | None = None
        self._error: BaseException | None = None
        self._left = False
        self._changed = threading.Condition()

    # The engine's side.

    def start(
        self,
        work: Callable[[QueryPlan], object],
        explained: Callable[[Job, BaseException], BaseException],
        ended: Callable[[Job], None],
    ) -> None:
        """Begin `work`, which calls `give` for what it has. `explained` gives the error to raise in place of one of the
        engine's; `ended` is called when the engine is through."""

        def run() -> None:
            error: BaseException | None = None
            try:
                with self.plan.stop.telling(self._chained), self.stop.telling(self._stopped):
                    work(replace(self.plan, stop=self.stop))
            except BaseException as raised:
                error = raised
            self.well = error is None and not self.stop.stopped and not self._left
            if error is not None:
                error = explained(self, error)
            self.ended = time.monotonic()
            ended(self)
            with self._changed:
                self._error = error
                self._changed.notify_all()

        threading.Thread(target=carried(run), name="weir-query", daemon=True).start()

    def give(self, item: Any) -> bool:
        """Hand over an item, waiting while the reader has enough; False when nobody wants more."""
        with self._changed:
            while len(self._items) >= _AHEAD and not self._unwanted():
                self._changed.wait(_LOOK_SECONDS)
            if self._unwanted():
                return False
            self._items.append(item)
            self._changed.notify_all()
        return True

    def _unwanted(self) -> bool:
        return self._left or self.stop.stopped or self._verdict is not None or time.monotonic() >= self._deadline

    def _chained(self) -> None:
        """The query was stopped: by its owner, or because nobody waits any more."""
        self.stop.stop("", self.plan.stop.error())

    def _stopped(self) -> None:
        with self._changed:
            self.stopping = self.stopping or time.monotonic()
            self._changed.notify_all()

    # The side of the one who waits.

    def take(self) -> Any:
        """The next item, END after the last. Raises what the job ended with."""
        with self._changed:
            while True:
                if self.stop.stopped and (self.ended is not None or self._verdict is not None):
                    raise self.stop.error()
                if self._verdict is not None:
                    raise self._verdict
                if self._items:
                    self._changed.notify_all()
                    return self._items.popleft()
                if self._error is not None:
                    raise self._error
                if self.ended is not None and self.well:
                    return END
                now = time.monotonic()
                if now >= self._deadline and not self.stop.stopped:
                    self.stop.stop("", expired(self.plan.seconds))
                    self.stopping = self.stopping or now
                if self.stop.stopped and now >= self._patience(now):
                    raise self.stop.error()
                self._changed.wait(min(_LOOK_SECONDS, max(0.01, self._deadline - now)) if now < self._deadline else 0.1)

    def _patience(self, now: float) -> float:
        since = self.stopping or now
        if since >= self._deadline:
            return since + _GRACE_SECONDS
        return max(min(since + self._stop_seconds, self._deadline), since + _GRACE_SECONDS)

    def leave(self) -> None:
        """Nobody takes any more; does not wait for the engine."""
        with self._changed:
            self._left = True
            if self.ended is None:
                self.stopping = self.stopping or time.monotonic()
            self._changed.notify_all()

    # The keeper's side.

    def fail(self, error: WeirError, again: bool = False) -> None:
        """The engine ended: who waits gets this at once. `again`: through another's fault."""
        with self._changed:
            if self._verdict is None and self.ended is None:
                self._verdict, self.again = error, again and not self.stop.stopped
            self._changed.notify_all()
        self.stop.stop("", error)

    @property
    def verdict(self) -> WeirError | None:
        return self._verdict

    @property
    def overdue(self) -> float:
        """For how many seconds it should have stopped and has not."""
        if self.ended is not None:
            return 0.0
        now = time.monotonic()
        since = self.stopping if self.stopping is not None else self._deadline
        return max(0.0, now - since)
