"""Tasks of the engine that continue although their query was stopped.

An engine answers that a query was stopped when it has asked the query's tasks to end; a task in a loop that does not look
continues for as long as it likes. Which query a task belongs to cannot be seen from outside. But a task that was there
before every query that runs now is none of theirs.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Sequence

from policies.engine.jobs import Job

_EVERY_SECONDS = 1.0
_KEPT_SECONDS = 180.0


class Leftovers:
    """Safe for threads."""

    def __init__(self, seconds: float) -> None:
        """`seconds`: how long a task may continue."""
        self._seconds = seconds
        self._lock = threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Another engine, other tasks."""
        with self._lock:
            self._suspects: list[Job] = []
            self._first: dict[int, float] = {}
            self._looked = 0.0

    def suspect(self, job: Job) -> None:
        """A job that did not end by itself."""
        with self._lock:
            self._suspects.append(job)

    def found(
        self,
        tasks: Callable[[], Collection[int] | None],
        running: Sequence[Job],
        probed: float | None = None,
        patience: float = 1.0,
    ) -> list[Job]:
        """The jobs that may have left the tasks behind that run for too long after their query; [] when none do.

        `tasks` is asked about once a second, and only while there is somebody to suspect. `probed`: since when the
        smallest query runs, whose task is nobody's. `patience` multiplies the seconds.
        """
        now = time.monotonic()
        with self._lock:
            self._suspects = [job for job in self._suspects if now - (job.ended or now) < _KEPT_SECONDS]
            if not self._suspects:
                self._first.clear()
                return []
            if now - self._looked < _EVERY_SECONDS:
                return []
            self._looked = now
        present = tasks()
        if present is None:
            return []
        with self._lock:
            self._first = {task: self._first.get(task, now) for task in present}
            if not present:
                self._suspects.clear()
                return []
            oldest = min([now if probed is None else probed, *(job.begun for job in running)])
            longest = self._seconds * patience
            left = [first for first in self._first.values() if first < oldest and now - first > longest]
            if not left:
                return []
            return [job for job in self._suspects if job.begun <= min(left)] or list(self._suspects)
