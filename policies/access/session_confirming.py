"""What a provider gives to sessions, confirmed with it while they are used.

Of all callers that use a session whose rights are old, one asks the provider; the others work with what was confirmed
before while that is young enough, and wait for the answer when it is not.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import NotSignedIn, Unavailable, WeirError
from policies.access.provider_rights import changes, of_interest, rights
from policies.access.session_ends import require_open
from policies.access.session_ports import (
    AccountGone,
    NewTokensOnly,
    OpenIdClient,
    ProviderTokens,
    Sealer,
    SessionRecord,
    SessionStore,
)
from policies.audit.actions import AuditAction
from policies.declared.provider_specs import IdentityProviderSpec
from policies.ports import Clock
from policies.settings import SignInSettings

_CLAIM = timedelta(seconds=60)
"""Longer than one question can last: discovery, tokens, keys and userinfo have 5 s each to connect and to answer. A second
caller would use up a refresh token that is good once."""
_WAIT_S = 6.0
_AWAY = timedelta(seconds=5)

Record = Callable[[str, AuditAction, str, Sequence[str]], object]
"""Writes the audit: actor, action, target, reasons."""


class Confirming:
    """Asks providers for the rights of sessions. Safe for threads."""

    def __init__(
        self,
        store: SessionStore,
        client: OpenIdClient,
        sealer: Sealer,
        clock: Clock,
        settings: SignInSettings,
        record: Record,
        wait: Callable[[float], None],
        end: Callable[[SessionRecord, str], object],
    ) -> None:
        """`end` ends a session now, for a reason."""
        self._store, self._client, self._sealer, self._clock = store, client, sealer, clock
        self._settings, self._record, self._wait, self._end = settings, record, wait, end
        self._away: dict[str, datetime] = {}
        self._lock = threading.Lock()

    def confirmed(self, session: SessionRecord, spec: IdentityProviderSpec, now: datetime) -> SessionRecord:
        """The session with rights that are young enough; one caller asks the provider for all."""
        most = timedelta(seconds=self._settings.rights_seconds)
        age = now - session.confirmed_at
        if age < most / 2:
            return session
        if self._away.get(session.provider, now) > now:
            if age < most:
                return session
            raise _away(session.provider)
        if not self._store.claim(session.id, now, now + _CLAIM):
            return session if age < most else self._by_another(session, most)
        if not self._may_ask(session.provider, now):
            self._store.release(session.id)
            if age < most:
                return session
            raise _away(session.provider)
        try:
            confirmed = self._ask(session, spec, now)
            self._away.pop(session.provider, None)
            return confirmed
        except AccountGone:
            self._away.pop(session.provider, None)
            self._end(session, "the sign-in service ended it")
            raise NotSignedIn("The session has ended: the sign-in service ended it. Sign in again.") from None
        except WeirError as error:
            self._store.release(session.id)
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
        session = self._store.find(session.digest) or session  # another may have confirmed it before the claim
        if session.ended_at is not None:
            raise AccountGone
        if session.confirmed_at >= now:
            self._store.release(session.id)
            return session
        try:
            account = self._client.confirm(spec, session.subject, self._tokens(session))
        except NewTokensOnly as half:
            self._store.confirm(session.id, session.confirmed_at, session.claims, self.sealed(half.tokens))
            raise _away(session.provider) from None
        claims, sealed = of_interest(account.claims, spec.rights), self.sealed(account.tokens)
        before, after = rights(session.claims, spec.rights), rights(claims, spec.rights)
        self._store.confirm(session.id, now, claims, sealed)
        if before != after:
            self._record(session.user, "sign-in.rights", session.provider, changes(before, after))
        return replace(session, confirmed_at=now, claims=claims, sealed=sealed)

    def _by_another(self, session: SessionRecord, most: timedelta) -> SessionRecord:
        """Wait for the caller that is asking the provider. Raises Unavailable when that takes too long."""
        until = time.monotonic() + _WAIT_S
        while time.monotonic() < until:
            self._wait(0.05)
            confirmed = self._store.find(session.digest)
            now = self._clock()
            if confirmed is None:
                break
            require_open(confirmed, now, self._settings)
            if now - confirmed.confirmed_at < most:
                return confirmed
            if self._away.get(session.provider, now) > now:
                break
        raise _away(session.provider)

    def sealed(self, tokens: ProviderTokens) -> str:
        return self._sealer.seal(json.dumps({"access": tokens.access, "refresh": tokens.refresh}))

    def _tokens(self, session: SessionRecord) -> ProviderTokens:
        text = self._sealer.open(session.sealed) if session.sealed else None
        if text is None:
            raise AccountGone
        tokens = json.loads(text)
        return ProviderTokens(tokens["access"], tokens["refresh"])


def _away(provider: str) -> Unavailable:
    return Unavailable(
        f"The sign-in service {provider} does not answer, so what it lets you do is not known; try again soon.",
        details={"server": "oidc", "provider": provider},
    )
