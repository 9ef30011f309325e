"""`/access-requests`, `/grants`: ask, decide, end."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Count, Instant, Limit, Name, Offset, Text
from api.guard.guards import Caller, case, needs, signed_in
from api.guard.services import InstanceOf
from api.http.schemas import access as schemas
from api.visibility.readers import Readers
from api.wiring.clock import now
from api.wiring.instance import Instance
from policies.access.grants import Grants, grant_json
from policies.access_request import AccessRequest
from policies.model import Subject
from policies.requests.approvals import Approvals
from policies.requests.extensions import Extensions
from policies.requests.narrowing import Part
from policies.requests.view import RequestView

router = APIRouter(tags=["access"])


class AccessAsked(RequestBody):
    """What is asked for."""

    dataset: str = Field(examples=["prod/orders"])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags; * for all.")
    purpose: str = Field(min_length=1, max_length=253, examples=["spring-campaign"])
    from_: Instant | None = Field(None, alias="from", description="Now when absent.")
    until: Instant | None = Field(
        None, description="The longest the workflow or setting allows by default when absent."
    )
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows.")
    unmask: list[str] | None = Field(
        None, description="Which of them to show unmasked: all when absent, none when empty."
    )
    reason: str = Field("", max_length=2000, description="A word to the approvers.")
    ticket: str = Field("", max_length=100, description="Id of a ticket in another system.", examples=["DATA-123"])


class Approval(RequestBody):
    """An approver's word. What is given of fields, unmask and until makes it an approval in part."""

    reason: str = Field("", max_length=2000)
    fields: list[str] | None = Field(
        None, min_length=1, max_length=1000, description="Which of the fields; all when absent."
    )
    unmask: list[str] | None = Field(
        None, max_length=1000, description="Which of them without masks: as requested when absent, none when empty."
    )
    until: Instant | None = Field(None, description="An earlier end than the requested one.")


class Word(RequestBody):
    """An approver's or requester's word."""

    reason: str = Field("", max_length=2000)


class Emergency(RequestBody):
    """What is needed at once."""

    dataset: str = Field(examples=["prod/orders"])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags; * for all.")
    purpose: str = Field(min_length=1, max_length=253, examples=["incident"])
    reason: str = Field(min_length=1, max_length=2000, description="Why it cannot wait; it is in the audit.")
    minutes: Count | None = Field(
        None, le=525_600, description="For how long; as long as the workflow allows when absent."
    )
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows.")


class Absence(RequestBody):
    """Who decides in one's place, and until when."""

    delegates: list[str] = Field(min_length=1, max_length=20)
    from_: Instant | None = Field(None, alias="from", description="Now when absent.")
    until: Instant
    user: str | None = Field(None, description="Whose place, for those who manage; one's own when absent.")


def shown(built: Instance, subject: Subject, request: AccessRequest) -> Any:
    """A request as the caller sees it."""
    return built[RequestView].show(subject, [request])[0]


def reference(built: Instance, subject: Subject, dataset: str) -> str:
    """`CLUSTER/TOPIC` of a dataset as the caller may write it. Raises DatasetNotFound, also where the caller may not know of it."""
    datasets = built[Readers].of(subject).datasets
    return datasets.get(datasets.find(dataset)).reference


@router.post(
    "/access-requests",
    dependencies=[signed_in("for a dataset that the caller may know of", scope="request")],
    status_code=201,
    responses=answers_with(schemas.AccessRequest, status=201),
)
def ask(built: InstanceOf, subject: Caller, body: AccessAsked) -> Any:
    """Request to see fields unmasked, for a purpose and a time."""
    request = built[Approvals].create(
        subject,
        reference(built, subject, body.dataset),
        fields=body.fields,
        purpose=body.purpose,
        valid_from=body.from_,
        valid_to=body.until,
        rows=body.rows,
        unmask=body.unmask,
        reason=body.reason,
        ticket=body.ticket,
    )
    return shown(built, subject, request)


@router.post(
    "/access-requests/break-glass",
    dependencies=[signed_in("where a workflow lets the caller; 403 otherwise", scope="request")],
    status_code=201,
    responses=answers_with(schemas.AccessRequest, status=201),
)
def break_glass(built: InstanceOf, subject: Caller, body: Emergency) -> Any:
    """Take access at once, where a workflow lets the caller; short, audited, and reviewed afterwards."""
    grant = built[Approvals].emergency.use(
        subject,
        reference(built, subject, body.dataset),
        body.fields,
        purpose=body.purpose,
        reason=body.reason,
        lasting=timedelta(minutes=body.minutes) if body.minutes is not None else None,
        rows=body.rows,
    )
    return shown(built, subject, grant)


@router.get(
    "/access-requests",
    dependencies=[signed_in("and those that the caller may decide")],
    responses=answers_with(schemas.AccessRequests),
)
def list_requests(
    built: InstanceOf,
    subject: Caller,
    state: Annotated[
        Text | None, Query(description="pending, asked-back, review, approved, denied, cancelled or expired.")
    ] = None,
    mine: Annotated[bool, Query(description="Only the caller's own.")] = False,
    toDecide: Annotated[bool, Query(description="Only those that wait for the caller's word.")] = False,
    bundle: Annotated[Text | None, Query(description="Only those of this bundle.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Any:
    """The caller's requests and those they may decide, newest first.

    Each with `canDecide`, what it `opens` and how many `holders` see that unmasked already.
    """
    requests = built[Approvals].list(subject, state, mine=mine, to_decide=toDecide, bundle=bundle)
    shown = built[RequestView].show(subject, requests[offset : offset + limit])
    return {"requests": shown, "total": len(requests)}


@router.get(
    "/access-requests/{id}",
    dependencies=[needs("audit:read", "manage", others="its requester and approvers", unseen=True)],
    responses=answers_with(schemas.AccessRequest),
)
def get_request(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """One request, for its requester and its approvers."""
    return shown(built, subject, built[Approvals].get(subject, id))


@router.post(
    "/access-requests/{id}/approve",
    dependencies=[needs(others="approvers of its present stage, never the requester", unseen=True, scope="request")],
    responses=answers_with(schemas.AccessRequest),
)
def approve(built: InstanceOf, subject: Caller, id: Name, body: Approval | None = None) -> Any:
    """Approve the present stage, in whole or in part; the last stage makes the grant."""
    word = body or Approval()
    part = Part(
        tuple(word.fields) if word.fields is not None else None,
        tuple(word.unmask) if word.unmask is not None else None,
        word.until,
    )
    return shown(built, subject, built[Approvals].approve(subject, id, word.reason, part))


@router.post(
    "/access-requests/{id}/deny",
    dependencies=[needs(others="approvers of its present stage, never the requester", unseen=True, scope="request")],
    responses=answers_with(schemas.AccessRequest),
)
def deny(built: InstanceOf, subject: Caller, id: Name, body: Word | None = None) -> Any:
    """Deny; that ends the request."""
    return shown(built, subject, built[Approvals].deny(subject, id, (body or Word()).reason))


@router.post(
    "/access-requests/{id}/cancel",
    dependencies=[needs("manage", others="its requester", unseen=True, scope="request")],
    responses=answers_with(schemas.AccessRequest),
)
def cancel(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """Withdraw one's own request."""
    return shown(built, subject, built[Approvals].cancel(subject, id))


@router.get(
    "/grants",
    dependencies=[signed_in("all for `manage` and `report:read`; those of a dataset for its owners")],
    responses=answers_with(schemas.Grants),
)
def list_grants(built: InstanceOf, subject: Caller) -> Any:
    """The caller's grants; all of them for those who manage or report. `mayRevoke`: whether the caller may end it."""
    return {
        "grants": [
            {
                **grant_json(g, now()),
                "mayRevoke": built[Grants].may_revoke(subject, g),
                "mayExtend": built[Extensions].may_extend(subject, g.name),
            }
            for g in built[Grants].list(subject, everybody=True)
        ]
    }


@router.delete(
    "/grants/{name}",
    dependencies=[
        needs("manage", others="its holder, its approvers, owners of the dataset", unseen=True, scope="request")
    ],
    responses=answers_with(schemas.Grant),
)
def revoke(built: InstanceOf, subject: Caller, name: Name, reason: Text = "") -> Any:
    """End a grant now. Queries admitted after this answer no longer see it; live ones end."""
    return grant_json(built[Grants].revoke(subject, name, reason), now())


@router.get("/me/delegation", dependencies=[signed_in("the caller's own")], responses=answers_with(schemas.Delegations))
def delegation(built: InstanceOf, subject: Caller) -> Any:
    """Who decides in the caller's place, and in whose place the caller may decide now."""
    current = built[Approvals].delegations.of(subject.user)
    return {
        "delegation": current.to_json(now()) if current is not None else None,
        "insteadOf": built[Approvals].delegations.for_delegate(subject.user),
    }


@router.put(
    "/me/delegation",
    dependencies=[signed_in("the caller's own", scope="request", cases={" (user: another)": case("manage")})],
    responses=answers_with(schemas.Delegation),
)
def delegate(built: InstanceOf, subject: Caller, body: Absence) -> Any:
    """Name who decides access requests in one's place for a time; replaces an earlier delegation."""
    current = built[Approvals].delegations.set(subject, body.delegates, body.until, body.from_, body.user)
    return current.to_json(now())


@router.delete(
    "/me/delegation",
    dependencies=[signed_in("the caller's own", scope="request")],
    responses=answers_with(schemas.EndedDelegation),
)
def end_delegation(built: InstanceOf, subject: Caller, user: Text | None = None) -> Any:
    """Decide for oneself again."""
    built[Approvals].delegations.end(subject, user)
    return {"user": user or subject.user, "ended": True}
