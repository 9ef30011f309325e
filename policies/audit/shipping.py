"""The audit shipped to a topic: CloudEvents 1.0 in structured mode, each entry at least once, in order, from where it stopped.

Nothing waits for it: entries are written whether they can be shipped or not, and are read from the chain afterwards.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import quote

from catalog.errors import WeirError
from catalog.records import rfc3339
from policies.audit.ports import AuditEntry, AuditReceiver, AuditStore, MessageTooLarge, Shipping, ShippingStore
from policies.audit.text import entry_json
from policies.ports import Clock

AT_ONCE = 500
MOST_BYTES = 900_000
"""Of a message. Kafka takes 1,000,000 by default, with the key and the headers."""
_MOST_WORDS = 1000
"""Characters of each text of an entry that is cut."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 2.0, 120.0
TYPE = "io.weir.audit"


@dataclass(frozen=True, slots=True)
class ShippingReport:
    """place: CLUSTER/TOPIC, None where the audit is not shipped. lag: entries that were not shipped yet; failures: in a row.

    cut     entries that went out without their details, as they were too large
    begins  the first entry that was shipped; missed: entries that retention removed before they were shipped
    """

    place: str | None
    position: int = 0
    lag: int = 0
    shipped_at: datetime | None = None
    failures: int = 0
    problem: str | None = None
    cut: int = 0
    begins: int | None = None
    missed: int = 0


class _NotTaken(Exception):
    """Nothing was shipped. problem: why, in a sentence."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem


class AuditShipping:
    """`place` is CLUSTER/TOPIC; None: nothing is shipped. `receiver` opens it, and may raise a WeirError."""

    def __init__(
        self,
        audit: AuditStore,
        positions: ShippingStore,
        place: str | None,
        receiver: Callable[[str], AuditReceiver],
        clock: Clock,
    ) -> None:
        self._audit, self._positions, self._place, self._open, self._clock = audit, positions, place, receiver, clock
        self._receiver: AuditReceiver | None = None
        self._at_once = AT_ONCE

    def step(self) -> bool:
        """Ship some entries; whether there are more to ship at once. A place that does not take them is tried again after a
        growing pause. Raises Unavailable when the record store does not answer."""
        if self._place is None:
            return False
        chain = self._audit.head().chain
        record = self._positions.get(self._place)
        state = record if record is not None and record.chain == chain else Shipping(self._place, chain)
        before = record.position if record is not None else 0
        if state.failed_at is not None and self._clock() < state.failed_at + timedelta(seconds=_pause(state.failures)):
            return False
        # After a failure one alone, then twice as many each time: what follows a refused entry is not sent again and again.
        at_once = 1 if state.failures else self._at_once
        entries = self._audit.chain(state.position, at_once)
        if not entries:
            return False
        try:
            arrived, cut = self._send(self._place, chain, entries)
        except _NotTaken as refusal:
            self._failed(state, before, refusal.problem)
            return False
        done = replace(
            state,
            position=entries[arrived - 1].seq,
            shipped_at=self._clock(),
            failures=0,
            failed_at=None,
            problem=None,
            cut=state.cut + sum(n < arrived for n in cut),
            begins=entries[0].seq if state.begins is None else state.begins,
            missed=state.missed + entries[0].seq - state.position - 1,
        )
        if arrived < len(entries):
            problem = f"{self._place} took {arrived} of {len(entries)} entries."
            done = replace(done, failures=1, failed_at=self._clock(), problem=problem)
            self._at_once = 1
        else:
            self._at_once = min(AT_ONCE, 2 * at_once)
        return self._positions.put(done, before) and arrived == len(entries) == at_once

    def _send(self, place: str, chain: str, entries: Sequence[AuditEntry]) -> tuple[int, Sequence[int]]:
        """How many entries arrived, at least one, and which went out without their details. Raises _NotTaken."""
        messages = [message(chain, each) for each in entries]
        cut = [n for n, each in enumerate(messages) if len(each[1]) > MOST_BYTES]
        for n in cut:
            messages[n] = message(chain, entries[n], cut=True)
        try:
            if self._receiver is None:
                self._receiver = self._open(place)
            try:
                arrived = self._receiver.send(messages)
            except MessageTooLarge:
                if cut[:1] == [0] or len(messages) > 1:  # the next try sends the first alone, and cuts it
                    raise _NotTaken(f"{place} takes no message of {len(messages[0][1]):,} bytes.") from None
                cut = [0]
                arrived = self._receiver.send([message(chain, entries[0], cut=True)])
        except _NotTaken:
            raise
        except MessageTooLarge:
            raise _NotTaken(f"{place} takes no entry {entries[0].seq}, not even without its details.") from None
        except WeirError as error:
            raise _NotTaken(error.message) from None
        except Exception as error:  # a driver may raise anything; only the kind is kept
            raise _NotTaken(f"Shipping to {place} failed ({type(error).__name__}).") from None
        if not arrived:
            raise _NotTaken(f"{place} took none of {len(entries)} entries.")
        return arrived, cut

    def shipped(self) -> int | None:
        """Up to which entry the audit was shipped; None where it is not shipped."""
        if self._place is None:
            return None
        record = self._positions.get(self._place)
        return record.position if record is not None and record.chain == self._audit.head().chain else 0

    def report(self) -> ShippingReport:
        """How far it is, for health and figures. Raises Unavailable."""
        if self._place is None:
            return ShippingReport(None)
        head = self._audit.head()
        record = self._positions.get(self._place)
        if record is None or record.chain != head.chain:
            return ShippingReport(self._place, 0, head.seq)
        return ShippingReport(
            place=self._place,
            position=record.position,
            lag=max(0, head.seq - record.position),
            shipped_at=record.shipped_at,
            failures=record.failures,
            problem=record.problem,
            cut=record.cut,
            begins=record.begins,
            missed=record.missed,
        )

    def _failed(self, state: Shipping, before: int, problem: str) -> None:
        self._at_once = 1
        self._receiver = None  # the next try opens it again: the cluster may have been declared otherwise
        failed = replace(state, failures=state.failures + 1, failed_at=self._clock(), problem=problem)
        self._positions.put(failed, before)


def _pause(failures: int) -> float:
    return min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(failures - 1, 30))


def message(chain: str, entry: AuditEntry, *, cut: bool = False) -> tuple[bytes, bytes, datetime]:
    """Key, value and time of an entry's message. One key for the whole chain keeps the order in a topic of several
    partitions."""
    body = json.dumps(cloud_event(chain, entry, cut=cut), ensure_ascii=True, separators=(",", ":"))
    return chain.encode(), body.encode(), entry.at


def cloud_event(chain: str, entry: AuditEntry, *, cut: bool = False) -> dict[str, object]:
    """The entry as a CloudEvent 1.0 in JSON. `source` and `id` together are one entry's alone, so a repeat is known by them.

    `data` is the entry as the API gives it; `sequence` orders as text does. `cut`: without reasons and details, long texts
    shortened, and with `truncated: true`; `hash` is that of the whole entry, which the API has.
    """
    if cut:
        entry = replace(
            entry,
            actor=entry.actor[:_MOST_WORDS],
            action=entry.action[:_MOST_WORDS],
            target=entry.target[:_MOST_WORDS],
            decision=entry.decision[:_MOST_WORDS],
            reasons=(),
            details={},
        )
    event: dict[str, object] = {
        "specversion": "1.0",
        "id": str(entry.seq),
        "source": f"/weir/audit/{quote(chain, safe='')}",
        "type": f"{TYPE}.{_word(entry.action)}",
        "time": rfc3339(entry.at),
        "datacontenttype": "application/json",
        "sequence": f"{entry.seq:020d}",
        "data": entry_json(entry) | ({"truncated": True} if cut else {}),
    }
    subject = entry.target.strip()
    return {**event, "subject": subject} if subject else event


def _word(action: str) -> str:
    return "".join(each if each.isalnum() or each in ".-_" else "-" for each in action) or "entry"
