"""Sessions of people who signed in by an identity provider: their ends, and their rights as the provider has them now.

What a provider gives is confirmed with it while a session is used; what nobody confirmed in `rights_seconds` does not
count. What is declared by hand stays apart: it comes from the declarations each time.
"""

from __future__ import annotations

import hashlib
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from catalog.errors import NotFound, NotSignedIn
from policies.access.provider_rights import Rights, of_interest, rights, words
from policies.access.session_confirming import Confirming, Record
from policies.access.session_ends import idle_end, idle_time, require_open
from policies.access.session_ports import (
    Account,
    OpenIdClient,
    Sealer,
    SessionKind,
    SessionRecord,
    SessionStore,
)
from policies.declared.builtin import ADMIN_USER
from policies.declared.provider_specs import IdentityProviderSpec
from policies.declared.state import GovernanceState, View
from policies.model import Subject
from policies.ports import Clock
from policies.settings import SignInSettings

PREFIX = "weirs_"
"""First letters of a session's secret. Those of an API token are others, so that neither is taken for the other."""
_BYTES = 32
_NOTED = timedelta(seconds=60)
"""How often the use of a session is written down."""
_KEPT = timedelta(days=1)
"""How long an ended session is remembered, so that its client learns why."""


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session as it is now. `given`: what the provider gives; `subject` has what is declared besides."""

    session: SessionRecord
    subject: Subject
    given: Rights


class Sessions:
    """Opens sessions, gives their subjects, ends them."""

    def __init__(
        self,
        store: SessionStore,
        state: GovernanceState,
        client: OpenIdClient,
        sealer: Sealer,
        clock: Clock,
        settings: SignInSettings,
        record: Record = lambda *_: None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.store = store
        self._state, self._clock, self._settings, self._record = state, clock, settings, record
        now = lambda: self._clock()  # noqa: E731 - one clock for both, also where somebody moves it
        self._confirming = Confirming(store, client, sealer, now, settings, record, wait, self.end)

    # --- opening ---------------------------------------------------------------------------------------------------

    def open(
        self, provider: str, account: Account, user: str, kind: SessionKind, label: str
    ) -> tuple[str, SessionRecord]:
        """A new session and its secret, which is given to the client and not kept."""
        spec = self._provider(self._state.view(), provider, account.issuer)
        now = self._clock()
        self.store.forget(now - _KEPT)
        secret = PREFIX + secrets.token_urlsafe(_BYTES)
        lasts = timedelta(hours=self._settings.hours) if kind == "browser" else timedelta(days=self._settings.cli_days)
        session = SessionRecord(
            id="ses_" + secrets.token_hex(8),
            digest=digest(secret),
            kind=kind,
            user=user,
            provider=provider,
            issuer=account.issuer,
            subject=account.subject,
            provider_session=account.provider_session,
            label=label[:120],
            created_at=now,
            used_at=now,
            ends_at=now + lasts,
            confirmed_at=now,
            claims=of_interest(account.claims, spec.rights),
            sealed=self._confirming.sealed(account.tokens),
        )
        self.store.add(session)
        # Looked at behind the write: who was deactivated meanwhile has no session that another day could make good again.
        if (gone := no_session_because(self._state.view(), user)) is not None:
            self.store.end(session.id, now, f"user {gone}")
            raise NotSignedIn(f"User {user} {gone}; an administrator can let them in again.")
        given = rights(session.claims, spec.rights)
        self._record(user, "sign-in", provider, [session.id, kind, *words(given)])
        return secret, session

    def renew(self, session_id: str) -> str:
        """Another secret for a session; the one before opens nothing any more."""
        secret = PREFIX + secrets.token_urlsafe(_BYTES)
        self.store.renew(session_id, digest(secret))
        return secret

    # --- using -----------------------------------------------------------------------------------------------------

    def signed_in(self, secret: str, kind: SessionKind, *, use: bool = True) -> SignedIn:
        """The session behind a secret, and who it is now. `use` False: looking at it does not move its idle end.

        Raises NotSignedIn that names how it ended; Unavailable when its provider has to be asked and does not answer.
        """
        session = self.store.find(digest(secret))
        if session is None or session.kind != kind:
            raise NotSignedIn("This session is not known, or ended long ago; sign in again.")
        return self._now(session, use)

    def later(self, secret: str, kind: SessionKind) -> Callable[[], Subject]:
        """Gives the subject later on, for work that continues. It raises as `signed_in`."""
        return lambda: self.signed_in(secret, kind, use=False).subject

    def given_to(self, user: str, ask: bool) -> Rights | None:
        """What providers give a user now, by the newest session that continues; None without one.

        `ask` False: only what was confirmed in the last `rights_seconds`. Raises Unavailable when a provider has to be
        asked and does not answer.
        """
        now = self._clock()
        young = now - timedelta(seconds=self._settings.rights_seconds)
        for session in reversed(self.store.sessions(user)):
            try:
                if ask:
                    return self._now(session, use=False).given
                if user in self._state.view().services:
                    return Rights()
                require_open(session, now, self._settings)
                spec = self._provider(self._state.view(), session.provider, session.issuer)
            except NotSignedIn:
                continue
            if session.confirmed_at > young:
                return rights(session.claims, spec.rights)
        return None

    def given_now(self) -> dict[str, tuple[Rights, ...]]:
        """User -> what each session of theirs that continues gives, without repeats, the newest first; no provider is asked.

        A request has the rights of its own session alone, so they are not joined.
        """
        view = self._state.view()
        by_user: dict[str, dict[Rights, None]] = {}
        for session in reversed(self.listed()):
            try:
                spec = self._provider(view, session.provider, session.issuer)
            except NotSignedIn:
                continue
            by_user.setdefault(session.user, {})[rights(session.claims, spec.rights)] = None
        return {user: tuple(each) for user, each in by_user.items()}

    def _now(self, session: SessionRecord, use: bool) -> SignedIn:
        now = self._clock()
        view = self._state.view()
        require_open(session, now, self._settings)
        spec = self._provider(view, session.provider, session.issuer)
        if (gone := no_session_because(view, session.user)) is not None:
            raise NotSignedIn(f"User {session.user} {gone}, so the session is over.")
        session = self._confirming.confirmed(session, spec, now)
        if use and now - session.used_at >= min(_NOTED, idle_time(session, self._settings) / 4):
            self.store.used(session.id, now)
            session = replace(session, used_at=now)
        given = rights(session.claims, spec.rights)
        return SignedIn(session, view.subject(session.user, given.groups, given.roles), given)

    def idle_end(self, session: SessionRecord) -> datetime:
        """When the session ends if nobody uses it."""
        return idle_end(session, self._settings)

    @staticmethod
    def _provider(view: View, name: str, issuer: str) -> IdentityProviderSpec:
        spec = view.providers.get(name)
        if spec is None or spec.issuer != issuer:
            raise NotSignedIn(f"The sign-in service {name} is not declared any more; sign in another way.")
        return spec

    # --- ending ----------------------------------------------------------------------------------------------------

    def listed(self, user: str | None = None) -> list[SessionRecord]:
        """The sessions that continue, of a user or of everybody, oldest first."""
        now, view = self._clock(), self._state.view()
        return [
            each for each in self.store.sessions(user) if now < self.idle_end(each) and each.provider in view.providers
        ]

    def of_secret(self, secret: str) -> SessionRecord | None:
        """The session of a secret that nobody ended, if it is one."""
        session = self.store.find(digest(secret)) if secret.startswith(PREFIX) else None
        return session if session is not None and session.ended_at is None else None

    def of(self, session_id: str, user: str | None = None) -> SessionRecord:
        """One that continues, of any user or of this one. Raises NotFound."""
        session = next((each for each in self.listed(user) if each.id == session_id), None)
        if session is None:
            raise NotFound(f"There is no session {session_id!r} that continues; list sessions to see their ids.")
        return session

    def end(self, session: SessionRecord, because: str, by: str | None = None) -> bool:
        """End a session now; False when it was ended before."""
        ended = self.store.end(session.id, self._clock(), because)
        if ended:
            self._record(by or session.user, "sign-out", session.user, [session.id, because])
        return ended

    def end_replaced(self, session_id: str) -> None:
        """End the session that a browser had before it signed in again: its secret must open nothing any more."""
        for session in self.listed():
            if session.id == session_id:
                self.end(session, "another sign-in took its place")

    def end_of_account(self, provider: str, subject: str | None, provider_session: str | None) -> int:
        """End what the provider announced as signed out; how many sessions that were."""
        because = "signed out at the sign-in service"
        ended = self.store.end_of_account(provider, subject, provider_session, self._clock(), because)
        for each in ended:
            self._record(each.user, "sign-out", each.user, [each.id, because])
        return len(ended)


def digest(secret: str) -> str:
    """What is kept of a secret of 256 random bits."""
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()


def gone_because(view: View, user: str) -> str | None:
    """Why a user may not sign in any more. The built-in admin is never gone, or nobody could repair anything.

    A directory keeps out people. It does not decide about a program, whatever names the program had.
    """
    if user == ADMIN_USER:
        return None
    if user in view.removed_users:
        return "was deleted"
    spec = view.users.get(user) or view.services.get(user)
    if spec is not None and spec.disabled:
        return "is disabled"
    return view.directory.gone(user) if user not in view.services else None


def no_session_because(view: View, user: str) -> str | None:
    """Why a user has no session of a provider: gone, or a name that is a program's now."""
    return (
        "is a service account, which signs in with its tokens only"
        if user in view.services
        else gone_because(view, user)
    )
