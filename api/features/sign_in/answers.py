"""Answers of `/auth`."""

from __future__ import annotations

from datetime import datetime

from api.edge.answer import Answer, Time, about
from api.guard import cookies
from catalog.records import rfc3339
from policies.access.sessions import SignedIn


class SignInProvider(Answer):
    """A declared way to sign in."""

    name: str
    title: str = about("What people read on the button.")


class GivenRights(Answer):
    """What the provider gives; what is declared by hand is not among it."""

    groups: list[str]
    roles: list[str]


class OwnSession(Answer):
    """The session of the cookie."""

    id: str
    user: str
    provider: str
    given: GivenRights
    csrf: str = about("Sent back as X-Weir-CSRF with every request that changes something.")
    idle_end: Time = about("When it ends if nobody uses it.")
    end: Time = about("When it ends in any case.")


class SignInState(Answer):
    """How one can sign in, and the session there is."""

    providers: list[SignInProvider]
    session: OwnSession | None
    ended: str | None = about("Why the session of the cookie is over, where there is a cookie.")
    problem: str | None = about("Why it is not known whose session the cookie is; it may continue, so ask again.")


class SignedOut(Answer):
    """A session that was ended."""

    address: str | None = about("Where the browser signs out at the provider as well.")


def own_session(signed_in: SignedIn, secret: str, idle_end: datetime) -> OwnSession:
    """The session of a cookie's secret."""
    session = signed_in.session
    return OwnSession(
        id=session.id,
        user=signed_in.subject.user,
        provider=session.provider,
        given=GivenRights(groups=sorted(signed_in.given.groups), roles=sorted(signed_in.given.roles)),
        csrf=cookies.csrf_token(secret),
        idle_end=rfc3339(idle_end),
        end=rfc3339(session.ends_at),
    )
