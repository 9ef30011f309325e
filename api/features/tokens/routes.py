"""`/tokens`, `/me`: who one is, and API tokens."""

from __future__ import annotations

from datetime import timedelta

from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.parameters import Count, Label, Name, Place, Text
from api.features.tokens import answers
from api.guard.access import NO_SCOPE
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from policies.access.identity import Identity
from policies.audit.log import AuditLog

router = FeatureRouter(tags=["identity"])


class TokenBody(RequestBody):
    """Whose token, valid for how long."""

    user: str = Field(min_length=1, examples=["ana"])
    days: Count | None = Field(None, le=3650)
    name: Label = Field("", max_length=200, description="What it is for.")
    scopes: list[str] | None = Field(
        None,
        max_length=20,
        description="What it is limited to; all that the user may when absent.",
        examples=[["read"]],
    )


class RotationBody(RequestBody):
    """How long the old token stays good beside the new one."""

    overlap_hours: Place = Field(24, le=720)


@router.get("/me", dependencies=[signed_in("the caller's own", scope=NO_SCOPE, agents=True)])
def me(identity: From[Identity], caller: Caller) -> answers.Me:
    """The caller: groups, roles, and what they may do.

    `capabilities` has every permission there is: whether the caller holds it, and who does (`roles`, `users`). `domains`: what
    they may do with datasets of the domains whose admin or steward they are.
    """
    return answers.me(identity, caller)


@router.post("/tokens", dependencies=[needs("manage")], status_code=201)
def create(identity: From[Identity], audit: From[AuditLog], caller: Caller, body: TokenBody) -> answers.CreatedToken:
    """Make a token. Its text is in this answer only: Weir keeps a hash."""
    ttl = timedelta(days=body.days) if body.days else None
    new = identity.create_token(body.user, ttl, body.name, body.scopes)
    audit.record_by(caller, "token.create", body.user, "allow", [new.id, *_scope_words(new.scopes)])
    return answers.created(new)


@router.post("/tokens/{id}/rotate", dependencies=[needs("manage")], status_code=201)
def rotate(
    identity: From[Identity], audit: From[AuditLog], caller: Caller, id: Name, body: RotationBody
) -> answers.RotatedToken:
    """A token in place of another, with its scopes and its life. Both are good for the overlap; then the old one ends."""
    new = identity.rotate(id, timedelta(hours=body.overlap_hours))
    audit.record_by(caller, "token.rotate", new.user, "allow", [f"{id} by {new.id}", *_scope_words(new.scopes)])
    return answers.rotated(new, id)


@router.get("/tokens", dependencies=[needs("manage", scope="read")])
def list_tokens(identity: From[Identity], user: Text | None = None) -> answers.Tokens:
    """Tokens without their text, of everybody or of one user."""
    accounts = identity.service_accounts()
    return answers.Tokens(tokens=[answers.token(each, each.user in accounts) for each in identity.tokens(user)])


@router.delete("/tokens/{id}", dependencies=[needs("manage")])
def revoke(identity: From[Identity], audit: From[AuditLog], caller: Caller, id: Name) -> answers.RevokedToken:
    """End a token now, and those whose place it took, which may be good for an overlap still."""
    before = identity.revoke(id)
    audit.record_by(caller, "token.revoke", id, "allow", [f"{each}, whose place it took" for each in before])
    return answers.RevokedToken(id=id, revoked=True)


def _scope_words(scopes: tuple[str, ...] | None) -> list[str]:
    return [f"scope {each}" for each in scopes or ()]
