"""The parts of inboxes, counted side by side: one that fails or takes too long keeps no other back."""

from __future__ import annotations

import contextvars
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from api.features.inbox.rows import Row
from policies.model import Subject

Part = Callable[[], Sequence[Row]]
Count = Future[Sequence[Row]]

_THREADS = 16
KEPT_S = 10
"""A count that a first look began is read by the whole look that begins within so many seconds of it."""
STUCK_S = 60
"""A count that has not ended after so many seconds is begun once more."""


@dataclass(frozen=True, slots=True)
class _Begun:
    count: Count
    at: float


class Counts:
    """Counts that run. One that a look did not wait for is joined by the next look, not begun once more. Safe for threads."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="inbox")
        self._begun: dict[tuple[Subject, str], _Begun] = {}
        self._lock = threading.Lock()

    def close(self) -> None:
        """What is still counted is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def look(
        self, subject: Subject, parts: Mapping[str, Part], seconds: float, first: bool = False
    ) -> dict[str, Count | None]:
        """Each part's count, ended; None for one that did not end within the time, all of them together.

        `first`: the whole look follows, so what ended is kept for it.
        """
        counts = {name: self._count(subject, name, part) for name, part in parts.items()}
        wait(counts.values(), timeout=seconds)
        ended = {name: count for name, count in counts.items() if count.done()}
        with self._lock:
            for name in ended if not first or len(ended) == len(counts) else ():
                self._begun.pop((subject, name), None)
        return {name: ended.get(name) for name in counts}

    def _count(self, subject: Subject, name: str, part: Part) -> Count:
        now = time.monotonic()
        with self._lock:
            begun = self._begun.get((subject, name))
            if begun is None or now - begun.at > (KEPT_S if begun.count.done() else STUCK_S):
                begun = _Begun(self._pool.submit(contextvars.copy_context().run, part), now)
                self._begun[subject, name] = begun
            return begun.count
