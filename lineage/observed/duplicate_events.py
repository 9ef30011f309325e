"""What was said already: events that differ only in their time are stored again only now and then."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from hashlib import blake2b
from typing import Any

import orjson

_KEPT = 50_000


class Told:
    """Remembers what was stored, for one watcher. After `again_s` seconds the same is new again."""

    def __init__(self, again_s: float) -> None:
        self._again = again_s
        self._told: OrderedDict[bytes, float] = OrderedDict()

    def is_new(self, event: Mapping[str, Any]) -> bool:
        """Whether this, but for its time, was not said lately; it counts as said from now on."""
        mark = _mark(event)
        at = self._told.get(mark)
        if at is not None and time.monotonic() - at < self._again:
            return False
        self._told[mark] = time.monotonic()
        self._told.move_to_end(mark)
        while len(self._told) > _KEPT:
            self._told.popitem(last=False)
        return True

    def forget(self, events: Iterable[Mapping[str, Any]]) -> None:
        """These are new again: they could not be stored."""
        for event in events:
            self._told.pop(_mark(event), None)


def _mark(event: Mapping[str, Any]) -> bytes:
    said = {key: value for key, value in event.items() if key != "eventTime"}
    return blake2b(orjson.dumps(said, option=orjson.OPT_SORT_KEYS), digest_size=16).digest()
