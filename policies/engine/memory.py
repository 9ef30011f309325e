"""When an engine's heap is nearly full for its live data, the heaviest query is stopped before the engine ends."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Sequence

import structlog

from catalog.errors import LimitExceeded
from policies.engine.jobs import Job
from policies.plan.ports import EngineHeap

_log = structlog.get_logger(__name__)
_WINDOW_SECONDS = 3.0
_MOST_COLLECTING = 0.6
"""An engine that spends so much of its time on collecting its heap does little else."""
_FULL_TWICE = 2
_PAUSE_SECONDS = 3.0
"""How long a query that was stopped has to release its memory, before the next is."""


def out_of_memory() -> LimitExceeded:
    """What a query ends with for which the engine had no memory left: stopped by the watch, or failed by itself."""
    return LimitExceeded(
        "The query was stopped because the query engine ran out of memory; ask for fewer records or columns, or for smaller"
        " groups or values.",
        details={"limit": "memory"},
    )


class MemoryWatch:
    """`look` is called several times a second."""

    def __init__(self, share: float) -> None:
        self._share = share
        self.forget()

    def forget(self) -> None:
        """Another engine, another heap."""
        self._collections = -1
        self._full = 0
        self._seen: deque[tuple[float, float]] = deque()
        self._stopped = -math.inf

    def look(self, heap: EngineHeap | None, jobs: Sequence[Job]) -> Job | None:
        """Stops the heaviest of the jobs and gives it, where memory is short; None elsewhere."""
        if heap is None:
            return None
        now = time.monotonic()
        short = self._short(heap, now)
        if not short or now - self._stopped < _PAUSE_SECONDS:
            return None
        job = heaviest(jobs)
        if job is None:
            return None
        self._stopped, self._full = now, 0
        _log.warning("query_stopped_for_memory", query=job.plan.stop.query_id, share=round(heap.share, 2))
        job.stop.stop("", out_of_memory())
        return job

    def _short(self, heap: EngineHeap, now: float) -> bool:
        if heap.collections != self._collections:
            first, self._collections = self._collections < 0, heap.collections
            # Before a full collection what is in use is live and dead together, and tells nothing.
            self._full = self._full + 1 if heap.share >= self._share and not first else 0
        self._seen.append((now, heap.seconds))
        while now - self._seen[0][0] > _WINDOW_SECONDS:
            self._seen.popleft()
        began, spent = self._seen[0]
        collecting = (heap.seconds - spent) / (now - began) if now - began > _WINDOW_SECONDS / 2 else 0.0
        return self._full >= _FULL_TWICE or collecting >= _MOST_COLLECTING


def heaviest(jobs: Sequence[Job]) -> Job | None:
    """The job to stop: of those that can be heavy and run still, the one that runs longest. Neither Spark nor Java counts
    what one query holds, and what fills a heap has run for longer than what ends in a second."""
    able = [job for job in jobs if not job.light and job.stopping is None]
    return min(able, key=lambda job: job.begun, default=None)
