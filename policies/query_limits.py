"""Turns: how many queries run at once, for one subject and for all."""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Iterator

from catalog.errors import LimitExceeded
from policies.query_settings import QuerySettings


class Turns:
    """Safe for threads. A subject over its own limit is refused at once; over everybody's, a query waits."""

    def __init__(self, settings: QuerySettings) -> None:
        self._settings = settings
        self._all = threading.BoundedSemaphore(settings.concurrent)
        self._running: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextlib.contextmanager
    def take(self, user: str) -> Iterator[None]:
        """Raises LimitExceeded (details: limit = concurrent_per_subject | concurrent)."""
        with self._lock:
            if self._running[user] >= self._settings.concurrent_per_subject:
                raise LimitExceeded(
                    f"{self._running[user]} of your queries run already; wait for one to end.",
                    details={"limit": "concurrent_per_subject", "running": self._running[user]},
                )
            self._running[user] += 1
        try:
            if not self._all.acquire(timeout=self._settings.wait_seconds):
                raise LimitExceeded(
                    "All places for queries are taken; try again in a moment.", details={"limit": "concurrent"}
                )
            try:
                yield
            finally:
                self._all.release()
        finally:
            with self._lock:
                self._running[user] -= 1
                if not self._running[user]:
                    del self._running[user]
