"""What of the engine works on although its query was stopped, judged by processor time and not by the clock alone.

An engine answers that a query was stopped when it has asked the query's tasks to end; a task in a loop that does not look
continues for as long as it likes. Which query a task belongs to cannot be seen from outside. But a task that was there
before every query that runs now is none of theirs.

A task or a statement that has not ended may only wait for a processor. So it counts as one that ignores the stop when it
has worked for half of the seconds that it may continue, or when five times these seconds have passed.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from policies.engine.jobs import Job
from policies.plan.ports import EngineThreads

_EVERY_SECONDS = 1.0
_KEPT_SECONDS = 180.0
_WORKED_SHARE = 0.5
LONGEST = 5.0
"""How many times the seconds anything may continue, however little it worked."""

Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True)
class _Sight:
    """at: when a thread was first seen, monotonic; used: the processor seconds it had used by then."""

    at: float
    used: float


class Watch(Generic[Name]):
    """Threads since they were first seen."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long one may continue."""
        self._seconds = seconds
        self._first: dict[Name, _Sight] = {}

    def ignoring(self, used: Mapping[Name, float], now: float) -> list[float]:
        """Since when each thread is there that has had its chance to stop. Threads that are gone are forgotten."""
        self._first = {name: self._first.get(name, _Sight(now, seconds)) for name, seconds in used.items()}
        worked = self._seconds * _WORKED_SHARE
        return [
            sight.at
            for name, sight in self._first.items()
            if now - sight.at > self._seconds
            and (used[name] - sight.used >= worked or now - sight.at > self._seconds * LONGEST)
        ]


class Leftovers:
    """Safe for threads."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long a task or a statement may continue; see the module."""
        self._seconds = seconds
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Another engine, other tasks."""
        with self._lock:
            self._suspects: list[Job] = []
            self._tasks = Watch[int](self._seconds)
            self._statements = Watch[str](self._seconds)
            self._looked = 0.0

    def suspect(self, job: Job) -> None:
        """A job that did not end by itself."""
        with self._lock:
            self._suspects.append(job)

    def look(
        self, threads: Callable[[], EngineThreads | None], running: Sequence[Job], probed: float | None = None
    ) -> tuple[list[Job], list[Job]]:
        """Jobs whose statement ignores the stop, and jobs that may have left tasks behind that do; empty when none does.

        `threads` is asked about once a second, and only while there is somebody to suspect; where it knows nothing, a
        statement has five times the seconds. `probed`: since when the smallest query runs, whose task is nobody's.
        """
        now = time.monotonic()
        overdue = [job for job in running if job.overdue > 0]
        with self._lock:
            self._suspects = [job for job in self._suspects if now - (job.ended or now) < _KEPT_SECONDS]
            if not self._suspects and not overdue:
                self._tasks, self._statements = Watch[int](self._seconds), Watch[str](self._seconds)
                return [], []
            if now - self._looked < min(_EVERY_SECONDS, self._seconds / 2):
                return [], []
            self._looked = now
        present = threads()
        with self._lock:
            return self._deaf(overdue, present, now), self._behind(running, present, now, probed)

    def _deaf(self, overdue: Sequence[Job], present: EngineThreads | None, now: float) -> list[Job]:
        if not overdue:
            self._statements = Watch[str](self._seconds)
        late = [job for job in overdue if job.overdue > self._seconds]
        works = overdue and present is not None and self._statements.ignoring(present.statements, now)
        return late if works else [job for job in late if job.overdue > self._seconds * LONGEST]

    def _behind(
        self, running: Sequence[Job], present: EngineThreads | None, now: float, probed: float | None
    ) -> list[Job]:
        if present is None or not self._suspects:
            return []
        ignoring = self._tasks.ignoring(present.tasks, now)
        if not present.tasks:
            self._suspects.clear()
            return []
        oldest = min([now if probed is None else probed, *(job.begun for job in running)])
        left = [since for since in ignoring if since < oldest]
        if not left:
            return []
        return [job for job in self._suspects if job.begun <= min(left)] or list(self._suspects)
