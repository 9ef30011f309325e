"""Answers of `/me/delegation`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.requests import delegation


class Delegation(Answer):
    """Who decides in one's place, and until when."""

    user: str
    delegates: list[str]
    from_: Time = about("From then on.", alias="from")
    until: Time
    active: bool = about("It holds now.")

    @classmethod
    def of(cls, declared: delegation.Delegation, now: datetime) -> Self:
        return cls(
            user=declared.user,
            delegates=list(declared.delegates),
            from_=rfc3339(declared.since),
            until=rfc3339(declared.until),
            active=declared.holds(now),
        )


class Delegations(Answer):
    """Who decides in the caller's place, and in whose place the caller may decide now."""

    delegation: Delegation | None
    instead_of: list[str]


class EndedDelegation(Answer):
    """A delegation that ended."""

    user: str
    ended: Literal[True]
