"""What this room needs from the outside: stores for what is declared, asked and issued; facts of datasets. Those of the
audit are in `policies.audit.ports`.

Every method of a store raises Unavailable when the store does not answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Protocol

from catalog.errors import Conflict
from policies.model import Agent, DatasetFacts, Subject

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
    agent     what the token narrows, where it is an agent's
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
    agent: Agent | None = None


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


class AgentRows(Protocol):
    """How many rows each agent was given on a day, over all processes."""

    def add(self, token_id: str, day: date, rows: int, most: int) -> bool:
        """Count rows, in one step. False, and nothing is counted, where there would be more than `most`."""

    def of(self, day: date) -> Mapping[str, int]:
        """Token id -> rows given on a day."""


class FactsSource(Protocol):
    """What the catalog knows of a dataset. `as_of`: as it was known then."""

    def facts(self, reference: str, as_of: datetime | None = None) -> DatasetFacts:
        """By `CLUSTER/TOPIC`. Raises DatasetNotFound naming the nearest dataset."""


class TokenVerifier(Protocol):
    """Another issuer of bearer tokens (OIDC)."""

    def verify(self, token: str) -> Subject | None:
        """The subject of a token of this issuer; None when it is not one of its, or does not hold."""
