"""Answers of `/me` and `/tokens`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about
from api.features.domains.answers import DomainPower


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
    rotated_to: str | None = about("Id of the token that took its place.")


class Tokens(Answer):
    """Every token."""

    tokens: list[Token]


class RevokedToken(Answer):
    """A token that was ended."""

    id: str
    revoked: Literal[True]
