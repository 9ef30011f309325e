"""Which views a caller may know of, for the routes that are asked for hundreds of times a second."""

from __future__ import annotations

import threading

from cachetools import TTLCache

from api.guard.credentials import LATELY_S
from api.visibility.readers import Readers
from policies.model import Subject

_KEPT = 10_000


class KnownViews:
    """Remembers for 50 ms that a subject may know of a view. Safe for threads."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._known: TTLCache[tuple[Subject, str], bool] = TTLCache(_KEPT, LATELY_S)
        self._lock = threading.Lock()

    def require(self, subject: Subject, name: str) -> None:
        """A view that the subject may not know of is not there. Raises NotFound."""
        key = (subject, name)
        with self._lock:
            if key in self._known:
                return
        reader = self._readers.of(subject)
        if reader.horizon is not None:
            reader.views.find(name)
        with self._lock:
            self._known[key] = True
