"""What Weir made at the brokers and what it adopted, and each apply as a journal. Plain data, and the port that keeps them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from catalog.broker_acls import BrokerAcl
from policies.broker_rights.changes import Change


class AclState(StrEnum):
    """What an ACL is to this Weir.

    MADE     Weir made it, or is about to: an apply is under way
    ADOPTED  somebody else made it, and a person gave it into the care of Weir
    REMOVED  Weir deleted it
    OTHER    somebody else's, there when Weir first looked
    DRIFT    somebody else's, made since
    """

    MADE = "made"
    ADOPTED = "adopted"
    REMOVED = "removed"
    OTHER = "other"
    DRIFT = "drift"


OWNED = frozenset({AclState.MADE, AclState.ADOPTED})


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """One ACL, what it is to this Weir, and since when. `by`: who adopted it, or the apply that made or deleted it."""

    acl: BrokerAcl
    state: AclState
    at: datetime
    by: str


class ApplyState(StrEnum):
    """WAITING: a second person has to apply the same plan; UNDONE: done, and taken back."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    UNDONE = "undone"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Apply:
    """One apply of a plan.

    cluster    namespace of the cluster, the same for all its names; name: the name that was used
    plan       id of the plan
    by         who asked for it; approved_by: the second person, where one was needed
    undo_of    id of the apply that this one takes back
    done       changes that are made
    problems   changes that the brokers refused, and changes that were left out, in sentences
    """

    id: str
    cluster: str
    name: str
    plan: str
    state: ApplyState
    by: str
    at: datetime
    changes: tuple[Change, ...]
    approved_by: str | None = None
    undo_of: str | None = None
    done: int = 0
    problems: tuple[str, ...] = ()
    finished_at: datetime | None = None


WATCH = "watch"
"""In the place of a plan: Weir itself decided on the changes."""


class RightsLedger(Protocol):
    """Raises Unavailable when it does not answer. `cluster` is the namespace of a cluster."""

    def transaction(self) -> AbstractContextManager[object]:
        """Everything inside happens together or not at all."""

    def entries(self, cluster: str, states: Collection[AclState] | None = None) -> Mapping[BrokerAcl, LedgerEntry]:
        """What is known of the ACLs of a cluster."""

    def clusters(self) -> frozenset[str]:
        """Clusters with an owned ACL, or with an apply that is running."""

    def put(self, cluster: str, entries: Sequence[LedgerEntry]) -> None:
        """Keep entries in the place of those of the same ACLs."""

    def forget(self, cluster: str, acls: Collection[BrokerAcl]) -> None:
        """Know nothing of these ACLs any more."""

    def applies(self, cluster: str, states: Collection[ApplyState] | None = None, limit: int = 100) -> Sequence[Apply]:
        """Applies of a cluster, the newest first."""

    def get(self, apply_id: str) -> Apply | None:
        """One apply."""

    def last_of_person(self, cluster: str) -> Apply | None:
        """The last apply of a person at a cluster that was done, or done and undone; no undo."""

    def begun(self, cluster: str) -> int:
        """How many applies have begun at a cluster: it grows with each."""

    def add(self, apply: Apply) -> None:
        """Keep a new apply. Raises Conflict where another one of the cluster is running."""

    def change(self, apply: Apply) -> None:
        """Keep the state, the count and the problems of an apply."""

    def claim(self, apply_id: str, runner: str, now: datetime, until: datetime) -> bool:
        """Whether `runner` may continue a running apply until a moment; nobody else may before then."""
