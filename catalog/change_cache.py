"""What was read of the catalog, given again for as long as nothing in the catalog has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")

MOST = 2000


class ChangeCache(Generic[Value]):
    """Values by key. Each look asks the store for its number of changes, so that a change of any process is seen by the
    next look. Safe for threads.

    >>> kept = Kept(store.changes)
    >>> kept.get("prod/orders", lambda: datasets.facts(orders))
    """

    def __init__(self, changes: Callable[[], int | None], most: int = MOST) -> None:
        """`changes`: see `catalog.ports.CatalogStore.changes`."""
        self._changes = changes
        self._values: LRUCache[str, tuple[int, Value]] = LRUCache(most)
        self._lock = threading.Lock()

    def get(self, key: str, read: Callable[[], Value]) -> Value:
        """The value of a key, by `read` where it is not known yet or older than the catalog. What `read` raises, is not
        kept."""
        number = self._changes()
        if number is None:
            return read()
        with self._lock:
            entry = self._values.get(key)
            if entry is not None and entry[0] == number:
                return entry[1]
        # The number was asked first: a change while this reads makes the value old at the next look.
        value = read()
        with self._lock:
            self._values[key] = (number, value)
        return value
