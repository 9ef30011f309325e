"""Answers of `/access-requests` and `/request-templates`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Literal, Self

from api.edge.answer import Answer, Time, about, absent
from catalog.records import rfc3339
from policies import workflow
from policies.access_request import OPEN, Message, Terms, Vote
from policies.declared.access_specs import RequestTemplateSpec
from policies.declared.spec_parts import duration
from policies.requests.view import ShownRequest


class Approvers(Answer):
    """Who may decide a stage."""

    owners: Literal[True] = absent("The owners of the dataset, or of the one in `of`.")
    of: str = absent("Of a stream view: a topic that its rows come from.")
    users: list[str] = absent()
    groups: list[str] = absent()
    roles: list[str] = absent()

    @classmethod
    def by(cls, approvers: workflow.Approvers) -> Self:
        """Those that are named, and no others."""
        people = {kind: sorted(getattr(approvers.people, kind)) for kind in ("users", "groups", "roles")}
        owners = {"owners": True} if approvers.owners else {}
        return cls(**owners, **({"of": approvers.of} if approvers.of else {}), **{k: v for k, v in people.items() if v})


class RequestStage(Answer):
    """One step of approval."""

    name: str
    approvers: Approvers
    quorum: int = about("So many different approvers.")
    approved_by: list[str]


class RequestTerms(Answer):
    """What a request is about."""

    fields: list[str]
    unmask: list[str]
    until: Time

    @classmethod
    def of(cls, terms: Terms) -> Self:
        return cls(fields=list(terms.fields), unmask=list(terms.unmask), until=rfc3339(terms.valid_to))


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

    @classmethod
    def of(cls, vote: Vote) -> Self:
        return cls(
            by=vote.by,
            stage=vote.stage,
            verdict=vote.verdict,
            at=rfc3339(vote.at),
            comment=vote.comment,
            instead_of=vote.instead_of,
            narrowed=RequestTerms.of(vote.narrowed) if vote.narrowed is not None else None,
            escalated=vote.escalated,
        )


class RequestMessage(Answer):
    """One entry of a request's thread."""

    by: str = about("A person; `weir` of an escalation.")
    at: Time
    kind: Literal["comment", "question", "answer", "escalation"]
    text: str
    people: list[str] = about("Of an escalation: who was notified.")

    @classmethod
    def of(cls, message: Message) -> Self:
        return cls(
            by=message.by, at=rfc3339(message.at), kind=message.kind, text=message.text, people=list(message.people)
        )


class RequestConsumer(Answer):
    """The Kafka consumer that an access is for."""

    principal: str = about("As the brokers name it: User:orders-app.")
    kind: Literal["user", "group", "serviceAccount"]
    name: str = about("Whom it is.")


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
    created_at: Time
    expires_at: Time = about(
        "When an undecided request ends by itself; of break-glass, until when it must be reviewed."
    )
    stages: list[RequestStage]
    decisions: list[RequestDecision]
    grant: str | None = about("Name of the grant it ended in.")
    break_glass: bool = about("Its grant was made at once.")
    ticket: str = about("Id of a ticket in another system; empty without one.")
    bundle: str | None = about("Id that requests made together share.")
    extends: str | None = about("The grant whose end it asks to move.")
    template: str | None = about("The template it was made from.")
    consumer: RequestConsumer | None = about(
        "The Kafka consumer that is to read; null: the requester reads through Weir."
    )
    asked: RequestTerms | None = about("What was requested at first, where an approval in part left less.")
    thread: list[RequestMessage]
    waiting_since: Time | None = about("Begin of the wait that escalation counts; null: since it was made.")
    asked_back_at: Time | None = about("Since when it waits for the requester's answer.")
    escalated: int = about("1: delegates were notified, 2: those who manage.")
    can_decide: bool = about("The caller may decide the stage that waits.")
    instead_of: str | None = about("In whose place the caller would decide.")
    opens: list[OpenedField]
    holders: int | None = about("Other users who see all of it unmasked; null where the caller may not decide.")
    deciders: list[str] = about("People who can decide the stage that waits.")
    usual_seconds: float | None = about("Median seconds until requests for the dataset were decided.")
    review_by: Time | None = about("Of break-glass.")
    overdue: bool

    @classmethod
    def of(cls, shown: ShownRequest) -> Self:
        request = shown.request
        return cls(
            id=request.id,
            state=request.state,
            stage=request.current.name if request.state in OPEN else None,
            requester=request.requester,
            dataset=request.dataset,
            fields=list(request.fields),
            unmask=list(request.unmask),
            rows=request.rows,
            purpose=request.purpose,
            reason=request.reason,
            from_=rfc3339(request.valid_from),
            until=rfc3339(request.valid_to),
            created_at=rfc3339(request.created_at),
            expires_at=rfc3339(request.expires_at),
            stages=[
                RequestStage(
                    name=stage.name,
                    approvers=Approvers.by(stage.approvers),
                    quorum=stage.quorum,
                    approved_by=sorted(request.voted(stage.name)),
                )
                for stage in request.stages
            ],
            decisions=[RequestDecision.of(each) for each in request.votes],
            grant=request.grant,
            break_glass=request.break_glass,
            ticket=request.ticket,
            bundle=request.bundle,
            extends=request.extends,
            template=request.template,
            consumer=RequestConsumer(**asdict(request.consumer)) if request.consumer is not None else None,
            asked=RequestTerms.of(request.asked) if request.asked is not None else None,
            thread=[RequestMessage.of(each) for each in request.thread],
            waiting_since=rfc3339(request.waiting_since),
            asked_back_at=rfc3339(request.asked_back_at),
            escalated=request.escalated,
            can_decide=shown.can_decide,
            instead_of=shown.instead_of,
            opens=[OpenedField(path=each.path, entities=list(each.entities), clear=each.clear) for each in shown.opens],
            holders=shown.holders,
            deciders=list(shown.deciders),
            usual_seconds=shown.usual_seconds,
            review_by=rfc3339(request.expires_at) if request.break_glass else None,
            overdue=shown.overdue,
        )


class AccessRequests(Answer):
    """A page of requests, newest first."""

    requests: list[AccessRequest]
    total: int


class RequestBundle(Answer):
    """Requests that were made together; each is decided on its own."""

    bundle: str | None = about("The id they share; null for a single one.")
    requests: list[AccessRequest]

    @classmethod
    def of(cls, shown: Sequence[ShownRequest]) -> Self:
        bundles = {each.request.bundle for each in shown}
        requests = [AccessRequest.of(each) for each in shown]
        return cls(bundle=bundles.pop() if len(bundles) == 1 else None, requests=requests)


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

    @classmethod
    def of(cls, name: str, spec: RequestTemplateSpec) -> Self:
        return cls(
            name=name,
            description=spec.description,
            datasets=list(spec.datasets),
            fields=list(spec.fields),
            unmask=list(spec.unmask) if spec.unmask is not None else None,
            rows=spec.rows,
            purpose=spec.purpose,
            duration=spec.duration,
            seconds=duration(spec.duration).total_seconds(),
            reason=spec.reason,
        )


class RequestTemplates(Answer):
    """Templates that the caller may use."""

    templates: list[RequestTemplate]
