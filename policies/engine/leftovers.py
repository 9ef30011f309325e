"""What of the engine works on although its query was stopped, judged by what its threads did and not by the clock alone.

An engine answers that a query was stopped when it has asked the query's tasks to end; a task in a loop that does not look
continues for as long as it likes. Which query a task belongs to cannot be seen from outside. But a task that was there
before every query that runs now is none of theirs.

    ignores the stop    it used a processor for as long as it may continue
                        or it was idle for five times as long: neither used a processor nor waited for one
    proves nothing      it waited for a processor that others have

A machine whose processors others use makes what is not seen here slow, too: what is idle may wait for another thread
that has no processor. So the second of these is lengthened there, by the caller's `patience`.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from policies.engine.jobs import Job
from policies.plan.ports import EngineThreads, ThreadTime

_EVERY_SECONDS = 1.0
LONGEST = 5.0
"""How many times the seconds anything may continue that works little and does not wait for a processor."""

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class _Sight:
    """at: when a thread was first seen, monotonic; time: what it had used and waited by then."""

    at: float
    time: ThreadTime


class Watch(Generic[Name]):
    """Threads since they were first seen."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long one may continue."""
        self._seconds = seconds
        self._first: dict[Name, _Sight] = {}

    def see(self, threads: Mapping[Name, ThreadTime], now: float, patience: float) -> dict[Name, float]:
        """Since when each thread is there that has had its chance to stop. Threads that are gone are forgotten."""
        self._first = {name: self._first.get(name, _Sight(now, time)) for name, time in threads.items()}
        return {
            name: sight.at
            for name, sight in self._first.items()
            if self._ignores(sight, threads[name], now, self._seconds * LONGEST * patience)
        }

    def since(self) -> list[float]:
        """When each thread was first seen of those that were there at the last look."""
        return [sight.at for sight in self._first.values()]

    def _ignores(self, sight: _Sight, time: ThreadTime, now: float, longest: float) -> bool:
        used, waited = time.used - sight.time.used, time.waited - sight.time.waited
        return used >= self._seconds or now - sight.at - waited > longest


class Leftovers:
    """Safe for threads."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """`seconds`: how long a task or a statement may continue; see the module."""
        self._seconds, self._clock = seconds, clock
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Another engine, other tasks."""
        with self._lock:
            self._suspects: dict[Job, float | None] = {}
            self._tasks = Watch[int](self._seconds)
            self._statements = Watch[str](self._seconds)
            self._looked = -math.inf

    def suspect(self, job: Job) -> None:
        """A job that did not end by itself."""
        with self._lock:
            self._suspects[job] = None

    def look(
        self,
        threads: Callable[[], EngineThreads | None],
        running: Sequence[Job],
        probed: float | None = None,
        patience: float = 1.0,
    ) -> tuple[list[Job], list[Job]]:
        """Jobs whose statement ignores the stop, and jobs that may have left tasks behind that do; empty when none does.

        `threads` is asked about once a second, and only while there is somebody to suspect; where it knows nothing, a
        statement has five times the seconds. `probed`: since when the smallest query runs, whose task is nobody's.
        """
        now = self._clock()
        overdue = [job for job in running if job.overdue > 0]
        with self._lock:
            if not self._suspects and not overdue:
                self._tasks, self._statements = Watch[int](self._seconds), Watch[str](self._seconds)
                return [], []
            if now - self._looked < min(_EVERY_SECONDS, self._seconds / 2):
                return [], []
            self._looked = now
            self._suspects = {job: now if at is None else at for job, at in self._suspects.items()}
        present = threads()
        with self._lock:
            deaf = self._deaf(overdue, present, now, patience)
            return deaf, self._behind(running, present, now, probed, patience)

    def _deaf(self, overdue: Sequence[Job], present: EngineThreads | None, now: float, patience: float) -> list[Job]:
        stopped = frozenset[str]().union(*(job.stop.operations for job in overdue))
        mine = {name: time for name, time in present.statements.items() if name in stopped} if present else {}
        ignoring = self._statements.see(mine, now, patience).keys()
        return [
            job
            for job in overdue
            if job.overdue > self._seconds
            and (job.stop.operations & ignoring or job.overdue > self._seconds * LONGEST * patience)
        ]

    def _behind(
        self,
        running: Sequence[Job],
        present: EngineThreads | None,
        now: float,
        probed: float | None,
        patience: float,
    ) -> list[Job]:
        if present is None or not self._suspects:
            return []
        ignoring = self._tasks.see(present.tasks, now, patience)
        # A job left nothing behind where no task is there that was there at the first look after it.
        earliest = min(self._tasks.since(), default=math.inf)
        self._suspects = {job: at for job, at in self._suspects.items() if at is None or earliest <= at}
        oldest = min([now if probed is None else probed, *(job.begun for job in running)])
        left = [at for at in ignoring.values() if at < oldest]
        if not left:
            return []
        return [job for job in self._suspects if job.begun <= min(left)] or list(self._suspects)
