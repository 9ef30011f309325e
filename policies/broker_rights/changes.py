"""Changes of ACLs, each with its reason, and the plan that they make. Plain data."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from catalog.broker_acls import BrokerAcl, acl_of


class Action(StrEnum):
    CREATE = "create"
    DELETE = "delete"


class ChangeKind(StrEnum):
    """What a plan counts its changes by."""

    TOPIC_READ = "topicRead"
    TOPIC_READ_AGAIN = "topicReadAgain"
    GROUP_READ = "groupRead"
    TRANSACTIONAL_WRITE = "transactionalWrite"
    INSTALLATION_MARK = "installationMark"
    RIGHT_ENDED = "rightEnded"
    PERSON_GONE = "personGone"
    PRINCIPAL_UNKNOWN = "principalUnknown"
    TOPIC_GONE = "topicGone"
    NOT_CATALOGUED = "notCatalogued"
    NOT_DECLARED = "notDeclared"
    BACK_AGAIN = "backAgain"
    UNDO = "undo"


@dataclass(frozen=True, slots=True)
class Change:
    """One ACL that is to be made or deleted. `reason`: why, in a sentence; `adopted`: it was, or becomes, an adopted one."""

    action: Action
    kind: ChangeKind
    acl: BrokerAcl
    reason: str
    adopted: bool = False

    def as_json(self) -> dict[str, object]:
        """Its parts, as `change_of` reads them."""
        return {
            "action": str(self.action),
            "kind": str(self.kind),
            "acl": self.acl.as_json(),
            "reason": self.reason,
            "adopted": self.adopted,
        }


def change_of(parts: Mapping[str, Any]) -> Change:
    """The change of the parts that `Change.as_json` gives."""
    return Change(
        Action(parts["action"]), ChangeKind(parts["kind"]), acl_of(parts["acl"]), parts["reason"], parts["adopted"]
    )


@dataclass(frozen=True, slots=True)
class Unopened:
    """An ACL that is due and that Weir does not make, with the reason in a sentence."""

    acl: BrokerAcl
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes the brokers of a cluster equal to Weir, as far as ACLs in the care of Weir go.

    name      the cluster
    cluster   its namespace
    changes   what is made, then what is deleted, each sorted by ACL
    kept      ACLs that are due and are there; unopened: those that are due and would not help
    lost      owned ACLs that are not at the brokers any more and not due, of which nothing is to do
    notes     what is not known, in sentences
    """

    name: str
    cluster: str
    changes: tuple[Change, ...]
    kept: int = 0
    unopened: tuple[Unopened, ...] = ()
    lost: tuple[BrokerAcl, ...] = ()
    others: int = 0
    notes: tuple[str, ...] = ()
    at: datetime | None = None

    @property
    def id(self) -> str:
        """The same for the same changes; another one once anything of them differs."""
        parts = [self.cluster, [[str(c.action), str(c.kind), c.acl.as_json()] for c in self.changes]]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode()).hexdigest()[:16]

    @property
    def counts(self) -> Mapping[ChangeKind, int]:
        """Changes by kind."""
        return Counter(change.kind for change in self.changes)

    def of(self, action: Action) -> Sequence[Change]:
        """The changes of one action."""
        return [change for change in self.changes if change.action is action]
