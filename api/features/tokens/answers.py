"""Answers of `/me` and `/tokens`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about
from api.features.agents.answers import AgentLimits
from api.features.domains.answers import DomainPower
from catalog.records import rfc3339
from policies.access.api_tokens import NewToken
from policies.access.identity import Identity
from policies.declared.spec_parts import PERMISSIONS
from policies.model import Subject
from policies.ports import TokenRecord


class Capability(Answer):
    """A permission: whether the caller has it, and who does."""

    allowed: bool
    roles: list[str]
    users: list[str]


class Me(Answer):
    """The caller."""

    user: str
    groups: list[str]
    roles: list[str]
    permissions: list[str]
    domains: dict[str, list[DomainPower]] = about(
        "Domain -> what the caller may do with its datasets by being admin or steward."
    )
    capabilities: dict[str, Capability] = about("Every permission there is.")
    agent: AgentLimits | None = about("The agent that calls, and what its token narrows; null: the caller themselves.")


class CreatedToken(Answer):
    """A token; its text is in this answer only."""

    id: str
    user: str
    token: str
    expires_at: Time | None
    scopes: list[str] | None = about("What it is limited to; null = all that its user may.")


class RotatedBefore(Answer):
    """The token before, and until when it is good."""

    id: str
    expires_at: Time | None


class RotatedToken(CreatedToken):
    """A token in place of another."""

    before: RotatedBefore


class Token(Answer):
    """A token without its text."""

    id: str
    user: str
    name: str = about("What it is for.")
    created_at: Time | None
    expires_at: Time | None
    revoked_at: Time | None
    used_at: Time | None = about("When it was last used, to the minute.")
    scopes: list[str] | None = about("What it is limited to; null = all that its user may.")
    service: bool = about("Whether it is of a service account.")
    agent: str | None = about("Name of the agent that acts by it.")
    rotated_to: str | None = about("Id of the token that took its place.")


class Tokens(Answer):
    """Every token."""

    tokens: list[Token]


class RevokedToken(Answer):
    """A token that was ended."""

    id: str
    revoked: Literal[True]


def me(identity: Identity, subject: Subject) -> Me:
    """What the caller is and may do."""
    permissions = identity.permissions(subject)
    return Me(
        user=subject.user,
        groups=sorted(subject.groups),
        roles=sorted(subject.roles),
        permissions=sorted(permissions),
        domains={name: sorted(each) for name, each in sorted(identity.domains(subject).items())},
        capabilities={each: _capability(identity, each, each in permissions) for each in sorted(PERMISSIONS)},
        agent=AgentLimits.of(subject.agent) if subject.agent is not None else None,
    )


def _capability(identity: Identity, permission: str, allowed: bool) -> Capability:
    holders = identity.holders(permission)
    return Capability(allowed=allowed, roles=holders["roles"], users=holders["users"])


def created(new: NewToken) -> CreatedToken:
    """A new token with its text."""
    return CreatedToken(
        id=new.id, user=new.user, token=new.text, expires_at=rfc3339(new.expires_at), scopes=_scopes(new.scopes)
    )


def rotated(new: NewToken, id_before: str) -> RotatedToken:
    """A new token with its text, and the one whose place it takes."""
    before = RotatedBefore(id=id_before, expires_at=rfc3339(new.before_until))
    return RotatedToken(**dict(created(new)), before=before)


def token(record: TokenRecord, of_service: bool) -> Token:
    """A token as lists show it. `of_service`: whether its user is a service account."""
    return Token(
        id=record.id,
        user=record.user,
        name=record.name,
        created_at=rfc3339(record.created_at),
        expires_at=rfc3339(record.expires_at),
        revoked_at=rfc3339(record.revoked_at),
        used_at=rfc3339(record.used_at),
        scopes=_scopes(record.scopes),
        service=of_service,
        agent=record.agent.name if record.agent is not None else None,
        rotated_to=record.rotated,
    )


def _scopes(scopes: tuple[str, ...] | None) -> list[str] | None:
    return list(scopes) if scopes is not None else None
