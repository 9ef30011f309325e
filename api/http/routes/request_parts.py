"""`/access-requests`, deepened: threads, extensions, bundles, templates."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Instant, Name
from api.guard.guards import Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.http.routes.access import reference, shown
from api.http.schemas import access as schemas
from api.wiring.instance import Instance
from policies.access_request import AccessRequest
from policies.model import Subject
from policies.requests.approvals import Approvals
from policies.requests.bundles import MOST_PARTS, Bundles, Wish
from policies.requests.extensions import Extensions
from policies.requests.view import RequestView

router = APIRouter(tags=["access"])


class Text(RequestBody):
    """What somebody writes into a request's thread."""

    text: str = Field(min_length=1, max_length=2000)


class Later(RequestBody):
    """A later end of a grant."""

    until: Instant
    reason: str = Field("", max_length=2000, description="A word to the approvers.")
    ticket: str = Field("", max_length=100, description="Id of a ticket in another system.")


class BundleAsked(RequestBody):
    """What is asked of several datasets at once."""

    datasets: list[str] = Field(min_length=1, max_length=MOST_PARTS, examples=[["prod/orders", "prod/payments"]])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags that each of them has; * for all.")
    purpose: str = Field(min_length=1, max_length=253)
    from_: Instant | None = Field(None, alias="from", description="Now when absent.")
    until: Instant | None = None
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows of each.")
    unmask: list[str] | None = Field(None, description="All fields without masks when absent, none when empty.")
    reason: str = Field("", max_length=2000, description="A word to the approvers.")
    ticket: str = Field("", max_length=100)


class TemplateUsed(RequestBody):
    """What a template leaves open."""

    reason: str = Field("", max_length=2000, description="The template's text when empty.")
    ticket: str = Field("", max_length=100)
    until: Instant | None = Field(None, description="An earlier end than the template's duration gives.")


@router.post(
    "/access-requests/{id}/ask-back",
    dependencies=[needs(others="approvers of its present stage, never the requester", unseen=True, scope="request")],
    responses=answers_with(schemas.AccessRequest),
)
def ask_back(built: InstanceOf, subject: Caller, id: Name, body: Text) -> Any:
    """Ask the requester something. The request waits for the answer, and is not escalated meanwhile."""
    return shown(built, subject, built[Approvals].ask_back(subject, id, body.text))


@router.post(
    "/access-requests/{id}/comments",
    dependencies=[needs("audit:read", "manage", others="its requester and approvers", unseen=True, scope="request")],
    responses=answers_with(schemas.AccessRequest),
)
def comment(built: InstanceOf, subject: Caller, id: Name, body: Text) -> Any:
    """Write into the thread of a request; the requester's comment answers a question."""
    return shown(built, subject, built[Approvals].comment(subject, id, body.text))


@router.post(
    "/grants/{name}/extend",
    dependencies=[needs(others="its holder", scope="request")],
    status_code=201,
    responses=answers_with(schemas.AccessRequest, status=201),
)
def extend(built: InstanceOf, subject: Caller, name: Name, body: Later) -> Any:
    """Ask that a grant of one's own ends later. Its end moves when the request is approved."""
    created = built[Extensions].extend(subject, name, body.until, body.reason, body.ticket)
    return shown(built, subject, created)


@router.post(
    "/access-requests/bundle",
    dependencies=[signed_in("for datasets that the caller may know of", scope="request")],
    status_code=201,
    responses=answers_with(schemas.RequestBundle, status=201),
)
def ask_bundle(built: InstanceOf, subject: Caller, body: BundleAsked) -> Any:
    """Ask for several datasets at once: all parts are made or none, and each is decided on its own."""
    wish = Wish(
        fields=tuple(body.fields),
        purpose=body.purpose,
        valid_from=body.from_,
        valid_to=body.until,
        rows=body.rows,
        unmask=tuple(body.unmask) if body.unmask is not None else None,
        reason=body.reason,
        ticket=body.ticket,
    )
    return _bundle(
        built,
        subject,
        built[Bundles].create(subject, [reference(built, subject, each) for each in body.datasets], wish),
    )


@router.get(
    "/request-templates",
    dependencies=[signed_in("those that the caller may use")],
    responses=answers_with(schemas.RequestTemplates),
)
def templates(built: InstanceOf, subject: Caller) -> Any:
    """Requests that are often made (`kind: RequestTemplate`), those that the caller may use."""
    return {"templates": built[Bundles].templates(subject)}


@router.post(
    "/request-templates/{name}/requests",
    dependencies=[signed_in("of a template that the caller may use", scope="request")],
    status_code=201,
    responses=answers_with(schemas.RequestBundle, status=201),
)
def use_template(built: InstanceOf, subject: Caller, name: Name, body: TemplateUsed | None = None) -> Any:
    """Make the requests that a template describes."""
    use = body or TemplateUsed()
    return _bundle(built, subject, built[Bundles].from_template(subject, name, use.reason, use.ticket, use.until))


def _bundle(built: Instance, subject: Subject, created: list[AccessRequest]) -> Any:
    bundles = {request.bundle for request in created}
    return {
        "bundle": bundles.pop() if len(bundles) == 1 else None,
        "requests": built[RequestView].show(subject, created),
    }
