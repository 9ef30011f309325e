"""`/tokens`, `/me`: who one is, and API tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from api.http.callers.auth import Caller, Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Count, Name, Place, Text
from api.http.schemas.base import RequestBody
from api.http.schemas.identity import CreatedToken, Me, RevokedToken, RotatedToken, Tokens
from catalog.records import rfc3339
from policies.access.api_tokens import NewToken
from policies.declared.spec_parts import PERMISSIONS

router = APIRouter(tags=["identity"])


class TokenAsked(RequestBody):
    """Whose token, valid for how long."""

    user: str = Field(min_length=1, examples=["ana"])
    days: Count | None = Field(None, le=3650)
    name: str = Field("", max_length=200, description="What it is for.")
    scopes: list[str] | None = Field(
        None,
        max_length=20,
        description="What it is limited to; all that the user may when absent.",
        examples=[["read"]],
    )


class RotationAsked(RequestBody):
    """How long the old token stays good beside the new one."""

    overlapHours: Place = Field(24, le=720)


@router.get("/me", responses=answers_with(Me))
def me(built: ServicesOf, subject: Caller) -> Any:
    """The caller: groups, roles, and what they may do.

    `capabilities` has every permission there is: whether the caller holds it, and who does (`roles`, `users`). `domains`: what
    they may do with datasets of the domains whose admin or steward they are.
    """
    permissions = built.identity.permissions(subject)
    return {
        "user": subject.user,
        "groups": sorted(subject.groups),
        "roles": sorted(subject.roles),
        "permissions": sorted(permissions),
        "domains": {name: sorted(each) for name, each in sorted(built.identity.domains(subject).items())},
        "capabilities": {
            permission: {"allowed": permission in permissions, **built.identity.holders(permission)}
            for permission in sorted(PERMISSIONS)
        },
    }


@router.post("/tokens", status_code=201, responses=answers_with(CreatedToken, status=201))
def create(built: ServicesOf, subject: Manager, body: TokenAsked) -> Any:
    """Make a token. Its text is in this answer only: Weir keeps a hash."""
    ttl = timedelta(days=body.days) if body.days else None
    new = built.identity.create_token(body.user, ttl, body.name, body.scopes)
    built.record(subject, "token.create", body.user, "allow", [new.id, *_words(new.scopes)])
    return _created(new)


@router.post("/tokens/{id}/rotate", status_code=201, responses=answers_with(RotatedToken, status=201))
def rotate(built: ServicesOf, subject: Manager, id: Name, body: RotationAsked) -> Any:
    """A token in place of another, with its scopes and its life. Both are good for the overlap; then the old one ends."""
    new = built.identity.rotate(id, timedelta(hours=body.overlapHours))
    built.record(subject, "token.rotate", new.user, "allow", [f"{id} by {new.id}", *_words(new.scopes)])
    return {**_created(new), "before": {"id": id, "expiresAt": rfc3339(new.before_until)}}


def _created(new: NewToken) -> dict[str, Any]:
    return {
        "id": new.id,
        "user": new.user,
        "token": new.text,
        "expiresAt": rfc3339(new.expires_at),
        "scopes": list(new.scopes) if new.scopes is not None else None,
    }


def _words(scopes: tuple[str, ...] | None) -> list[str]:
    return [f"scope {each}" for each in scopes or ()]


@router.get("/tokens", responses=answers_with(Tokens))
def list_tokens(built: ServicesOf, _: Manager, user: Text | None = None) -> Any:
    """Tokens without their text, of everybody or of one user."""
    services = built.identity.service_accounts()
    return {
        "tokens": [
            {
                "id": token.id,
                "user": token.user,
                "name": token.name,
                "createdAt": rfc3339(token.created_at),
                "expiresAt": rfc3339(token.expires_at),
                "revokedAt": rfc3339(token.revoked_at),
                "usedAt": rfc3339(token.used_at),
                "scopes": list(token.scopes) if token.scopes is not None else None,
                "service": token.user in services,
                "rotatedTo": token.rotated,
            }
            for token in built.identity.tokens(user)
        ]
    }


@router.delete("/tokens/{id}", responses=answers_with(RevokedToken))
def revoke(built: ServicesOf, subject: Manager, id: Name) -> Any:
    """End a token now, and those whose place it took, which may be good for an overlap still."""
    before = built.identity.revoke(id)
    built.record(subject, "token.revoke", id, "allow", [f"{each}, whose place it took" for each in before])
    return {"id": id, "revoked": True}
