"""When a session ends by itself: at its end, or when nobody uses it."""

from __future__ import annotations

from datetime import datetime, timedelta

from catalog.errors import NotSignedIn
from policies.access.session_ports import SessionRecord
from policies.settings import SignInSettings


def idle_time(session: SessionRecord, settings: SignInSettings) -> timedelta:
    """How long the session may be unused."""
    if session.kind == "browser":
        return timedelta(minutes=settings.idle_minutes)
    return timedelta(days=settings.cli_idle_days)


def idle_end(session: SessionRecord, settings: SignInSettings) -> datetime:
    """When the session ends if nobody uses it."""
    return min(session.ends_at, session.used_at + idle_time(session, settings))


def require_open(session: SessionRecord, now: datetime, settings: SignInSettings) -> None:
    """Raises NotSignedIn, which names how the session ended."""
    if session.ended_at is not None:
        raise NotSignedIn(f"The session has ended: {session.ended_because}. Sign in again.")
    if now >= session.ends_at:
        raise NotSignedIn("The session has reached its end; sign in again.")
    if now >= idle_end(session, settings):
        raise NotSignedIn("The session was not used for too long; sign in again.")
