"""`/tokens`, `/me`: who one is, and API tokens."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from fastapi import APIRouter
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.openapi import answers_with
from api.edge.parameters import Count, Name, Place, Text
from api.guard.access import NO_SCOPE
from api.guard.guards import Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.http.schemas.identity import CreatedToken, Me, RevokedToken, RotatedToken, Tokens
from catalog.records import rfc3339
from policies.access.api_tokens import NewToken
from policies.access.identity import Identity
from policies.audit import AuditLog
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


@router.get("/me", dependencies=[signed_in("the caller's own", scope=NO_SCOPE)], responses=answers_with(Me))
def me(built: InstanceOf, subject: Caller) -> Any:
    """The caller: groups, roles, and what they may do.

    `capabilities` has every permission there is: whether the caller holds it, and who does (`roles`, `users`). `domains`: what
    they may do with datasets of the domains whose admin or steward they are.
    """
    permissions = built[Identity].permissions(subject)
    return {
        "user": subject.user,
        "groups": sorted(subject.groups),
        "roles": sorted(subject.roles),
        "permissions": sorted(permissions),
        "domains": {name: sorted(each) for name, each in sorted(built[Identity].domains(subject).items())},
        "capabilities": {
            permission: {"allowed": permission in permissions, **built[Identity].holders(permission)}
            for permission in sorted(PERMISSIONS)
        },
    }


@router.post(
    "/tokens", dependencies=[needs("manage")], status_code=201, responses=answers_with(CreatedToken, status=201)
)
def create(built: InstanceOf, subject: Caller, body: TokenAsked) -> Any:
    """Make a token. Its text is in this answer only: Weir keeps a hash."""
    ttl = timedelta(days=body.days) if body.days else None
    new = built[Identity].create_token(body.user, ttl, body.name, body.scopes)
    built[AuditLog].record_by(subject, "token.create", body.user, "allow", [new.id, *_words(new.scopes)])
    return _created(new)


@router.post(
    "/tokens/{id}/rotate",
    dependencies=[needs("manage")],
    status_code=201,
    responses=answers_with(RotatedToken, status=201),
)
def rotate(built: InstanceOf, subject: Caller, id: Name, body: RotationAsked) -> Any:
    """A token in place of another, with its scopes and its life. Both are good for the overlap; then the old one ends."""
    new = built[Identity].rotate(id, timedelta(hours=body.overlapHours))
    built[AuditLog].record_by(subject, "token.rotate", new.user, "allow", [f"{id} by {new.id}", *_words(new.scopes)])
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


@router.get("/tokens", dependencies=[needs("manage", scope="read")], responses=answers_with(Tokens))
def list_tokens(built: InstanceOf, _: Caller, user: Text | None = None) -> Any:
    """Tokens without their text, of everybody or of one user."""
    services = built[Identity].service_accounts()
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
            for token in built[Identity].tokens(user)
        ]
    }


@router.delete("/tokens/{id}", dependencies=[needs("manage")], responses=answers_with(RevokedToken))
def revoke(built: InstanceOf, subject: Caller, id: Name) -> Any:
    """End a token now, and those whose place it took, which may be good for an overlap still."""
    before = built[Identity].revoke(id)
    built[AuditLog].record_by(subject, "token.revoke", id, "allow", [f"{each}, whose place it took" for each in before])
    return {"id": id, "revoked": True}
