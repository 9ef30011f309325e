"""Sessions of people who signed in by an identity provider: their ends, and their rights as the provider has them now.

What a provider gives is confirmed with it while a session is used; what nobody confirmed in `rights_seconds` does not
count. What is declared by hand stays apart: it comes from the declarations each time.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from catalog.errors import NotFound, NotSignedIn, Unavailable, WeirError
from policies.access.provider_rights import Rights, of_interest, rights
from policies.access.session_ports import (
    Account,
    AccountGone,
    NewTokensOnly,
    OpenIdClient,
    ProviderTokens,
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
_CLAIM = timedelta(seconds=60)
"""Longer than one question can last: discovery, tokens, keys and userinfo have 5 s each to connect and to answer. A second
caller would use up a refresh token that is good once."""
_WAIT_S = 6.0
_AWAY = timedelta(seconds=5)
_KEPT = timedelta(days=1)
"""How long an ended session is remembered, so that its client learns why."""

Record = Callable[[str, str, str, Sequence[str]], object]
"""Writes the audit: actor, action, target, reasons."""


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
        self._state, self._client, self._sealer, self._clock = state, client, sealer, clock
        self._settings, self._record, self._wait = settings, record, wait
        self._away: dict[str, datetime] = {}
        self._lock = threading.Lock()

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
            id="ses_" + secrets.token_hex(8), digest=digest(secret), kind=kind, user=user, provider=provider,
            issuer=account.issuer, subject=account.subject, provider_session=account.provider_session,
            label=label[:120], created_at=now, used_at=now, ends_at=now + lasts, confirmed_at=now,
            claims=of_interest(account.claims, spec.rights), sealed=self._sealed(account.tokens),
        )  # fmt: skip
        self.store.add(session)
        # Looked at behind the write: who was deactivated meanwhile has no session that another day could make good again.
        if (gone := no_session_because(self._state.view(), user)) is not None:
            self.store.end(session.id, now, f"user {gone}")
            raise NotSignedIn(f"User {user} {gone}; an administrator can let them in again.")
        given = rights(session.claims, spec.rights)
        self._record(user, "sign-in", provider, [session.id, kind, *_words(given)])
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

    def given_to(self, user: str, ask: bool) -> Rights:
        """What providers give a user now, by the newest session that continues; nothing without one.

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
                self._require_open(session, now)
                spec = self._provider(self._state.view(), session.provider, session.issuer)
            except NotSignedIn:
                continue
            if session.confirmed_at > young:
                return rights(session.claims, spec.rights)
        return Rights()

    def given_now(self) -> dict[str, tuple[Rights, ...]]:
        """User -> what each session of theirs that continues gives, without repeats, the newest first; no provider is asked.

        A request has the rights of its own session alone, so they are not joined.
        """
        view = self._state.view()
        given: dict[str, dict[Rights, None]] = {}
        for session in reversed(self.listed()):
            try:
                spec = self._provider(view, session.provider, session.issuer)
            except NotSignedIn:
                continue
            given.setdefault(session.user, {})[rights(session.claims, spec.rights)] = None
        return {user: tuple(each) for user, each in given.items()}

    def _now(self, session: SessionRecord, use: bool) -> SignedIn:
        now = self._clock()
        view = self._state.view()
        self._require_open(session, now)
        spec = self._provider(view, session.provider, session.issuer)
        if (gone := no_session_because(view, session.user)) is not None:
            raise NotSignedIn(f"User {session.user} {gone}, so the session is over.")
        session = self._confirmed(session, spec, now)
        if use and now - session.used_at >= min(_NOTED, self._idle(session) / 4):
            self.store.used(session.id, now)
            session = replace(session, used_at=now)
        given = rights(session.claims, spec.rights)
        return SignedIn(session, view.subject(session.user, given.groups, given.roles), given)

    def _idle(self, session: SessionRecord) -> timedelta:
        of = self._settings
        return timedelta(minutes=of.idle_minutes) if session.kind == "browser" else timedelta(days=of.cli_idle_days)

    def idle_end(self, session: SessionRecord) -> datetime:
        """When the session ends if nobody uses it."""
        return min(session.ends_at, session.used_at + self._idle(session))

    def _require_open(self, session: SessionRecord, now: datetime) -> None:
        if session.ended_at is not None:
            raise NotSignedIn(f"The session has ended: {session.ended_because}. Sign in again.")
        if now >= session.ends_at:
            raise NotSignedIn("The session has reached its end; sign in again.")
        if now >= self.idle_end(session):
            raise NotSignedIn("The session was not used for too long; sign in again.")

    @staticmethod
    def _provider(view: View, name: str, issuer: str) -> IdentityProviderSpec:
        spec = view.providers.get(name)
        if spec is None or spec.issuer != issuer:
            raise NotSignedIn(f"The sign-in service {name} is not declared any more; sign in another way.")
        return spec

    # --- confirming ------------------------------------------------------------------------------------------------

    def _confirmed(self, session: SessionRecord, spec: IdentityProviderSpec, now: datetime) -> SessionRecord:
        """The session with rights that are young enough; one caller asks the provider for all."""
        most = timedelta(seconds=self._settings.rights_seconds)
        age = now - session.confirmed_at
        if age < most / 2:
            return session
        if self._away.get(session.provider, now) > now:
            if age < most:
                return session
            raise _away(session.provider)
        if not self.store.claim(session.id, now, now + _CLAIM):
            return session if age < most else self._by_another(session, most)
        if not self._may_ask(session.provider, now):
            self.store.release(session.id)
            if age < most:
                return session
            raise _away(session.provider)
        try:
            confirmed = self._ask(session, spec, now)
            self._away.pop(session.provider, None)
            return confirmed
        except AccountGone:
            self._away.pop(session.provider, None)
            self.end(session, "the sign-in service ended it")
            raise NotSignedIn("The session has ended: the sign-in service ended it. Sign in again.") from None
        except WeirError as error:
            self.store.release(session.id)
            if isinstance(error, Unavailable):
                self._away[session.provider] = self._clock() + _AWAY
            else:
                self._away.pop(session.provider, None)
            if age < most:
                return session
            raise _away(session.provider) if isinstance(error, Unavailable) else error from None

    def _may_ask(self, provider: str, now: datetime) -> bool:
        """After a provider did not answer, one session asks it while all others go without."""
        with self._lock:
            until = self._away.get(provider)
            if until is not None and until > now:
                return False
            if until is not None:
                self._away[provider] = now + _CLAIM
            return True

    def _ask(self, session: SessionRecord, spec: IdentityProviderSpec, now: datetime) -> SessionRecord:
        session = self.store.find(session.digest) or session  # another may have confirmed it before the claim
        if session.ended_at is not None:
            raise AccountGone
        if session.confirmed_at >= now:
            self.store.release(session.id)
            return session
        try:
            account = self._client.confirm(spec, session.subject, self._tokens(session))
        except NewTokensOnly as half:
            self.store.confirm(session.id, session.confirmed_at, session.claims, self._sealed(half.tokens))
            raise _away(session.provider) from None
        claims, sealed = of_interest(account.claims, spec.rights), self._sealed(account.tokens)
        before, after = rights(session.claims, spec.rights), rights(claims, spec.rights)
        self.store.confirm(session.id, now, claims, sealed)
        if before != after:
            self._record(session.user, "sign-in.rights", session.provider, _changes(before, after))
        return replace(session, confirmed_at=now, claims=claims, sealed=sealed)

    def _by_another(self, session: SessionRecord, most: timedelta) -> SessionRecord:
        """Wait for the caller that is asking the provider. Raises Unavailable when that takes too long."""
        until = time.monotonic() + _WAIT_S
        while time.monotonic() < until:
            self._wait(0.05)
            seen = self.store.find(session.digest)
            now = self._clock()
            if seen is None:
                break
            self._require_open(seen, now)
            if now - seen.confirmed_at < most:
                return seen
            if self._away.get(session.provider, now) > now:
                break
        raise _away(session.provider)

    def _sealed(self, tokens: ProviderTokens) -> str:
        return self._sealer.seal(json.dumps({"access": tokens.access, "refresh": tokens.refresh}))

    def _tokens(self, session: SessionRecord) -> ProviderTokens:
        text = self._sealer.open(session.sealed) if session.sealed else None
        if text is None:
            raise AccountGone
        kept = json.loads(text)
        return ProviderTokens(kept["access"], kept["refresh"])

    # --- ending ----------------------------------------------------------------------------------------------------

    def listed(self, user: str | None = None) -> list[SessionRecord]:
        """The sessions that continue, of a user or of everybody, oldest first."""
        now, view = self._clock(), self._state.view()
        return [
            each for each in self.store.sessions(user) if now < self.idle_end(each) and each.provider in view.providers
        ]

    def of_secret(self, secret: str) -> SessionRecord | None:
        """The session of a secret that nobody ended, if it is one."""
        seen = self.store.find(digest(secret)) if secret.startswith(PREFIX) else None
        return seen if seen is not None and seen.ended_at is None else None

    def of(self, session_id: str, user: str | None = None) -> SessionRecord:
        """One that continues, of any user or of this one. Raises NotFound."""
        seen = next((each for each in self.listed(user) if each.id == session_id), None)
        if seen is None:
            raise NotFound(f"There is no session {session_id!r} that continues; list sessions to see their ids.")
        return seen

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

    A directory keeps out people: it has no say about a program, whatever names it had.
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


def _away(provider: str) -> Unavailable:
    return Unavailable(
        f"The sign-in service {provider} does not answer, so what it lets you do is not known; try again soon.",
        details={"server": "oidc", "provider": provider},
    )


def _words(given: Rights) -> list[str]:
    return [*(f"group {name}" for name in sorted(given.groups)), *(f"role {name}" for name in sorted(given.roles))]


def _changes(before: Rights, after: Rights) -> list[str]:
    old, new = set(_words(before)), set(_words(after))
    return [*(f"lost {word}" for word in sorted(old - new)), *(f"got {word}" for word in sorted(new - old))]
