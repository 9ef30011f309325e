"""Answers of `/access-requests`, `/grants`, `/me/delegation`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about, absent


class Approvers(Answer):
    """Who may decide a stage."""

    owners: Literal[True] = absent("The owners of the dataset, or of the one in `of`.")
    of: str = absent("Of a stream view: a topic that its rows come from.")
    users: list[str] = absent()
    groups: list[str] = absent()
    roles: list[str] = absent()


class RequestStage(Answer):
    """One step of approval."""

    name: str
    approvers: Approvers
    quorum: int = about("So many different approvers.")
    approvedBy: list[str]


class RequestTerms(Answer):
    """What a request is about."""

    fields: list[str]
    unmask: list[str]
    until: Time


class RequestDecision(Answer):
    """One person's word in one stage."""

    by: str
    stage: str
    verdict: Literal["approve", "deny"]
    at: Time
    comment: str
    instead_of: str | None = about("In whose place they decided.")
    narrowed: RequestTerms | None = about("Of an approval in part: what it left.")
    escalated: bool = about("Decided by somebody who manages, since no approver answered.")


class RequestMessage(Answer):
    """One entry of a request's thread."""

    by: str = about("A person; `weir` of an escalation.")
    at: Time
    kind: Literal["comment", "question", "answer", "escalation"]
    text: str
    people: list[str] = about("Of an escalation: who was notified.")


class OpenedField(Answer):
    """A field that the grant opens."""

    path: str
    entities: list[str] = about("Kinds of personal data in it.")
    clear: bool = about("Shown without masks.")


class AccessRequest(Answer):
    """What somebody asks for, and how far it has come."""

    id: str
    state: Literal["pending", "asked-back", "review", "approved", "denied", "cancelled", "expired"]
    stage: str | None = about("Name of the one that waits.")
    requester: str
    dataset: str = about("CLUSTER/TOPIC.")
    fields: list[str] = about("Paths, tags or *.")
    unmask: list[str] = about("Which of them to show unmasked.")
    rows: str | None = about("A Spark SQL condition.")
    purpose: str
    reason: str
    from_: Time = about("Wished begin of the grant.", alias="from")
    until: Time = about("Wished end of the grant.")
    createdAt: Time
    expiresAt: Time = about("When an undecided request ends by itself; of break-glass, until when it must be reviewed.")
    stages: list[RequestStage]
    decisions: list[RequestDecision]
    grant: str | None = about("Name of the grant it ended in.")
    breakGlass: bool = about("Its grant was made at once.")
    ticket: str = about("Id of a ticket in another system; empty without one.")
    bundle: str | None = about("Id that requests made together share.")
    extends: str | None = about("The grant whose end it asks to move.")
    template: str | None = about("The template it was made from.")
    asked: RequestTerms | None = about("What was requested at first, where an approval in part left less.")
    thread: list[RequestMessage]
    waitingSince: Time | None = about("Begin of the wait that escalation counts; null: since it was made.")
    askedBackAt: Time | None = about("Since when it waits for the requester's answer.")
    escalated: int = about("1: delegates were notified, 2: those who manage.")
    can_decide: bool = about("The caller may decide the stage that waits.")
    instead_of: str | None = about("In whose place the caller would decide.")
    opens: list[OpenedField]
    holders: int | None = about("Other users who see all of it unmasked; null where the caller may not decide.")
    deciders: list[str] = about("People who can decide the stage that waits.")
    usual_seconds: float | None = about("Median seconds until requests for the dataset were decided.")
    reviewBy: Time | None = about("Of break-glass.")
    overdue: bool


class AccessRequests(Answer):
    """A page of requests, newest first."""

    requests: list[AccessRequest]
    total: int


class RequestBundle(Answer):
    """Requests that were made together; each is decided on its own."""

    bundle: str | None = about("The id they share; null for a single one.")
    requests: list[AccessRequest]


class RequestTemplate(Answer):
    """An access request that is often made."""

    name: str
    description: str
    datasets: list[str]
    fields: list[str]
    unmask: list[str] | None = about("Null: all fields without masks.")
    rows: str | None
    purpose: str
    duration: str = about("30d, 12h, ...")
    seconds: float = about("The same in seconds.")
    reason: str


class RequestTemplates(Answer):
    """Templates that the caller may use."""

    templates: list[RequestTemplate]


class GrantSubject(Answer):
    """Who has a grant: one of the three."""

    user: str = absent()
    group: str = absent()
    role: str = absent()


class Grant(Answer):
    """What somebody may see, for a purpose and a time."""

    name: str
    status: str = about("approved, revoked, expired, ...")
    active: bool = about("It holds now.")
    subject: GrantSubject
    dataset: str = about("CLUSTER/TOPIC, or a pattern.")
    fields: list[str]
    unmask: list[str]
    rows: str | None = about("A Spark SQL condition.")
    purpose: str
    validFrom: Time
    validTo: Time
    requestedBy: str | None
    approvedBy: list[str]
    breakGlass: bool


class ListedGrant(Grant):
    """A grant in the list."""

    may_revoke: bool = about("The caller may end it.")
    may_extend: bool = about("The caller may ask that it ends later.")


class Grants(Answer):
    """The caller's grants; all of them for those who manage or report."""

    grants: list[ListedGrant]


class Delegation(Answer):
    """Who decides in one's place, and until when."""

    user: str
    delegates: list[str]
    from_: Time = about("From then on.", alias="from")
    until: Time
    active: bool = about("It holds now.")


class Delegations(Answer):
    """Who decides in the caller's place, and in whose place the caller may decide now."""

    delegation: Delegation | None
    insteadOf: list[str]


class EndedDelegation(Answer):
    """A delegation that ended."""

    user: str
    ended: Literal[True]
