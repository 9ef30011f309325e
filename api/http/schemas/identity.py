"""Answers of `/me` and `/tokens`."""

from __future__ import annotations

from typing import Literal

from api.http.schemas.base import Answer, Time, about


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
    capabilities: dict[str, Capability] = about("Every permission there is.")


class CreatedToken(Answer):
    """A token; its text is in this answer only."""

    id: str
    user: str
    token: str
    expires_at: Time | None


class Token(Answer):
    """A token without its text."""

    id: str
    user: str
    name: str = about("What it is for.")
    created_at: Time | None
    expires_at: Time | None
    revoked_at: Time | None


class Tokens(Answer):
    """Every token."""

    tokens: list[Token]


class RevokedToken(Answer):
    """A token that was ended."""

    id: str
    revoked: Literal[True]
