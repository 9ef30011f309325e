"""Repeated events: events that differ only in their time are stored again only now and then."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import orjson
from cachetools import TTLCache

_KEPT = 50_000


class RecentEvents:
    """Remembers what was stored, for one watcher. After `again_s` seconds the same is new again. Safe for threads."""

    def __init__(self, again_s: float) -> None:
        self._told: TTLCache[bytes, bool] = TTLCache(_KEPT, again_s)
        self._lock = threading.Lock()

    def is_new(self, event: Mapping[str, Any]) -> bool:
        """Whether no event that is equal except for its time came lately; this one counts from now on."""
        mark = _mark(event)
        with self._lock:
            if mark in self._told:
                return False
            self._told[mark] = True
            return True

    def forget(self, events: Iterable[Mapping[str, Any]]) -> None:
        """These are new again: they could not be stored."""
        for mark in map(_mark, events):
            with self._lock:
                self._told.pop(mark, None)


def _mark(event: Mapping[str, Any]) -> bytes:
    content = {key: value for key, value in event.items() if key != "eventTime"}
    return blake2b(orjson.dumps(content, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()
