"""API tokens: their text, what is kept of it, and the scopes and the end that one must have."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalog.errors import InvalidInput, NotFound
from policies.declared.builtin import ADMIN_USER
from policies.declared.person_names import is_own
from policies.declared.service_specs import SCIM, SCOPES
from policies.declared.state import View
from policies.ports import TokenRecord

PREFIX = "weir_"
MOST_OVERLAP = timedelta(days=30)
UNFIT = "is a service account now, and this token has no scopes or no end"
_BYTES = 32  # of randomness in a token: not to be guessed, so its digest needs no salt and no slow hash


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token just made. `text` is shown once and not kept."""

    id: str
    user: str
    text: str
    expires_at: datetime | None
    scopes: tuple[str, ...] | None = None
    before_until: datetime | None = None
    """Until when the token before it is good, of a rotation."""


def check_scopes(scopes: Collection[str] | None, service: bool) -> tuple[str, ...] | None:
    """Scopes, sorted. Raises InvalidInput for an unknown one, and for those that do not fit the user."""
    if scopes is None:
        if service:
            raise InvalidInput(f"A token of a service account needs scopes: {', '.join(sorted(SCOPES))}.")
        return None
    unknown = sorted(set(scopes) - SCOPES)
    if unknown or not scopes:
        what = f"{unknown[0]!r} is not a scope" if unknown else "No scope is named"
        raise InvalidInput(f"{what}; there are {', '.join(sorted(SCOPES))}.", details={"field": "scopes"})
    if SCIM in scopes and (len(set(scopes)) > 1 or not service):
        raise InvalidInput(
            "The scope scim is for a token of a service account that has no other scope: it keeps the directory and opens"
            " nothing else.",
            details={"field": "scopes"},
        )
    return tuple(sorted(set(scopes)))


def require_end(ttl: timedelta | None, most: int) -> None:
    """Raises InvalidInput for a life that a token of a service account cannot have."""
    if ttl is None or ttl > timedelta(days=most):
        raise InvalidInput(
            f"A token of a service account must expire: give 1 to {most} days (WEIR_POLICIES__SERVICE_TOKEN_DAYS).",
            details={"field": "days"},
        )


def new_token(
    user: str, name: str, now: datetime, expires: datetime | None, scopes: tuple[str, ...] | None
) -> tuple[str, TokenRecord]:
    """A token's text, and what is kept of it."""
    text = PREFIX + secrets.token_urlsafe(_BYTES)
    identifier = "tok_" + secrets.token_hex(6)
    return text, TokenRecord(
        id=identifier, user=user, name=name, digest=digest_of(text), created_at=now, expires_at=expires, scopes=scopes
    )


def is_unfit(view: View, token: TokenRecord) -> bool:
    """Whether a token of a service account's name is one that no service account can have: it was a person's."""
    return token.user in view.services and (token.scopes is None or token.expires_at is None)


def no_token(token_id: str) -> NotFound:
    return NotFound(f"There is no token {token_id!r}; list tokens to see their ids.", details={"token": token_id})


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def is_valid(token: TokenRecord, now: datetime) -> bool:
    return token.revoked_at is None and (token.expires_at is None or now < token.expires_at)


def is_reserved(user: str) -> bool:
    """Whether a name is one of Weir's own that nobody signs in under, or a spelling of one."""
    return user != ADMIN_USER and is_own(user)
