"""Statements that ran when the engine ended, and whether one of them is refused for a while.

A statement is known by two keys: its very text, for everybody, and its text without literals, for who asked. So what ends
the engine is not run again by anybody else, nor by its user with another number in it; and nobody is kept from a
statement of the same form by what another one wrote into it.

What ran beside is let off: a statement that ends well has both its keys cleared, and neither counts for a while; one
that cannot be heavy (`policies.plan.weights.light`) is never counted.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta

from catalog.errors import LimitExceeded
from catalog.records import rfc3339
from policies.plan.model import QueryPlan
from policies.sql.literals import without_literals

_DEATHS = 2
_MOST = 10_000


def keys(plan: QueryPlan) -> tuple[str, str]:
    """The keys of a plan's statement. Neither can be read back."""
    topics = [f"{table.view}={table.topic}" for table in plan.tables]
    shape = without_literals(plan.sql)
    return _digest("text", *topics, plan.sql), _digest("shape", plan.asker, *topics, shape)


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()


class Blame:
    """Safe for threads. Kept in memory: with the process that counts them the strikes are gone."""

    def __init__(self, now: Callable[[], datetime], seconds: float) -> None:
        self._now, self._seconds = now, seconds
        self._strikes: dict[str, list[datetime]] = {}
        self._well: OrderedDict[str, datetime] = OrderedDict()
        self._lock = threading.Lock()

    def strike(self, statement: tuple[str, ...]) -> None:
        """It ran when the engine ended."""
        with self._lock:
            now = self._now()
            for key in statement:
                if not self._ended_well(key, now):
                    self._strikes[key] = [*self._fresh(key, now), now]
            while len(self._strikes) > _MOST:
                del self._strikes[next(iter(self._strikes))]

    def clear(self, statement: tuple[str, ...]) -> None:
        """It ended well. What honest people ask all the time runs at most ends of an engine, and is not their cause."""
        with self._lock:
            for key in statement:
                self._strikes.pop(key, None)
                self._well[key] = self._now()
                self._well.move_to_end(key)
            while len(self._well) > _MOST:
                self._well.popitem(last=False)

    def check(self, statement: tuple[str, ...]) -> None:
        """Raises LimitExceeded, with the time until when, for a statement that is refused now."""
        if not self._strikes or not self._seconds:
            return
        with self._lock:
            now = self._now()
            deaths = [times for key in statement if len(times := self._fresh(key, now)) >= _DEATHS]
        if not deaths:
            return
        until = max(times[-1] for times in deaths) + timedelta(seconds=self._seconds)
        left = max(1, round((until - now).total_seconds()))
        raise LimitExceeded(
            f"This query ran when the query engine ended {len(deaths[0])} times; it is refused until {rfc3339(until)}. Ask for"
            " fewer records, or for smaller joins and groups.",
            details={"limit": "engine", "until": rfc3339(until), "retryAfter": left},
        )

    def _ended_well(self, key: str, now: datetime) -> bool:
        at = self._well.get(key)
        return at is not None and at > now - timedelta(seconds=self._seconds)

    def _fresh(self, key: str, now: datetime) -> list[datetime]:
        since = now - timedelta(seconds=self._seconds)
        return [at for at in self._strikes.get(key, ()) if at > since]
