"""Answers of `/auth`."""

from __future__ import annotations

from typing import Literal

from api.edge.answer import Answer, Time, about


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
    idleEnd: Time = about("When it ends if nobody uses it.")
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


class ListedSession(Answer):
    """A session that continues."""

    id: str
    user: str
    kind: Literal["browser", "cli"]
    provider: str
    label: str = about("The browser or the machine.")
    created: Time
    used: Time
    confirmed: Time = about("When the provider last confirmed the rights.")
    idleEnd: Time
    end: Time
    current: bool = about("Whether this request came with it.")


class ListedSessions(Answer):
    """Sessions that continue, oldest first."""

    sessions: list[ListedSession]


class EndedSession(Answer):
    """A session that was ended."""

    id: str
    ended: Literal[True]


class UnlinkedAccount(Answer):
    """A user whose account of a provider was unlinked."""

    user: str
    unlinked: Literal[True]


class DeviceCode(Answer):
    """What a command line shows, and what it asks with."""

    deviceCode: str = about("The command line's own secret.")
    userCode: str = about("What a person types into the page.")
    address: str
    addressWithCode: str
    seconds: int = about("How long the code is good.")
    interval: int = about("Seconds between two questions whether somebody let it in.")


class DevicePoll(Answer):
    """Whether somebody let the command line in; with `done` its token, once."""

    state: Literal["pending", "refused", "expired", "done"]
    token: str | None
    user: str | None


class DeviceWaiting(Answer):
    """A command line that shows a code."""

    userCode: str
    label: str
    created: Time


class SignInAddress(Answer):
    """Where the browser continues."""

    address: str


class DeviceRefused(Answer):
    """A command line that was not let in."""

    refused: Literal[True]
