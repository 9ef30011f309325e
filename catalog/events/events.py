"""Events: written where a thing happens, in the same transaction, and delivered to receivers afterwards.

A room that has something to report takes the port `EventSink` and calls `emit`; nothing else is needed. The outbox is
part of the record store, so an event is there exactly when the change it reports was committed.
`catalog.events.deliveries` delivers them.
"""

from __future__ import annotations

import builtins
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from catalog.event_model import DeliveryState, Event, EventFilter, full_type
from catalog.ports import CatalogStore, Clock
from catalog.settings import EventSettings

_MOST_BYTES = 256 * 1024
"""An event's data is a message for people and small programs; Kafka's default limit of a message is 1 MiB."""


class Events:
    """The outbox (`catalog.ports.EventSink`) and what reads it."""

    def __init__(self, store: CatalogStore, clock: Clock, settings: EventSettings | None = None) -> None:
        self._store = store
        self._clock = clock
        self._settings = settings or EventSettings()

    @property
    def source(self) -> str:
        """CloudEvents' `source` of this instance."""
        return self._settings.source

    def emit(self, type: str, subject: str, data: Mapping[str, Any] | None = None) -> Event:
        """Keep an event; receivers get it soon, at least once, in this order. Joins a transaction that is under way.

        `type`: `schema.changed` (the prefix `weir.` may be left out); `data`: JSON-ready, never a value of a record.
        Data beyond 256 KiB is left out, and the event states it. Raises Unavailable when the record store does not answer.
        """
        event = Event(uuid.uuid4().hex, full_type(type), subject, self._clock(), _bounded(data or {}))
        return self._store.add_event(event)

    def list(self, where: EventFilter | None = None, limit: int = 100) -> Sequence[Event]:
        """Oldest first when `where.after` is given (to read on), else the newest first."""
        return self._store.events(where or EventFilter(), limit)

    def deliveries(self) -> builtins.list[tuple[DeliveryState, int]]:
        """Every receiver with its position and how many kept events it has not got yet ."""
        newest = self._store.newest_event()
        return [(state, self._behind(state, newest)) for state in self._store.deliveries()]

    def _behind(self, state: DeliveryState, newest: int) -> int:
        return self._store.count_events(state.position) if state.position < newest else 0

    def prune(self) -> int:
        """Forget events beyond the retention (age and number); those a receiver still missed count as dropped there."""
        oldest: datetime = self._clock() - timedelta(days=self._settings.keep_days)
        return self._store.prune_events(oldest, self._settings.keep_events)


def _bounded(data: Mapping[str, Any]) -> Mapping[str, Any]:
    size = len(json.dumps(data, default=str))
    if size <= _MOST_BYTES:
        return dict(data)
    small = {name: value for name, value in data.items() if isinstance(value, str | int | float | bool | None)}
    return {**small, "leftOut": f"{size} bytes of details; ask the API for them"}
