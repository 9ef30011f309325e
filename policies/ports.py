"""What this room needs from the outside: stores for what is declared, asked, issued and audited; facts of datasets.

Every method of a store raises Unavailable when the store does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from catalog.errors import Conflict
from policies.model import DatasetFacts, Subject

Clock = Callable[[], datetime]
"""Gives the present as an aware datetime."""


@dataclass(frozen=True, slots=True)
class Document:
    """One state of a declared thing, or of an access request.

    spec      None when this state is its deletion
    version   counts every change of anything in the store; later is larger
    by        who made the change; label: what requests are listed by (their state)
    """

    kind: str
    name: str
    spec: Mapping[str, Any] | None
    metadata: Mapping[str, Any]
    version: int
    at: datetime
    by: str | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What a document is to become; `spec` None deletes it.

    expect: the version it must have at that moment (0 = it must not exist), None = whatever it is.
    """

    kind: str
    name: str
    spec: Mapping[str, Any] | None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    by: str | None = None
    label: str | None = None
    expect: int | None = None

    def check(self, present: Document | None) -> None:
        """Raises Conflict when the document is not at the version this expects."""
        version = present.version if present is not None else 0
        if self.expect is not None and self.expect != version:
            raise Conflict(
                f"{self.kind} {self.name} was changed by another meanwhile; look at it again, and repeat.",
                details={"kind": self.kind, "name": self.name},
            )


class PolicyStore(Protocol):
    """Documents with all their states: nothing is ever overwritten, so every moment of the past can be read."""

    def transaction(self) -> AbstractContextManager[None]:
        """Everything inside happens together or not at all; a transaction inside another joins it."""

    def version(self, kinds: Collection[str]) -> int:
        """The version of the newest change of these kinds; 0 when there is none."""

    def get(self, kind: str, name: str) -> Document | None:
        """The present state; None when there is none or it is deleted."""

    def documents(
        self, kind: str | None = None, *, label: str | None = None, as_of: datetime | None = None
    ) -> list[Document]:
        """Present states by kind and name, without deleted ones; with `as_of`, the states of that moment."""

    def changed(self, kinds: Collection[str], after: int = 0) -> list[Document]:
        """Newest states of these kinds with a larger version than `after`, deletions too, by version: one consistent read."""

    @property
    def is_writing(self) -> bool:
        """Whether this thread is inside `transaction`: what it reads then may never be committed."""

    def deleted(self, kind: str, as_of: datetime | None = None) -> frozenset[str]:
        """Names that existed and do not any more; with `as_of`, those of that moment."""

    def history(self, kind: str, name: str) -> list[Document]:
        """Every state, oldest first, deletions too."""

    def apply(self, changes: Sequence[Change], at: datetime) -> int:
        """Make all changes or none; gives the store's version after them.

        Raises Conflict when a document has not the version a change expects.
        """


@dataclass(frozen=True, slots=True)
class TokenRecord:
    """An API token, without the token: `digest` is its SHA-256 in hex.

    scopes    what the token is limited to; None = all that its user may
    used_at   when it was last used, to the minute; None = never
    rotated   id of the token that took its place; both are good until this one expires
    """

    id: str
    user: str
    name: str
    digest: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    scopes: tuple[str, ...] | None = None
    used_at: datetime | None = None
    rotated: str | None = None


class TokenStore(Protocol):
    def add(self, token: TokenRecord) -> None: ...

    def find(self, digest: str) -> TokenRecord | None: ...

    def tokens(self, user: str | None = None) -> list[TokenRecord]:
        """All, revoked ones too, oldest first."""

    def revoke(self, token_id: str, at: datetime) -> bool:
        """False when there is no such token. The first revocation's time stays."""

    def used(self, token_id: str, at: datetime) -> None:
        """Note that a token was used."""

    def rotate(self, token_id: str, successor: TokenRecord, expires_at: datetime) -> bool:
        """Add a successor, and have the old token end at `expires_at`. False, and nothing is done, when the old one was
        rotated or revoked before."""


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
    """Where the chain ended at a moment. `chain` tells one store's chain from another's."""

    chain: str
    seq: int
    hash: str


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Which entries; what is None does not matter. `since` inclusive, `until` exclusive.

    action   the action or its beginning: `grant` is also grant.revoke
    person   who did it, or whom it is about
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
    target: str | None = None
    decision: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    within: tuple[str, ...] | None = None


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
        """The last allowed entry of these actions for each (actor, name of a kind of `policies.audit_names`) since then."""

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


class FactsSource(Protocol):
    """What the catalog knows of a dataset. `as_of`: as it was known then."""

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`. Raises DatasetNotFound naming the nearest dataset."""


class TokenVerifier(Protocol):
    """Another issuer of bearer tokens (OIDC)."""

    def verify(self, token: str) -> Subject | None:
        """The subject of a token of this issuer; None when it is not one of its, or does not hold."""
