"""Seals of the audit, and how far it was shipped, in memory: the twins for fast tests."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from catalog.errors import Unavailable
from policies.audit.ports import MessageTooLarge, Removal, Segment, Shipping
from policies.audit.seals import removed_until
from tests.twins.policies.stores import MemoryAuditStore


class MemorySegmentStore:
    """`SegmentStore` beside a `MemoryAuditStore`. `rows` is open, so that a test can tamper with it."""

    def __init__(self, audit: MemoryAuditStore) -> None:
        self._audit = audit
        self.rows: list[Segment] = []

    def segments(self) -> list[Segment]:
        return sorted(self.rows, key=lambda each: each.number)

    def add(self, segment: Segment, note: Callable[[], object]) -> bool:
        if any(each.number == segment.number for each in self.rows):
            return False
        note()
        self.rows.append(segment)
        return True

    def remove(self, number: int, removal: Removal, note: Callable[[], object]) -> bool:
        for at, each in enumerate(self.rows):
            if each.number == number and each.removal is None:
                note()
                self.rows[at] = replace(each, removal=removal)
                return True
        return False

    def purge(self, limit: int) -> int:
        last = removed_until(self.segments())
        numbers = sorted(e.seq for e in self._audit.rows if last is not None and e.seq <= last.last)[:limit]
        self._audit.rows = [e for e in self._audit.rows if e.seq not in set(numbers)]
        return len(numbers)


class MemoryShippingStore:
    """`ShippingStore`."""

    def __init__(self) -> None:
        self._kept: dict[str, Shipping] = {}

    def get(self, place: str) -> Shipping | None:
        return self._kept.get(place)

    def put(self, shipping: Shipping, before: int) -> bool:
        record = self._kept.get(shipping.place)
        if (record.position if record is not None else 0) != before:
            return False
        self._kept[shipping.place] = shipping
        return True


class MemoryReceiver:
    """`AuditReceiver`. `takes`: how many messages it takes before it breaks; None = all. `most`: bytes of a message. A message
    that it refuses leaves those behind it in the batch delivered, as on a real broker."""

    def __init__(self) -> None:
        self.messages: list[tuple[bytes, bytes]] = []
        self.takes: int | None = None
        self.most: int | None = None

    def send(self, messages: Sequence[tuple[bytes, bytes, datetime]]) -> int:
        if self.most is not None and (refused := [n for n, each in enumerate(messages) if len(each[1]) > self.most]):
            self.messages += [(key, value) for n, (key, value, _) in enumerate(messages) if n not in refused]
            if not refused[0]:
                raise MessageTooLarge
            return refused[0]
        accepted = list(messages) if self.takes is None else list(messages)[: self.takes]
        self.messages += [(key, value) for key, value, _ in accepted]
        if self.takes is not None:
            self.takes -= len(accepted)
        if not accepted and messages:
            raise Unavailable("The broker does not answer.", details={"server": "memory"})
        return len(accepted)
