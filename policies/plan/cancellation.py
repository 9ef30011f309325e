"""Stopping a query that runs: asked for once, by anybody who holds the handle; obeyed wherever the query is just then."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Iterator

from catalog.errors import WeirError
from policies.plan.errors import QueryCancelled


class Stop:
    """The handle of one query. Safe for threads; once stopped it stays so."""

    def __init__(self, query_id: str = "") -> None:
        self.query_id = query_id
        self._why: str | None = None
        self._error: WeirError | None = None
        self._callbacks: list[Callable[[], None]] = []
        self._operations: frozenset[str] = frozenset()
        self._lock = threading.Lock()

    def stop(self, why: str, error: WeirError | None = None) -> bool:
        """Stop, and give the reason, as in "was cancelled by ana"; False when it was stopped before.

        `error` is what the query ends with, in place of QueryCancelled.
        """
        with self._lock:
            if self._why is not None:
                return False
            self._why, self._error = why, error
            callbacks = list(self._callbacks)
        for callback in callbacks:
            callback()
        return True

    @property
    def stopped(self) -> bool:
        return self._why is not None

    @property
    def operations(self) -> frozenset[str]:
        """Ids of what the engine ran for the query when it was asked to stop."""
        return self._operations

    def reached(self, operations: Iterable[str]) -> None:
        """The engine was asked to stop these."""
        with self._lock:
            self._operations |= frozenset(operations)

    def error(self) -> WeirError:
        """What a stopped query ends with."""
        if self._error is not None:
            return self._error
        name = f"The query {self.query_id}" if self.query_id else "The query"
        return QueryCancelled(f"{name} {self._why or 'was stopped'}.", details={"id": self.query_id})

    def check(self) -> None:
        """Raises QueryCancelled, or the error it was stopped with, when stopped."""
        if self.stopped:
            raise self.error()

    @contextlib.contextmanager
    def telling(self, callback: Callable[[], None]) -> Iterator[None]:
        """Calls `callback`, on another thread, when stopped meanwhile; at once when stopped already."""
        with self._lock:
            at_once = self._why is not None
            self._callbacks.append(callback)
        try:
            if at_once:
                callback()
            yield
        finally:
            with self._lock:
                self._callbacks.remove(callback)
