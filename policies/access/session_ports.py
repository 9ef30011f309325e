"""What sign-in needs from the outside: a place for sessions, a client of OpenID Connect, a way to seal text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from policies.access.provider_rights import Claims
from policies.declared.provider_specs import IdentityProviderSpec

SessionKind = Literal["browser", "cli"]


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """A signed-in browser or command line. `digest`: SHA-256, hex, of the secret that the client has.

    provider          name of the declared provider; `issuer` and `subject` name the account there
    provider_session  the provider's own name of the session (`sid`), for its logout
    claims            those that rules are about, as last confirmed at `confirmed_at`
    sealed            the provider's tokens, sealed; None once the session is over
    ends_at           the end that use does not move
    """

    id: str
    digest: str
    kind: SessionKind
    user: str
    provider: str
    issuer: str
    subject: str
    provider_session: str | None
    label: str
    created_at: datetime
    used_at: datetime
    ends_at: datetime
    confirmed_at: datetime
    claims: Claims = field(default_factory=dict)
    sealed: str | None = None
    ended_at: datetime | None = None
    ended_because: str = ""


@dataclass(frozen=True, slots=True)
class DeviceLogin:
    """A command line that waits to be let in. `session`: id of the session it gets, once somebody let it in."""

    digest: str
    code: str
    label: str
    created_at: datetime
    expires_at: datetime
    session: str | None = None
    refused: bool = False


class SessionStore(Protocol):
    """Every method raises Unavailable when the store does not answer."""

    def add(self, session: SessionRecord) -> None: ...

    def find(self, digest: str) -> SessionRecord | None:
        """Ended ones too."""

    def sessions(self, user: str | None = None) -> list[SessionRecord]:
        """Those that nobody ended, oldest first; whether their time is over is for the caller to see."""

    def used(self, session_id: str, at: datetime) -> None: ...

    def claim(self, session_id: str, now: datetime, until: datetime) -> bool:
        """Whether the caller may confirm the session with its provider; nobody else may before `until`."""

    def confirm(self, session_id: str, at: datetime, claims: Claims, sealed: str | None) -> None:
        """Note what the provider confirmed, and let others confirm again. An ended session stays ended."""

    def release(self, session_id: str) -> None:
        """Let others confirm again; nothing was confirmed."""

    def renew(self, session_id: str, digest: str) -> None:
        """Give the session another secret; the old one opens nothing any more."""

    def end(self, session_id: str, at: datetime, because: str) -> bool:
        """End a session and forget its tokens. False when it is not there or was ended before."""

    def end_of_account(
        self, provider: str, subject: str | None, provider_session: str | None, at: datetime, because: str
    ) -> list[SessionRecord]:
        """End every session of an account, or of one session at the provider; those ended by this call."""

    def forget(self, before: datetime) -> int:
        """Remove what ended, or could last, until then; marks and waiting command lines too. How many sessions."""

    def once(self, mark: str, until: datetime) -> bool:
        """False when the mark was set before. It is kept until `until`."""

    def linked(self, issuer: str, subject: str) -> str | None:
        """The user that an account was linked to at its first sign-in."""

    def link(self, issuer: str, subject: str, user: str, at: datetime) -> bool:
        """Link an account to a user. False when either is linked otherwise."""

    def unlink(self, user: str) -> bool:
        """Let another account take the name. False when none is linked."""

    def wait(self, login: DeviceLogin) -> bool:
        """Add a waiting command line. False when its code is in use."""

    def waiting_count(self, now: datetime) -> int:
        """How many command lines wait; those that expired by now are removed first."""

    def waiting(self, *, digest: str | None = None, code: str | None = None) -> DeviceLogin | None:
        """By the digest of its secret, or by the code that people type."""

    def decide(self, code: str, session: str | None) -> bool:
        """Let a command line in with a session, or refuse it (None). False when that was decided before."""

    def done(self, digest: str) -> bool:
        """Remove a waiting command line. False when another call did."""


@dataclass(frozen=True, slots=True)
class ProviderTokens:
    """What the provider gave to ask it again later. Secrets: sealed before they are kept."""

    access: str
    refresh: str | None = None


@dataclass(frozen=True, slots=True)
class Account:
    """Who signed in at a provider. `claims`: all of them, checked; userinfo goes before the ID token."""

    issuer: str
    subject: str
    claims: Mapping[str, object]
    tokens: ProviderTokens
    provider_session: str | None = None


@dataclass(frozen=True, slots=True)
class LogoutNotice:
    """A checked message of a provider that an account, or one of its sessions, was signed out there."""

    subject: str | None
    provider_session: str | None
    mark: str
    expires_at: datetime


class AccountGone(Exception):
    """The provider does not vouch for the account any more: signed out, disabled, or consent taken back."""


class NewTokensOnly(Exception):
    """The provider gave other tokens and then did not answer: the old ones may be used up, so the new ones are kept."""

    def __init__(self, tokens: ProviderTokens) -> None:
        super().__init__("tokens without an account")
        self.tokens = tokens


class OpenIdClient(Protocol):
    """The protocol. Methods raise Unavailable when the provider does not answer, SettingsError for a wrong declaration,
    NotSignedIn for an answer that is refused."""

    def address(self, spec: IdentityProviderSpec, redirect_uri: str, state: str, nonce: str, verifier: str) -> str:
        """Where the browser goes to sign in: code flow, with the challenge of a PKCE verifier."""

    def finish(
        self, spec: IdentityProviderSpec, redirect_uri: str, answer: Mapping[str, str], nonce: str, verifier: str
    ) -> Account:
        """The account behind the answer (`code`, perhaps `iss`) that the browser brought back."""

    def confirm(self, spec: IdentityProviderSpec, subject: str, tokens: ProviderTokens) -> Account:
        """The account as it is now. Raises AccountGone, NewTokensOnly."""

    def logout_notice(self, spec: IdentityProviderSpec, token: str) -> LogoutNotice:
        """Read a logout token of the back channel. Raises InvalidInput that names what is wrong with it."""

    def sign_out_address(self, spec: IdentityProviderSpec, return_to: str) -> str | None:
        """Where the browser signs out at the provider too; None where it has no such page."""


class Sealer(Protocol):
    """Encrypts and signs text with a key of this instance."""

    def seal(self, text: str) -> str: ...

    def open(self, sealed: str, seconds: int | None = None) -> str | None:
        """None when it was not sealed here, was changed, or is older than `seconds`."""


Listed = Sequence[SessionRecord]
