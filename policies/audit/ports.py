"""What the audit needs from the outside: stores for its entries, seals and shipping, and places for its messages and head.

Every method of a store raises Unavailable when the store does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One link of the chain. `hash` covers everything else, `prev` is the hash of the entry before."""

    seq: int
    at: datetime
    actor: str
    action: str
    target: str
    decision: str
    reasons: tuple[str, ...]
    details: Mapping[str, Any]
    prev: str
    hash: str


@dataclass(frozen=True, slots=True)
class AuditHead:
    """Where the chain ended at a moment. `chain` identifies the chain of one store."""

    chain: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries; what is None does not matter. `since` inclusive, `until` exclusive.

    action   the action or its beginning: `grant` is also grant.revoke
    without  actions, or their beginnings, of which no entry is wanted
    person   who did it, or whom it is about
    agent    by the agent of this name, or with this token
    tool     by this tool, such as one of the server for agents
    dataset, grant   that it is about
    field    a path: entries that used it, something inside it or something it is a part of; with `dataset`, of that one
    within   beginnings of names: entries about a dataset whose name begins with one of them, whatever the case of its letters
    """

    actor: str | None = None
    action: str | None = None
    person: str | None = None
    dataset: str | None = None
    field: str | None = None
    grant: str | None = None
    agent: str | None = None
    tool: str | None = None
    target: str | None = None
    decision: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    within: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AuditUse:
    """When an actor last used something that is known by a name."""

    actor: str
    name: str
    at: datetime


class AuditStore(Protocol):
    def append(
        self, make: Callable[[int, str], AuditEntry], then: Callable[[AuditHead], None] | None = None
    ) -> AuditEntry:
        """Add `make(seq, hash of the entry before)`, one at a time over all processes.

        `then` is called with the new head once the entry is durable; inside a transaction, after its commit.
        """

    def entries(self, where: AuditFilter, before: int | None, limit: int) -> list[AuditEntry]:
        """Newest first; with `before`, only those with a smaller seq."""

    def matching(self, where: AuditFilter, after: int, limit: int) -> list[AuditEntry]:
        """Oldest first, those with a larger seq than `after`."""

    def chain(self, after: int, limit: int) -> list[AuditEntry]:
        """Oldest first, those with a larger seq than `after`."""

    def uses(self, kind: str, actions: Collection[str], since: datetime) -> list[AuditUse]:
        """The last allowed entry of these actions for each (actor, name of a kind of `policies.audit.names`) since then."""

    def unnamed(self) -> int:
        """How many entries, written before there was an index of names, are not found by person, dataset, field or grant
        yet. Indexes some of them, for a few seconds at most."""

    def head(self) -> AuditHead:
        """As noted beside the entries at the last append; seq 0 and an empty hash before the first."""


@dataclass(frozen=True, slots=True)
class Removal:
    """That the entries of a segment were removed: when, by which setting (`policies.audit_keep_days=365`), and the file that
    they were exported to before. key: the public key that signed it."""

    at: datetime
    setting: str
    file: str | None
    key: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A sealed run of entries, `first` to `last`. Numbers count from 1 without a hole.

    begins, ends     times of the first and the last entry
    before, head     hash of the entry before the first, and of the last
    previous         SHA-256 of the seal before; empty for the first
    key, signature   public key and signature, base64
    """

    number: int
    chain: str
    first: int
    last: int
    begins: datetime
    ends: datetime
    before: str
    head: str
    previous: str
    sealed_at: datetime
    key: str
    signature: str
    removal: Removal | None = None


class SegmentStore(Protocol):
    """Seals of the audit chain, beside its entries."""

    def segments(self) -> list[Segment]:
        """All, by number."""

    def add(self, segment: Segment, note: Callable[[], object]) -> bool:
        """Keep a seal and call `note`, together or not at all. False, and nothing is done, when its number is taken."""

    def remove(self, number: int, removal: Removal, note: Callable[[], object]) -> bool:
        """Mark a segment as removed and call `note`, together or not at all. False, and nothing is done, when it is already."""

    def purge(self, limit: int) -> int:
        """Delete entries of removed segments, at most `limit` of them; gives how many."""


@dataclass(frozen=True, slots=True)
class Shipping:
    """How far entries were shipped to one place. failures: in a row, since the last success; problem: the last of them.

    cut     entries that went out without their details, because the place takes no message so large
    begins  the first entry of the chain that was shipped; None: none was
    missed  entries before `position` that were removed before they could be shipped
    """

    place: str
    chain: str
    position: int = 0
    shipped_at: datetime | None = None
    failures: int = 0
    failed_at: datetime | None = None
    problem: str | None = None
    cut: int = 0
    begins: int | None = None
    missed: int = 0


class ShippingStore(Protocol):
    """How far shipping is; one record a place."""

    def get(self, place: str) -> Shipping | None: ...

    def put(self, shipping: Shipping, before: int) -> bool:
        """Keep it where the position that is kept is `before` still (0: or there is none). False when another was faster."""


class MessageTooLarge(Exception):
    """A place does not take a message because of its size."""


class AuditReceiver(Protocol):
    """A place that takes messages in order."""

    def send(self, messages: Sequence[tuple[bytes, bytes, datetime]]) -> int:
        """(key, value, time) each, in order; gives how many of the first arrived for sure. Raises Unavailable when none did,
        MessageTooLarge when none did because of the size of the first."""


class HeadPublisher(Protocol):
    """A place for the chain's head that a hand on the store cannot reach."""

    def publish(self, head: AuditHead) -> None:
        """Soon, and without waiting; a head that cannot be published is logged."""

    def newest(self) -> list[AuditHead]:
        """The latest published heads. Raises Unavailable when they cannot be read."""
