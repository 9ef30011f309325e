"""The outbox of the record store in memory."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime
from typing import Any

from catalog.event_model import DeliveryState, Event, EventFilter


class MemoryEvents:
    """See `catalog.ports.EventStore`. `_state` and `_lock` are the whole store's."""

    _state: Any
    _lock: threading.RLock
    _last_seq = 0

    def add_event(self, event: Event) -> Event:
        with self._lock:
            self._last_seq += 1
            stored = replace(event, seq=self._last_seq)
            self._state.events.append(stored)
            return stored

    def events(self, where: EventFilter, limit: int) -> list[Event]:
        matches = [e for e in self._state.events if where.matches(e)]
        return (matches if where.after is not None else matches[::-1])[:limit]

    def newest_event(self) -> int:
        return max((e.seq for e in self._state.events), default=0)

    def event_before(self, moment: datetime) -> int:
        return max((e.seq for e in self._state.events if e.time < moment), default=0)

    def count_events(self, after: int) -> int:
        return sum(e.seq > after for e in self._state.events)

    def prune_events(self, before: datetime, keep: int) -> int:
        with self._lock:
            events: list[Event] = self._state.events
            gone = list(events[: max(0, len(events) - keep)])
            gone += [e for e in events[len(gone) :] if e.time < before]
            for name, state in self._state.deliveries.items():
                missed = sum(e.seq > state.position for e in gone)
                if missed:
                    last = max(e.seq for e in gone)
                    self._state.deliveries[name] = replace(state, dropped=state.dropped + missed, position=last)
            seqs = {e.seq for e in gone}
            self._state.events = [e for e in events if e.seq not in seqs]
            return len(gone)

    def deliveries(self) -> list[DeliveryState]:
        return [state for _, state in sorted(self._state.deliveries.items())]

    def delivery(self, name: str) -> DeliveryState | None:
        state: DeliveryState | None = self._state.deliveries.get(name)
        return state

    def put_delivery(self, state: DeliveryState) -> None:
        with self._lock:
            self._state.deliveries[state.name] = state

    def claim_delivery(self, name: str, worker: str, now: datetime, until: datetime) -> DeliveryState | None:
        with self._lock:
            state: DeliveryState | None = self._state.deliveries.get(name)
            if state is None or not state.claimable(worker, now):
                return None
            claimed = replace(state, worker=worker, leased_until=until)
            self._state.deliveries[name] = claimed
            return claimed

    def forget_delivery(self, name: str) -> None:
        self._state.deliveries.pop(name, None)
