"""`/access-requests`, `/grants`: ask, decide, end."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict, Field

from api.auth import Caller, ServicesOf
from api.bootstrap import now
from api.routes.names import Limit, Name, Offset
from policies.grants import grant_json

router = APIRouter(tags=["access"])


class AccessAsked(BaseModel):
    """What is asked for."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)

    dataset: str = Field(examples=["prod/orders"])
    fields: list[str] = Field(["*"], min_length=1, description="Field paths or tags; * for all.")
    purpose: str = Field(min_length=1, examples=["spring-campaign"])
    from_: datetime | None = Field(None, alias="from", description="Now when absent.")
    until: datetime | None = Field(
        None, description="The longest the workflow or setting allows by default when absent."
    )
    rows: str | None = Field(None, description="A Spark SQL condition on the stored rows.")
    unmask: list[str] | None = Field(None, description="Which of them to show clear: all when absent, none when empty.")
    reason: str = Field("", max_length=2000, description="A word to the approvers.")


class Word(BaseModel):
    """An approver's or requester's word."""

    reason: str = Field("", max_length=2000)


@router.post("/access-requests", status_code=201)
def ask(built: ServicesOf, subject: Caller, body: AccessAsked) -> Any:
    """Ask to see fields clear, for a purpose and a time."""
    reference = built.datasets.get(built.datasets.find(body.dataset)).reference
    return built.approvals.create(
        subject,
        reference,
        fields=body.fields,
        purpose=body.purpose,
        valid_from=body.from_,
        valid_to=body.until,
        rows=body.rows,
        unmask=body.unmask,
        reason=body.reason,
    ).to_json()


@router.get("/access-requests")
def list_requests(
    built: ServicesOf,
    subject: Caller,
    state: Annotated[str | None, Query(description="pending, approved, denied, cancelled or expired.")] = None,
    mine: Annotated[bool, Query(description="Only the caller's own.")] = False,
    toDecide: Annotated[bool, Query(description="Only those that wait for the caller's word.")] = False,
    limit: Limit = 100,
    offset: Offset = 0,
) -> Any:
    """The caller's requests and those they may decide, newest first."""
    found = built.approvals.list(subject, state, mine=mine, to_decide=toDecide)
    return {"requests": [r.to_json() for r in found[offset : offset + limit]], "total": len(found)}


@router.get("/access-requests/{id}")
def get_request(built: ServicesOf, subject: Caller, id: Name) -> Any:
    """One request, for its requester and its approvers."""
    return built.approvals.get(subject, id).to_json()


@router.post("/access-requests/{id}/approve")
def approve(built: ServicesOf, subject: Caller, id: Name, body: Word | None = None) -> Any:
    """Approve the present stage; the last stage makes the grant."""
    return built.approvals.approve(subject, id, (body or Word()).reason).to_json()


@router.post("/access-requests/{id}/deny")
def deny(built: ServicesOf, subject: Caller, id: Name, body: Word | None = None) -> Any:
    """Deny; that ends the request."""
    return built.approvals.deny(subject, id, (body or Word()).reason).to_json()


@router.post("/access-requests/{id}/cancel")
def cancel(built: ServicesOf, subject: Caller, id: Name) -> Any:
    """Withdraw one's own request."""
    return built.approvals.cancel(subject, id).to_json()


@router.get("/grants")
def list_grants(built: ServicesOf, subject: Caller) -> Any:
    """The caller's grants; all of them for those who manage or report."""
    return {"grants": [grant_json(g, now()) for g in built.grants.list(subject, everybody=True)]}


@router.delete("/grants/{name}")
def revoke(built: ServicesOf, subject: Caller, name: Name, reason: str = "") -> Any:
    """End a grant now. Queries admitted after this answer no longer see it; live ones end."""
    return grant_json(built.grants.revoke(subject, name, reason), now())
