"""The words of access reviews. Frozen, free of I/O; every type goes to JSON and back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, TypedDict

from catalog.records import rfc3339
from policies.workflow import Approvers


class CampaignState(StrEnum):
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"
    FAILED = "failed"


RUNNING = (CampaignState.OPEN, CampaignState.CLOSING)


class ItemState(StrEnum):
    OPEN = "open"
    KEPT = "kept"
    REVOKED = "revoked"
    GONE = "gone"
    """The right ended by something else before anybody decided."""


class Outcome(StrEnum):
    """What became of a right by the decision on it."""

    NONE = ""
    CONFIRMED = "confirmed"
    UNCONFIRMED = "unconfirmed"
    """Kept, since nobody decided and the review keeps what nobody confirms."""
    ENDED = "ended"
    PARTLY = "partly"
    """Ended here; the same right comes from another source too, where it continues."""
    AT_SOURCE = "at-source"
    """Nothing could be ended here: it ends only at its source."""
    ENDED_ELSEWHERE = "ended-elsewhere"


class Kind(StrEnum):
    GRANT = "grant"
    ROLE = "role"
    GROUP = "group"
    OWNER = "owner"


@dataclass(frozen=True, slots=True)
class Right:
    """One right of one holder, as it is at a moment.

    name         of the grant, role or group; of an owner: `CLUSTER/TOPIC`
    person       the holder; None for a grant to a group or role, which is in `group` or `role`
    dataset      what a grant or owner may read, as written; None for roles and groups
    sources      where it comes from: `request req-1`, `User eva`, `Group sales`, `directory group Sales`, `identity provider`
    here         whether something of it can be ended in Weir
    since        since when, where that is known; until: the end of a grant
    fingerprint  changes with everything that changes what the right gives
    """

    kind: Kind
    name: str
    person: str | None = None
    group: str | None = None
    role: str | None = None
    dataset: str | None = None
    sources: tuple[str, ...] = ()
    here: bool = True
    purpose: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    fingerprint: str = ""

    @property
    def holder(self) -> str:
        """`eva`, `group sales`, `role analyst`."""
        if self.person is not None:
            return self.person
        return f"group {self.group}" if self.group is not None else f"role {self.role}"

    @property
    def text(self) -> str:
        """The right in a few words."""
        match self.kind:
            case Kind.GRANT:
                return f"grant {self.name} on {self.dataset}"
            case Kind.OWNER:
                return f"owner of {self.name}"
            case _:
                return f"{self.kind} {self.name}"

    def to_json(self) -> dict[str, object]:
        """As it is kept."""
        return {
            "kind": str(self.kind), "name": self.name, "person": self.person, "group": self.group, "role": self.role,
            "dataset": self.dataset, "sources": list(self.sources), "here": self.here, "purpose": self.purpose,
            "since": rfc3339(self.since), "until": rfc3339(self.until), "fingerprint": self.fingerprint,
        }  # fmt: skip

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Right:
        return Right(
            kind=Kind(data["kind"]),
            name=data["name"],
            person=data["person"],
            group=data["group"],
            role=data["role"],
            dataset=data["dataset"],
            sources=tuple(data["sources"]),
            here=data["here"],
            purpose=data["purpose"],
            since=moment(data["since"]),
            until=moment(data["until"]),
            fingerprint=data["fingerprint"],
        )


class SeenDataset(TypedDict):
    """What the holder of a right sees of a dataset now, stating the grant's purpose.

    shows    as in `policies.effective.shown`; without: what is left without the right, None for owners
    fields   how many are unmasked, masked and hidden
    """

    dataset: str
    shows: str
    without: str | None
    fields: dict[str, int]
    masks: list[str]
    personal: list[str]


class RightEvidence(TypedDict, total=False):
    """What a right lets its holder see, when it was last used, and since when the audit was looked at."""

    datasets: list[SeenDataset]
    moreDatasets: int
    lastUsed: str | None
    lookedSince: str | None
    young: bool


@dataclass(frozen=True, slots=True)
class Item:
    """One right in a campaign.

    number       counts from 1 in its campaign
    reviewers    key of the set of people who may decide; opens: key of the list of datasets that it opens
    changed      the right is not what it was when the campaign began (open), or when it was confirmed (kept)
    left_at      sources where the right has to be ended, too, or it stays or comes back
    undo         what is needed to take a revocation back
    audit        seq of the audit's entry of the decision
    """

    campaign: str
    number: int
    right: Right
    evidence: RightEvidence
    reviewers: str
    opens: str
    unused: bool = False
    state: ItemState = ItemState.OPEN
    outcome: Outcome = Outcome.NONE
    by: str | None = None
    at: datetime | None = None
    reason: str = ""
    instead_of: str | None = None
    changed: bool = False
    left_at: tuple[str, ...] = ()
    undo: Mapping[str, Any] = field(default_factory=dict)
    audit: int | None = None
    version: int = 1

    def body(self) -> dict[str, object]:
        """As it is kept, beside the columns that items are found by."""
        return {
            "right": self.right.to_json(), "evidence": self.evidence, "by": self.by, "at": rfc3339(self.at),
            "reason": self.reason, "insteadOf": self.instead_of, "changed": self.changed, "leftAt": list(self.left_at),
            "undo": dict(self.undo), "audit": self.audit,
        }  # fmt: skip

    def record(self) -> dict[str, object]:
        """What the evidence report has of it, and its hash covers."""
        right = self.right
        return {
            "number": self.number, "kind": str(right.kind), "name": right.name, "holder": right.holder,
            "person": right.person, "dataset": right.dataset, "purpose": right.purpose, "since": rfc3339(right.since),
            "until": rfc3339(right.until), "sources": list(right.sources), "evidence": self.evidence,
            "unused": self.unused, "state": str(self.state), "outcome": str(self.outcome), "by": self.by,
            "at": rfc3339(self.at), "reason": self.reason, "insteadOf": self.instead_of, "changed": self.changed,
            "leftAt": list(self.left_at), "audit": self.audit,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Campaign:
    """One run of an access review.

    review       the declared review it is a run of; None: its terms were given by hand
    terms        the spec as it was when it began
    occurrence   the time in the schedule for which it began; None: started by hand
    reminded     reminders that were sent, as in `remind`
    notes        what the snapshot could not look at, in sentences
    no_answer    `revoke` or `keep`: what becomes of what nobody confirmed; who closes by hand may choose another than declared
    reason       why another was chosen; closer: groups and roles of who closed by hand, whose own rights stay as declared
    digest       SHA-256 of the evidence at its close; audit: seq of the audit's entry of its close
    """

    id: str
    review: str | None
    terms: Mapping[str, Any]
    state: CampaignState
    started_at: datetime
    started_by: str
    due_at: datetime
    no_answer: str
    occurrence: datetime | None = None
    closed_at: datetime | None = None
    closed_by: str | None = None
    reminded: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    digest: str | None = None
    audit: int | None = None
    version: int = 1
    reason: str = ""
    closer: Mapping[str, Any] = field(default_factory=dict)

    @property
    def declared(self) -> str:
        """What was to become of what nobody confirmed when it began: `revoke` or `keep`."""
        return str(self.terms.get("onNoAnswer", self.no_answer))

    def body(self) -> dict[str, object]:
        """As it is kept, beside the columns that campaigns are found by."""
        return {
            "terms": dict(self.terms), "startedBy": self.started_by, "noAnswer": self.no_answer,
            "occurrence": rfc3339(self.occurrence), "closedAt": rfc3339(self.closed_at), "closedBy": self.closed_by,
            "reminded": list(self.reminded), "notes": list(self.notes), "digest": self.digest, "audit": self.audit,
            "reason": self.reason, "closer": dict(self.closer),
        }  # fmt: skip

    def record(self) -> dict[str, object]:
        """What the evidence report has of it, and its hash covers."""
        return {
            "id": self.id, "review": self.review, "terms": dict(self.terms), "startedAt": rfc3339(self.started_at),
            "startedBy": self.started_by, "dueAt": rfc3339(self.due_at), "onNoAnswer": self.no_answer,
            "declaredOnNoAnswer": self.declared, "closeReason": self.reason,
            "closedAt": rfc3339(self.closed_at), "closedBy": self.closed_by, "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReviewerSet:
    """Who may decide an item, as a rule: it is applied to the people and owners of the moment at which somebody asks.

    match     people by name, group or role; with `owners`, those who own all of `datasets` too
    why       the rule in words; users: whom it meant when the campaign began, for texts alone
    managers  those who manage, too
    """

    match: Approvers
    why: str
    users: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    managers: bool = False

    def to_json(self) -> dict[str, object]:
        return {
            "match": self.match.to_json(), "why": self.why, "users": list(self.users), "datasets": list(self.datasets),
            "managers": self.managers,
        }  # fmt: skip

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> ReviewerSet:
        return ReviewerSet(
            Approvers.from_json(data["match"]),
            data["why"],
            tuple(data["users"]),
            tuple(data["datasets"]),
            data["managers"],
        )


@dataclass
class SharedSets:
    """What many items of a campaign share, by key: who may decide them, and the datasets that their rights open."""

    reviewers: dict[str, ReviewerSet] = field(default_factory=dict)
    opens: dict[str, list[str]] = field(default_factory=dict)


def digest_of(parts: Any) -> str:
    """SHA-256 over the canonical JSON of each part, a line each."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(json.dumps(part, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode())
        digest.update(b"\n")
    return digest.hexdigest()


def moment(text: str | None) -> datetime | None:
    """A time as `rfc3339` writes it."""
    return datetime.fromisoformat(text) if text is not None else None
