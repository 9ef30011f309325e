"""Answers of `/auth/sessions` and `/auth/device`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from api.edge.answer import Answer, Time, about
from catalog.records import rfc3339
from policies.access.session_ports import SessionRecord


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
    idle_end: Time
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

    device_code: str = about("The command line's own secret.")
    user_code: str = about("What a person types into the page.")
    address: str
    address_with_code: str
    seconds: int = about("How long the code is good.")
    interval: int = about("Seconds between two questions whether somebody let it in.")


class DevicePoll(Answer):
    """Whether somebody let the command line in; with `done` its token, once."""

    state: Literal["pending", "refused", "expired", "done"]
    token: str | None
    user: str | None


class DeviceWaiting(Answer):
    """A command line that shows a code."""

    user_code: str
    label: str
    created: Time


class SignInAddress(Answer):
    """Where the browser continues."""

    address: str


class DeviceRefused(Answer):
    """A command line that was not let in."""

    refused: Literal[True]


def listed(session: SessionRecord, idle_end: datetime, current: bool) -> ListedSession:
    """A session as lists show it. `current`: whether the request came with it."""
    return ListedSession(
        id=session.id,
        user=session.user,
        kind=session.kind,
        provider=session.provider,
        label=session.label,
        created=rfc3339(session.created_at),
        used=rfc3339(session.used_at),
        confirmed=rfc3339(session.confirmed_at),
        idle_end=rfc3339(idle_end),
        end=rfc3339(session.ends_at),
        current=current,
    )
