"""The record store in memory: the twin of the SQL one for fast tests, checked by the same contract."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.twins.catalog.clusters import MemoryClusters
from tests.twins.catalog.contracts import MemoryContracts
from tests.twins.catalog.events import MemoryEvents
from tests.twins.catalog.incidents import MemoryIncidents
from tests.twins.catalog.lags import MemoryLags
from tests.twins.catalog.origins import MemoryOrigins
from tests.twins.catalog.quality import MemoryQuality
from tests.twins.catalog.questions import MemoryQuestions
from tests.twins.catalog.reports import MemoryReports
from tests.twins.catalog.saved_queries import MemorySavedQueries
from tests.twins.catalog.scans import MemoryScans
from tests.twins.catalog.state import State
from tests.twins.catalog.tags import MemoryTags


class MemoryCatalogStore(
    MemoryClusters,
    MemoryTags,
    MemoryScans,
    MemoryEvents,
    MemoryReports,
    MemoryLags,
    MemorySavedQueries,
    MemoryContracts,
    MemoryQuality,
    MemoryIncidents,
    MemoryQuestions,
    MemoryOrigins,
):
    """See `catalog.ports.CatalogStore`."""

    def __init__(self) -> None:
        self._state = State()
        self._lock = threading.RLock()
        self._depth = 0
        self._later: list[Callable[[], None]] = []
        self._changes = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        with self._lock:
            before = self._state.snapshot() if self._depth == 0 else None
            self._depth += 1
            try:
                yield
            except BaseException:
                if before is not None:
                    self._state = before
                    self._later.clear()
                raise
            finally:
                self._depth -= 1
            due = [] if self._depth else self._later[:]
            del self._later[: len(due)]
        for action in due:
            action()

    def after_commit(self, action: Callable[[], None]) -> None:
        with self._lock:  # another thread's transaction is not ours to wait for, and is over once the lock is had
            if self._depth:
                self._later.append(action)
                return
        action()

    def changes(self) -> int | None:
        with self._lock:  # another thread's transaction is over once the lock is had
            return None if self._depth else self._changes

    def ping(self) -> None: ...
