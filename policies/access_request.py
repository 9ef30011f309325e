"""An access request: what somebody asks for, how far it has come, and both as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from catalog.records import rfc3339
from policies.workflow import Approvers, Stage


class RequestState(StrEnum):
    PENDING = "pending"
    APPROVED = "approved"
    DENIED = "denied"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    REVIEW = "review"
    ASKED_BACK = "asked-back"


UNDECIDED = (RequestState.PENDING, RequestState.ASKED_BACK)
"""States that end by a decision, a withdrawal or by time."""
OPEN = (*UNDECIDED, RequestState.REVIEW)
"""States in which a decision can be made."""


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's word in one stage; `instead_of` whom they decided as a delegate.

    narrowed    of an approval in part: what it left of the request
    escalated   decided by somebody who manages, since no approver answered
    """

    by: str
    stage: str
    verdict: str  # approve | deny
    at: datetime
    comment: str = ""
    instead_of: str | None = None
    narrowed: Terms | None = None
    escalated: bool = False

    def to_json(self) -> dict[str, object]:
        return {
            "by": self.by,
            "stage": self.stage,
            "verdict": self.verdict,
            "at": rfc3339(self.at),
            "comment": self.comment,
            "insteadOf": self.instead_of,
            "narrowed": self.narrowed.to_json() if self.narrowed is not None else None,
            "escalated": self.escalated,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Vote:
        return Vote(
            by=data["by"],
            stage=data["stage"],
            verdict=data["verdict"],
            at=_moment(data["at"]),
            comment=data["comment"],
            instead_of=data["insteadOf"],
            narrowed=Terms.from_json(data["narrowed"]) if data["narrowed"] is not None else None,
            escalated=data["escalated"],
        )


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of a request's thread.

    kind     comment | question | answer | escalation
    people   of an escalation: who was notified
    """

    by: str
    at: datetime
    kind: str
    text: str = ""
    people: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Consumer:
    """The Kafka consumer that an access is for: its principal, and the person (user), group or program (serviceAccount) it is."""

    principal: str
    kind: str
    name: str

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Consumer:
        return Consumer(data["principal"], data["kind"], data["name"])


@dataclass(frozen=True, slots=True)
class Terms:
    """What a request is about: entries of `fields` and `unmask`, and the end of the access."""

    fields: tuple[str, ...]
    unmask: tuple[str, ...]
    valid_to: datetime

    def to_json(self) -> dict[str, object]:
        return {"fields": list(self.fields), "unmask": list(self.unmask), "until": rfc3339(self.valid_to)}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Terms:
        return Terms(tuple(data["fields"]), tuple(data["unmask"]), _moment(data["until"]))


_RETRIED = timedelta(minutes=5)
"""So far apart a client whose connection broke asks again, with times counted from its own clock."""
_LATER = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class AccessRequest:
    """What somebody asks for, and how far it has come.

    fields        paths, tags or `*`: what the grant will open; `unmask` likewise: what it will show unmasked
    valid_from, valid_to    the wished life of the grant; expires_at: when an undecided request ends by itself
    stages        as the workflows asked for when it was made; `stage` counts from 0
    grant         the name of the grant it ended in
    break_glass   its grant was made at once; `expires_at` is then the time until which it must be reviewed
    ticket        id of it in another system        template   name of the template it was made from
    bundle        id that the requests of one bundle share: each is decided on its own
    extends       name of the grant whose end it asks to move
    consumer      the Kafka consumer that is to read; None: the requester reads through Weir
    asked         what was requested at first, where an approval in part left less
    thread        what people wrote, and escalations
    waiting_since, asked_back_at, escalated    the clock of escalation; see `policies.requests.talk`
    """

    id: str
    requester: str
    dataset: str
    fields: tuple[str, ...]
    unmask: tuple[str, ...]
    purpose: str
    valid_from: datetime
    valid_to: datetime
    created_at: datetime
    expires_at: datetime
    stages: tuple[Stage, ...]
    rows: str | None = None
    reason: str = ""
    state: RequestState = RequestState.PENDING
    stage: int = 0
    votes: tuple[Vote, ...] = ()
    grant: str | None = None
    break_glass: bool = False
    ticket: str = ""
    bundle: str | None = None
    extends: str | None = None
    template: str | None = None
    consumer: Consumer | None = None
    asked: Terms | None = None
    thread: tuple[Message, ...] = ()
    waiting_since: datetime | None = None
    asked_back_at: datetime | None = None
    escalated: int = 0

    @property
    def terms(self) -> Terms:
        """What it is about now."""
        return Terms(self.fields, self.unmask, self.valid_to)

    @property
    def wished(self) -> Terms:
        """What was requested at first."""
        return self.asked or self.terms

    def asks_the_same(self, other: AccessRequest) -> bool:
        """Whether two requests have the same wish in the same words, for the same time: apart by a retry at most, or both
        from when they were made and as long, a day apart at most, since Weir's clock may have jumped between the two."""

        def wish(request: AccessRequest) -> tuple[object, ...]:
            return (
                request.requester,
                request.dataset,
                frozenset(request.wished.fields),
                frozenset(request.wished.unmask),
                request.purpose,
                request.rows,
                request.reason,
                request.break_glass,
                request.ticket,
                request.extends,
                request.template,
                request.consumer,
            )

        if wish(self) != wish(other):
            return False
        moved = other.created_at - self.created_at
        starts, ends = other.valid_from - self.valid_from, other.wished.valid_to - self.wished.valid_to
        if max(abs(starts), abs(ends)) <= _RETRIED:
            return True
        return (
            not self.break_glass
            and abs(moved) <= _LATER
            and abs(starts - moved) <= _RETRIED
            and min(abs(ends), abs(ends - moved)) <= _RETRIED
            and abs(self.valid_from - self.created_at) <= _RETRIED
        )

    @property
    def sources(self) -> list[str]:
        """Of a stream view: the topics whose owners are asked."""
        return sorted({stage.approvers.of for stage in self.stages if stage.approvers.of is not None})

    @property
    def current(self) -> Stage:
        return self.stages[min(self.stage, len(self.stages) - 1)]

    def voted(self, stage: str) -> frozenset[str]:
        """Who has approved a stage."""
        return frozenset(v.by for v in self.votes if v.stage == stage and v.verdict == "approve")

    def to_json(self) -> dict[str, object]:
        """As it is kept: `stage` is the name of the one that waits, None when none does."""
        return {
            "id": self.id,
            "state": str(self.state),
            "stage": self.current.name if self.state in OPEN else None,
            "requester": self.requester,
            "dataset": self.dataset,
            "fields": list(self.fields),
            "unmask": list(self.unmask),
            "rows": self.rows,
            "purpose": self.purpose,
            "reason": self.reason,
            "from": rfc3339(self.valid_from),
            "until": rfc3339(self.valid_to),
            "createdAt": rfc3339(self.created_at),
            "expiresAt": rfc3339(self.expires_at),
            "stages": [
                {
                    "name": stage.name,
                    "approvers": stage.approvers.to_json(),
                    "quorum": stage.quorum,
                    "approvedBy": sorted(self.voted(stage.name)),
                }
                for stage in self.stages
            ],
            "decisions": [vote.to_json() for vote in self.votes],
            "grant": self.grant,
            "breakGlass": self.break_glass,
            "ticket": self.ticket,
            "bundle": self.bundle,
            "extends": self.extends,
            "template": self.template,
            "consumer": asdict(self.consumer) if self.consumer is not None else None,
            "asked": self.asked.to_json() if self.asked is not None else None,
            "thread": [{**asdict(m), "at": rfc3339(m.at), "people": list(m.people)} for m in self.thread],
            "waitingSince": rfc3339(self.waiting_since) if self.waiting_since is not None else None,
            "askedBackAt": rfc3339(self.asked_back_at) if self.asked_back_at is not None else None,
            "escalated": self.escalated,
        }

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> AccessRequest:
        stages = tuple(Stage(s["name"], Approvers.from_json(s["approvers"]), s["quorum"]) for s in data["stages"])
        at = {s.name: i for i, s in enumerate(stages)}
        return AccessRequest(
            id=data["id"],
            requester=data["requester"],
            dataset=data["dataset"],
            fields=tuple(data["fields"]),
            unmask=tuple(data["unmask"]),
            purpose=data["purpose"],
            valid_from=_moment(data["from"]),
            valid_to=_moment(data["until"]),
            created_at=_moment(data["createdAt"]),
            expires_at=_moment(data["expiresAt"]),
            stages=stages,
            rows=data["rows"],
            reason=data["reason"],
            state=RequestState(data["state"]),
            stage=at[data["stage"]] if data["stage"] is not None else len(stages),
            votes=tuple(map(Vote.from_json, data["decisions"])),
            grant=data["grant"],
            break_glass=bool(data.get("breakGlass")),
            ticket=data.get("ticket") or "",
            bundle=data.get("bundle"),
            extends=data.get("extends"),
            template=data.get("template"),
            consumer=Consumer.from_json(data["consumer"]) if data.get("consumer") else None,
            asked=Terms.from_json(data["asked"]) if data.get("asked") else None,
            thread=tuple(
                Message(m["by"], _moment(m["at"]), m["kind"], m["text"], tuple(m["people"]))
                for m in data.get("thread", ())
            ),
            waiting_since=_moment(data["waitingSince"]) if data.get("waitingSince") else None,
            asked_back_at=_moment(data["askedBackAt"]) if data.get("askedBackAt") else None,
            escalated=int(data.get("escalated") or 0),
        )


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
