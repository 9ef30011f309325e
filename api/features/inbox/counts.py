"""The parts of inboxes, counted side by side: one that fails or takes too long keeps no other back."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait

from cachetools import TTLCache

from api.features.inbox.rows import Row
from policies.model import Subject

Part = Callable[[], Sequence[Row]]
Count = Future[Sequence[Row]]

_THREADS = 16
_KEPT_S = 10
"""For so many seconds the looks of one person share a count that none of them has read."""
_MOST = 10_000


class Counts:
    """Counts that run. One that a look did not wait for is joined by the next look, not begun once more. Safe for threads."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="inbox")
        self._unread: TTLCache[tuple[Subject, str], Count] = TTLCache(_MOST, _KEPT_S)
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
        if not first or len(ended) == len(counts):
            with self._lock:
                for name in ended:
                    self._unread.pop((subject, name), None)
        return {name: ended.get(name) for name in counts}

    def _count(self, subject: Subject, name: str, part: Part) -> Count:
        with self._lock:
            count = self._unread.get((subject, name))
            if count is None:
                count = self._unread[subject, name] = self._pool.submit(contextvars.copy_context().run, part)
            return count
