"""Workflows and access requests: their words, and a request's life as a pure state machine.

    pending --approve (last stage's quorum)--> approved      pending --deny--> denied
    pending --cancel--> cancelled                            pending --time--> expired
    pending --ask back--> asked-back                         asked-back --answer or decision--> pending
    review --approve--> approved                             review --deny--> denied (its grant is revoked)

`policies.requests.talk` has what people write to each other meanwhile, and escalation.

A request in review is one of break-glass: its grant was made at once, and somebody must look at it afterwards.

No function here reads a clock or a store; each gives a new request, or raises Conflict or NotAllowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from catalog.errors import Conflict, NotAllowed
from catalog.records import rfc3339
from policies.model import DatasetFacts, SubjectMatch, Target

NOBODY = SubjectMatch()


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
class Approvers:
    """Who may decide: the dataset's owners, or those of the dataset `of`, and whoever the match names."""

    owners: bool = False
    people: SubjectMatch = NOBODY
    of: str | None = None

    def to_json(self) -> dict[str, Any]:
        named = {k: sorted(getattr(self.people, k)) for k in ("users", "groups", "roles") if getattr(self.people, k)}
        return {**({"owners": True} if self.owners else {}), **({"of": self.of} if self.of else {}), **named}

    @staticmethod
    def from_json(data: Mapping[str, Any]) -> Approvers:
        users, groups, roles = (frozenset(data.get(k, ())) for k in ("users", "groups", "roles"))
        people = SubjectMatch(users=users, groups=groups, roles=roles)
        return Approvers(bool(data.get("owners")), people, data.get("of"))


@dataclass(frozen=True, slots=True)
class Stage:
    """One step of approval: `quorum` different approvers."""

    name: str
    approvers: Approvers
    quorum: int = 1


@dataclass(frozen=True, slots=True)
class BreakGlass:
    """Access at once for some, to be reviewed afterwards."""

    subjects: SubjectMatch
    max_duration: timedelta
    review: SubjectMatch
    review_within: timedelta


@dataclass(frozen=True, slots=True)
class Workflow:
    name: str
    match: tuple[Target, ...]
    stages: tuple[Stage, ...]
    max_duration: timedelta | None = None
    request_expires_after: timedelta | None = None
    break_glass: BreakGlass | None = None
    escalate_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class Vote:
    """One person's word in one stage; `instead_of` whom they decided as a delegate.

    narrowed    of an approval in part: {fields, unmask, until} that it left of the request
    escalated   decided by somebody who manages, since no approver answered
    """

    by: str
    stage: str
    verdict: str  # approve | deny
    at: datetime
    comment: str = ""
    instead_of: str | None = None
    narrowed: Mapping[str, Any] | None = None
    escalated: bool = False


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
class Terms:
    """What a request is about: entries of `fields` and `unmask`, and the end of the access."""

    fields: tuple[str, ...]
    unmask: tuple[str, ...]
    valid_to: datetime

    def to_json(self) -> dict[str, Any]:
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

    fields        paths, tags or `*`: what the grant will open; `unmask` likewise: what it will show clear
    valid_from, valid_to    the wished life of the grant; expires_at: when an undecided request ends by itself
    stages        as the workflows asked for when it was made; `stage` counts from 0
    grant         the name of the grant it ended in
    break_glass   its grant was made at once; `expires_at` then says until when it must be reviewed
    ticket        id of it in another system        template   name of the template it was made from
    bundle        id that the requests of one bundle share: each is decided on its own
    extends       name of the grant whose end it asks to move
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
                request.requester, request.dataset, frozenset(request.wished.fields), frozenset(request.wished.unmask),
                request.purpose, request.rows, request.reason, request.break_glass, request.ticket, request.extends,
                request.template,
            )  # fmt: skip

        if wish(self) != wish(other):
            return False
        moved = other.created_at - self.created_at
        starts, ends = other.valid_from - self.valid_from, other.wished.valid_to - self.wished.valid_to
        if max(abs(starts), abs(ends)) <= _RETRIED:
            return True
        return (
            not self.break_glass and abs(moved) <= _LATER and abs(starts - moved) <= _RETRIED
            and min(abs(ends), abs(ends - moved)) <= _RETRIED and abs(self.valid_from - self.created_at) <= _RETRIED
        )  # fmt: skip

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

    def to_json(self) -> dict[str, Any]:
        """The request as the API gives it: `stage` is the name of the one that waits, None when none does."""
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
            "decisions": [{**asdict(vote), "at": rfc3339(vote.at)} for vote in self.votes],
            "grant": self.grant,
            "breakGlass": self.break_glass,
            "ticket": self.ticket,
            "bundle": self.bundle,
            "extends": self.extends,
            "template": self.template,
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
            data["id"], data["requester"], data["dataset"], tuple(data["fields"]), tuple(data["unmask"]),
            data["purpose"], _moment(data["from"]), _moment(data["until"]), _moment(data["createdAt"]),
            _moment(data["expiresAt"]), stages, data["rows"], data["reason"], RequestState(data["state"]),
            at[data["stage"]] if data["stage"] is not None else len(stages),
            tuple(Vote(**{**vote, "at": _moment(vote["at"])}) for vote in data["decisions"]), data["grant"],
            bool(data.get("breakGlass")), data.get("ticket") or "", data.get("bundle"), data.get("extends"),
            data.get("template"), Terms.from_json(data["asked"]) if data.get("asked") else None,
            tuple(
                Message(m["by"], _moment(m["at"]), m["kind"], m["text"], tuple(m["people"]))
                for m in data.get("thread", ())
            ),
            _moment(data["waitingSince"]) if data.get("waitingSince") else None,
            _moment(data["askedBackAt"]) if data.get("askedBackAt") else None, int(data.get("escalated") or 0),
        )  # fmt: skip


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def at(request: AccessRequest, now: datetime) -> AccessRequest:
    """The request as it stands at a moment: expired when its time is over, or when the access it asks for would be."""
    if request.state in UNDECIDED and now >= min(request.expires_at, request.valid_to):
        return replace(request, state=RequestState.EXPIRED)
    return request


def vote(
    request: AccessRequest,
    by: str,
    verdict: str,
    now: datetime,
    comment: str = "",
    instead_of: str | None = None,
    escalated: bool = False,
) -> AccessRequest:
    """One person's word in the stage that waits. Whether they are an approver of it is for the caller to know.

    Raises NotAllowed for one's own request, Conflict for a request that is decided or a second word in one stage.
    """
    request = at(request, now)
    if request.state not in OPEN:
        raise Conflict(
            f"Access request {request.id} is {request.state}, so it cannot be decided any more.",
            details={"id": request.id, "state": str(request.state)},
        )
    if by == request.requester:
        raise NotAllowed(
            f"{by} made access request {request.id} and cannot decide it; another approver must.",
            details={"id": request.id, "reasons": ["nobody decides their own request"]},
        )
    stage = request.current
    if any(v.by == by and v.stage == stage.name for v in request.votes):
        raise Conflict(
            f"{by} has decided stage {stage.name!r} of access request {request.id} already; others must follow.",
            details={"id": request.id, "stage": stage.name},
        )
    cast = Vote(by, stage.name, verdict, now, comment, instead_of, None, escalated)
    # Somebody answered, so the clock of escalation begins again.
    state = RequestState.PENDING if request.state is RequestState.ASKED_BACK else request.state
    voted = replace(
        request, votes=(*request.votes, cast), state=state, waiting_since=now, asked_back_at=None, escalated=0
    )
    if verdict == "deny":
        return replace(voted, state=RequestState.DENIED)
    if len(voted.voted(stage.name)) < stage.quorum:
        return voted
    if request.stage + 1 < len(request.stages):
        return replace(voted, stage=request.stage + 1)
    return replace(voted, state=RequestState.APPROVED, stage=len(request.stages))


def cancel(request: AccessRequest, now: datetime) -> AccessRequest:
    """Take a pending request back. Raises Conflict when it is decided."""
    request = at(request, now)
    if request.state not in UNDECIDED:
        raise Conflict(
            f"Access request {request.id} is {request.state}, so it cannot be cancelled.",
            details={"id": request.id, "state": str(request.state)},
        )
    return replace(request, state=RequestState.CANCELLED)


def joined(workflows: Iterable[Workflow]) -> tuple[Stage, ...]:
    """The stages of several workflows, in order of their names; the same step twice is asked for once.

    Two different stages of one name are told apart by the workflow's name.
    """
    stages: list[Stage] = []
    for workflow in sorted(workflows, key=lambda w: w.name):
        for stage in workflow.stages:
            if any((s.approvers, s.quorum) == (stage.approvers, stage.quorum) for s in stages):
                continue
            taken = any(s.name == stage.name for s in stages)
            stages.append(replace(stage, name=f"{workflow.name}/{stage.name}") if taken else stage)
    return tuple(stages)


def of_sources(facts: DatasetFacts) -> tuple[Stage, ...]:
    """A stage for the owners of each topic that a stream view comes from, also through other views."""
    return tuple(Stage(f"owner of {topic}", Approvers(owners=True, of=topic)) for topic in sorted(facts.topics))


def extended(request: AccessRequest, required: Iterable[Stage]) -> AccessRequest:
    """With the stages added that are asked for now and were not when the request was made."""
    more = [s for s in required if not any((s.approvers, s.quorum) == (o.approvers, o.quorum) for o in request.stages)]
    taken = {s.name for s in request.stages}
    added = [replace(s, name=f"{s.name} (added)") if s.name in taken else s for s in more]
    return replace(request, stages=(*request.stages, *added)) if added else request
