"""The outbox of events and what each receiver took of it, as they are kept."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol

from catalog.event_model import DeliveryState, Event, EventFilter


class EventStore(Protocol):
    """The outbox: events in the order they were committed, and how far each receiver has come."""

    def add_event(self, event: Event) -> Event:
        """Keep it; gives it back with its seq, larger than any before."""

    def events(self, where: EventFilter, limit: int) -> list[Event]:
        """Oldest first when `where.after` is given, else newest first."""

    def newest_event(self) -> int:
        """The largest seq of those kept; 0 when there is none."""

    def event_before(self, moment: datetime) -> int:
        """The largest seq of the events before a moment; 0 when there is none."""

    def count_events(self, after: int) -> int: ...

    def prune_events(self, before: datetime, keep: int) -> int:
        """Forget events older than that and all but the newest `keep`; gives how many. Those that a receiver had
        not taken are added to its `dropped`."""

    def deliveries(self) -> list[DeliveryState]:
        """By name."""

    def delivery(self, name: str) -> DeliveryState | None: ...

    def put_delivery(self, state: DeliveryState) -> None:
        """Insert or replace by name."""

    def claim_delivery(self, name: str, worker: str, now: datetime, until: datetime) -> DeliveryState | None:
        """Take a receiver until then; None when another worker has it, or when its next try is not due."""

    def forget_delivery(self, name: str) -> None: ...
