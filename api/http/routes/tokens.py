"""`/tokens`, `/me`: who one is, and API tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from api.http.callers.auth import Caller, Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Count, Name
from api.http.schemas.identity import CreatedToken, Me, RevokedToken, Tokens
from catalog.records import rfc3339
from policies.declared.spec_parts import PERMISSIONS

router = APIRouter(tags=["identity"])


class TokenAsked(BaseModel):
    """Whose token, valid for how long."""

    model_config = ConfigDict(extra="forbid")

    user: str = Field(min_length=1, examples=["ana"])
    days: Count | None = Field(None, le=3650)
    name: str = Field("", max_length=200, description="What it is for.")


@router.get("/me", responses=answers_with(Me))
def me(built: ServicesOf, subject: Caller) -> Any:
    """The caller: groups, roles, and what they may do.

    `capabilities` has every permission there is: whether the caller holds it, and who does (`roles`, `users`).
    """
    permissions = built.identity.permissions(subject)
    return {
        "user": subject.user,
        "groups": sorted(subject.groups),
        "roles": sorted(subject.roles),
        "permissions": sorted(permissions),
        "capabilities": {
            permission: {"allowed": permission in permissions, **built.identity.holders(permission)}
            for permission in sorted(PERMISSIONS)
        },
    }


@router.post("/tokens", status_code=201, responses=answers_with(CreatedToken, status=201))
def create(built: ServicesOf, subject: Manager, body: TokenAsked) -> Any:
    """Make a token. Its text is in this answer only: Weir keeps a hash."""
    ttl = timedelta(days=body.days) if body.days else None
    made = built.identity.create_token(body.user, ttl, body.name)
    built.record(subject, "token.create", body.user, "allow", [made.id])
    return {"id": made.id, "user": body.user, "token": made.text, "expires_at": rfc3339(made.expires_at)}


@router.get("/tokens", responses=answers_with(Tokens))
def list_tokens(built: ServicesOf, _: Manager) -> Any:
    """Tokens without their text."""
    return {
        "tokens": [
            {
                "id": token.id,
                "user": token.user,
                "name": token.name,
                "created_at": rfc3339(token.created_at),
                "expires_at": rfc3339(token.expires_at),
                "revoked_at": rfc3339(token.revoked_at),
            }
            for token in built.identity.tokens()
        ]
    }


@router.delete("/tokens/{id}", responses=answers_with(RevokedToken))
def revoke(built: ServicesOf, subject: Manager, id: Name) -> Any:
    """End a token now."""
    built.identity.revoke(id)
    built.record(subject, "token.revoke", id, "allow", [])
    return {"id": id, "revoked": True}
