"""What was read of the catalog, given again for as long as nothing in the catalog has changed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Generic, TypeVar

from cachetools import LRUCache

Value = TypeVar("Value")

MOST = 2000
_ASKED: ContextVar[dict[Callable[[], Any], Any] | None] = ContextVar("weir_asked_once", default=None)


@contextmanager
def one_moment() -> Iterator[None]:
    """Within it, this thread asks once whether the catalog has changed and what is declared: what it reads is as of the
    first look, or later.

    For counts and lists over thousands of things, and for one look of a stream view, which is repeated every few seconds.
    What a request opens asks each time.
    """
    token = _ASKED.set({})
    try:
        yield
    finally:
        _ASKED.reset(token)


def asked_once(read: Callable[[], Value]) -> Value:
    """What `read` gives; within `one_moment` what it gave at the first look."""
    asked = _ASKED.get()
    if asked is None:
        return read()
    if read not in asked:
        asked[read] = read()
    answer: Value = asked[read]
    return answer


class ChangeCache(Generic[Value]):
    """Values by key. Each look asks the store for its number of changes, so that a change of any process is seen by the
    next look. Safe for threads.

    >>> kept = ChangeCache(store.changes)
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
        number = asked_once(self._changes)
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
