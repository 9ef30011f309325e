"""`/access-requests`, `/request-templates`: ask, decide, talk."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import Query

from api.edge.parameters import Limit, Name, Offset, Text
from api.features.access_requests import answers
from api.features.access_requests.bodies import (
    AccessRequestBody,
    ApprovalBody,
    BreakGlassBody,
    BundleBody,
    DenialBody,
    MessageBody,
    TemplateUseBody,
)
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Reader, Readers
from catalog.errors import DatasetNotFound
from policies.declared.access_specs import RequestTemplateSpec
from policies.model import Subject
from policies.requests.approvals import Approvals
from policies.requests.bundles import Bundles, no_template
from policies.requests.view import RequestView

router = FeatureRouter(tags=["access"])

APPROVER = needs(others="approvers of its present stage, never the requester", unseen=True, scope="request")


@router.post(
    "/access-requests",
    dependencies=[signed_in("for a dataset that the caller may know of", scope="request", agents=True)],
    status_code=201,
)
def create(
    approvals: From[Approvals], view: From[RequestView], readers: From[Readers], caller: Caller, body: AccessRequestBody
) -> answers.AccessRequest:
    """Request to see fields unmasked, for a purpose and a time."""
    request = approvals.create(
        caller,
        _reference(readers, caller, body.dataset),
        fields=body.fields,
        purpose=body.purpose,
        valid_from=body.from_,
        valid_to=body.until,
        rows=body.rows,
        unmask=body.unmask,
        reason=body.reason,
        ticket=body.ticket,
        consumer=body.consumer,
    )
    return answers.AccessRequest.of(view.one(caller, request))


@router.post(
    "/access-requests/break-glass",
    dependencies=[signed_in("where a workflow lets the caller; 403 otherwise", scope="request")],
    status_code=201,
)
def break_glass(
    approvals: From[Approvals], view: From[RequestView], readers: From[Readers], caller: Caller, body: BreakGlassBody
) -> answers.AccessRequest:
    """Take access at once, where a workflow lets the caller; short, audited, and reviewed afterwards."""
    request = approvals.emergency.use(
        caller,
        _reference(readers, caller, body.dataset),
        body.fields,
        purpose=body.purpose,
        reason=body.reason,
        lasting=timedelta(minutes=body.minutes) if body.minutes is not None else None,
        rows=body.rows,
    )
    return answers.AccessRequest.of(view.one(caller, request))


@router.post(
    "/access-requests/bundle",
    dependencies=[signed_in("for datasets that the caller may know of", scope="request", agents=True)],
    status_code=201,
)
def create_bundle(
    bundles: From[Bundles], view: From[RequestView], readers: From[Readers], caller: Caller, body: BundleBody
) -> answers.RequestBundle:
    """Ask for several datasets at once: all parts are made or none, and each is decided on its own."""
    references = [_reference(readers, caller, each) for each in body.datasets]
    return answers.RequestBundle.of(view.show(caller, bundles.create(caller, references, body.wish())))


@router.get("/access-requests", dependencies=[signed_in("and those that the caller may decide", agents=True)])
def list_requests(
    approvals: From[Approvals],
    view: From[RequestView],
    caller: Caller,
    state: Annotated[
        Text | None, Query(description="pending, asked-back, review, approved, denied, cancelled or expired.")
    ] = None,
    mine: Annotated[bool, Query(description="Only the caller's own.")] = False,
    toDecide: Annotated[bool, Query(description="Only those that wait for the caller's word.")] = False,
    bundle: Annotated[Text | None, Query(description="Only those of this bundle.")] = None,
    limit: Limit = 100,
    offset: Offset = 0,
) -> answers.AccessRequests:
    """The caller's requests and those they may decide, newest first.

    Each with `canDecide`, what it `opens` and how many `holders` see that unmasked already.
    """
    requests = approvals.list(caller, state, mine=mine, to_decide=toDecide, bundle=bundle)
    page = view.show(caller, requests[offset : offset + limit])
    return answers.AccessRequests(requests=[answers.AccessRequest.of(each) for each in page], total=len(requests))


@router.get(
    "/access-requests/{id}",
    dependencies=[needs("audit:read", "manage", others="its requester and approvers", unseen=True, agents=True)],
)
def get_request(approvals: From[Approvals], view: From[RequestView], caller: Caller, id: Name) -> answers.AccessRequest:
    """One request, for its requester and its approvers."""
    return answers.AccessRequest.of(view.one(caller, approvals.get(caller, id)))


@router.post("/access-requests/{id}/approve", dependencies=[APPROVER])
def approve(
    approvals: From[Approvals], view: From[RequestView], caller: Caller, id: Name, body: ApprovalBody | None = None
) -> answers.AccessRequest:
    """Approve the present stage, in whole or in part; the last stage makes the grant."""
    approval = body or ApprovalBody()
    approved = approvals.approve(caller, id, approval.reason, approval.part())
    return answers.AccessRequest.of(view.one(caller, approved))


@router.post("/access-requests/{id}/deny", dependencies=[APPROVER])
def deny(
    approvals: From[Approvals], view: From[RequestView], caller: Caller, id: Name, body: DenialBody | None = None
) -> answers.AccessRequest:
    """Deny; that ends the request."""
    denial = body or DenialBody()
    return answers.AccessRequest.of(view.one(caller, approvals.deny(caller, id, denial.reason)))


@router.post(
    "/access-requests/{id}/cancel",
    dependencies=[needs("manage", others="its requester", unseen=True, scope="request")],
)
def cancel(approvals: From[Approvals], view: From[RequestView], caller: Caller, id: Name) -> answers.AccessRequest:
    """Withdraw one's own request."""
    return answers.AccessRequest.of(view.one(caller, approvals.cancel(caller, id)))


@router.post("/access-requests/{id}/ask-back", dependencies=[APPROVER])
def ask_back(
    approvals: From[Approvals], view: From[RequestView], caller: Caller, id: Name, body: MessageBody
) -> answers.AccessRequest:
    """Ask the requester something. The request waits for the answer, and is not escalated meanwhile."""
    return answers.AccessRequest.of(view.one(caller, approvals.ask_back(caller, id, body.text)))


@router.post(
    "/access-requests/{id}/comments",
    dependencies=[needs("audit:read", "manage", others="its requester and approvers", unseen=True, scope="request")],
)
def comment(
    approvals: From[Approvals], view: From[RequestView], caller: Caller, id: Name, body: MessageBody
) -> answers.AccessRequest:
    """Write into the thread of a request; the requester's comment answers a question."""
    return answers.AccessRequest.of(view.one(caller, approvals.comment(caller, id, body.text)))


@router.get("/request-templates", dependencies=[signed_in("those that the caller may use")])
def templates(bundles: From[Bundles], readers: From[Readers], caller: Caller) -> answers.RequestTemplates:
    """Requests that are often made (`kind: RequestTemplate`), those that the caller may use."""
    usable = _usable(bundles, readers, caller).items()
    return answers.RequestTemplates(templates=[answers.RequestTemplate.of(name, spec) for name, spec in usable])


@router.post(
    "/request-templates/{name}/requests",
    dependencies=[signed_in("of a template that the caller may use", scope="request")],
    status_code=201,
)
def use_template(
    bundles: From[Bundles],
    readers: From[Readers],
    view: From[RequestView],
    caller: Caller,
    name: Name,
    body: TemplateUseBody | None = None,
) -> answers.RequestBundle:
    """Make the requests that a template describes."""
    use = body or TemplateUseBody()
    if name not in _usable(bundles, readers, caller):
        raise no_template(name)
    created = bundles.from_template(caller, name, use.reason, use.ticket, use.until)
    return answers.RequestBundle.of(view.show(caller, created))


def _usable(bundles: Bundles, readers: Readers, caller: Subject) -> dict[str, RequestTemplateSpec]:
    """The templates that a caller may use and that name no dataset which they may not know of."""
    reader, declared = readers.of(caller), bundles.templates(caller)
    if reader.horizon is None:
        return declared
    return {name: spec for name, spec in declared.items() if all(_is_known(reader, each) for each in spec.datasets)}


def _is_known(reader: Reader, dataset: str) -> bool:
    try:
        reader.datasets.find(dataset)
    except DatasetNotFound:
        return False
    return True


def _reference(readers: Readers, caller: Subject, dataset: str) -> str:
    """`CLUSTER/TOPIC` of a dataset as the caller may write it. Raises DatasetNotFound, also where the caller may not know of it."""
    datasets = readers.of(caller).datasets
    return datasets.get(datasets.find(dataset)).reference
