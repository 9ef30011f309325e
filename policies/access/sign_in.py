"""Signing in by an identity provider: from the first address to a session, in a browser or for a command line.

Nothing is stored when a sign-in begins: what is needed at its end is sealed in a cookie of that browser, so an answer
that another browser was sent with opens nothing, and nobody fills a table by beginning.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TypedDict

from catalog.errors import InvalidInput, NotAllowed, NotFound, NotSignedIn
from policies.access.device_logins import DeviceLogins, plain_code
from policies.access.provider_rights import user_name
from policies.access.session_ports import (
    Account,
    AccountGone,
    DeviceLogin,
    OpenIdClient,
    ProviderTokens,
    Sealer,
    SessionRecord,
    SessionStore,
)
from policies.access.sessions import Sessions, gone_because
from policies.declared.person_names import is_own
from policies.declared.provider_specs import IdentityProviderSpec
from policies.declared.state import GovernanceState
from policies.ports import Clock

LASTS_S = 600
"""How long a sign-in may take, in seconds."""
COOKIE = "weir_sign_in_"
"""`weir` is who the audit names where Weir itself acts."""
_LETS_IN = "let a command line in"
_ERROR = re.compile(r"[a-z_]{1,40}\Z")


_Attempt = TypedDict(
    "_Attempt",
    {
        "provider": str,
        "state": str,
        "nonce": str,
        "verifier": str,
        "redirect": str,
        "return": str,
        "device": str | None,
        "replaces": str | None,
    },
)
"""What is sealed in the cookie of a sign-in."""
_Ticket = TypedDict(
    "_Ticket",
    {
        "for": str,
        "device": str,
        "provider": str,
        "user": str,
        "issuer": str,
        "subject": str,
        "claims": dict[str, object],
        "tokens": tuple[str, str | None],
        "session": str | None,
    },
)
"""What is sealed in the page that lets a command line in. A person who does not click leaves nothing behind."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Where the browser goes, and the cookie it keeps until it comes back."""

    address: str
    cookie: str
    value: str


@dataclass(frozen=True, slots=True)
class Finished:
    """A sign-in of a browser that is done. `secret` is for its cookie."""

    user: str
    session: SessionRecord
    secret: str
    return_to: str


@dataclass(frozen=True, slots=True)
class Asks:
    """A person signed in for a command line that waits. `ticket` lets it in: their next page sends it, by a click.

    The provider's answer alone lets nobody in: another person could have begun the sign-in and sent them there.
    """

    user: str
    device: DeviceLogin
    ticket: str


class SignIn:
    """The ways in by declared providers."""

    def __init__(
        self,
        sessions: Sessions,
        devices: DeviceLogins,
        state: GovernanceState,
        client: OpenIdClient,
        sealer: Sealer,
        clock: Clock,
    ) -> None:
        self._sessions, self._devices, self._state = sessions, devices, state
        self._client, self._sealer, self._clock = client, sealer, clock

    @property
    def _store(self) -> SessionStore:
        return self._sessions.store

    def providers(self) -> Mapping[str, IdentityProviderSpec]:
        """The declared providers by name."""
        return self._state.view().providers

    def require(self, provider: str) -> None:
        """Raises NotFound when no provider of this name is declared."""
        self._spec(provider)

    def begin(
        self, provider: str, redirect_uri: str, return_to: str, device: str | None = None, replaces: str | None = None
    ) -> Begun:
        """`return_to`: a path of the pages; anything else becomes `/`. `device`: the code of a command line to let in.
        `replaces`: id of the session that this browser has; it ends with the new one.

        Raises NotFound, Unavailable, SettingsError.
        """
        spec = self._spec(provider)
        state, nonce, verifier = (secrets.token_urlsafe(size) for size in (32, 32, 64))
        address = self._client.address(spec, redirect_uri, state, nonce, verifier)
        attempt: _Attempt = {
            "provider": provider,
            "state": state,
            "nonce": nonce,
            "verifier": verifier,
            "redirect": redirect_uri,
            "return": safe_path(return_to),
            "device": device,
            "replaces": replaces,
        }
        return Begun(address, cookie_of(state), self._sealer.seal(json.dumps(attempt)))

    def finish(
        self, provider: str, answer: Mapping[str, str], cookies: Mapping[str, str], label: str
    ) -> Finished | Asks:
        """A session for what the browser brought back, or a question. Raises NotSignedIn that names what does not fit."""
        spec = self._spec(provider)
        attempt = self._begun(provider, answer.get("state", ""), cookies)
        if (error := answer.get("error")) is not None:
            word = error if _ERROR.match(error) else "an error"
            raise NotSignedIn(f"The sign-in service did not sign you in ({word}); begin again.")
        if not answer.get("code"):
            raise NotSignedIn("The sign-in service sent no code; begin again.")
        try:
            account = self._client.finish(spec, attempt["redirect"], answer, attempt["nonce"], attempt["verifier"])
        except AccountGone:
            raise NotSignedIn("The sign-in service took its token back at once; begin again.") from None
        user = self._user(spec, account)
        if attempt["device"] is None:
            secret, session = self._sessions.open(provider, account, user, "browser", label)
            if attempt["replaces"]:
                self._sessions.end_replaced(attempt["replaces"])
            return Finished(user, session, secret, attempt["return"])
        device = self._devices.waiting(attempt["device"])
        return Asks(user, device, self._sealer.seal(json.dumps(_ticket(provider, account, user, device))))

    def decide(self, code: str, ticket: str, decision: str) -> str | None:
        """`let-in` or `refuse` a command line by the ticket of its page; the user whom it is now, None when refused.

        Raises NotAllowed for a ticket that is not of this code, InvalidInput when the command line does not wait any more.
        """
        content = self._ticket(code, ticket)
        if decision == "refuse":
            self._devices.refuse(code)
            return None
        if decision != "let-in":
            raise InvalidInput("The form must have a decision: let-in or refuse.")
        device = self._devices.waiting(code)
        tokens = ProviderTokens(*content["tokens"])
        account = Account(content["issuer"], content["subject"], content["claims"], tokens, content["session"])
        _, session = self._sessions.open(content["provider"], account, content["user"], "cli", device.label)
        try:
            self._devices.let_in(code, session.id)
        except InvalidInput:
            self._sessions.end(session, "the command line was not waiting any more")
            raise
        return content["user"]

    def signed_out_there(self, provider: str, token: str) -> int:
        """Take a logout token of the back channel; how many sessions it ended. Raises InvalidInput."""
        notice = self._client.logout_notice(self._spec(provider), token)
        if not self._store.once(_mark("logout", notice.mark), notice.expires_at):
            raise InvalidInput("The logout token is refused: it was used before.")
        return self._sessions.end_of_account(provider, notice.subject, notice.provider_session)

    def sign_out_address(self, provider: str, return_to: str) -> str | None:
        """Where the browser signs out at the provider too; None where that is not known."""
        spec = self.providers().get(provider)
        return self._client.sign_out_address(spec, return_to) if spec is not None else None

    def unlink(self, user: str) -> None:
        """Let another account of a provider take the name. Ends the user's sessions. Raises NotFound."""
        if not self._store.unlink(user):
            raise NotFound(f"No account of a sign-in service is linked to {user!r}.")
        for session in self._sessions.listed(user):
            self._sessions.end(session, "the account was unlinked")

    # --- inside ----------------------------------------------------------------------------------------------------

    def _spec(self, provider: str) -> IdentityProviderSpec:
        spec = self.providers().get(provider)
        if spec is None:
            raise NotFound(f"There is no IdentityProvider named {provider!r}; `weir get IdentityProvider` lists them.")
        return spec

    def _begun(self, provider: str, state: str, cookies: Mapping[str, str]) -> _Attempt:
        """What was sealed when this sign-in began, once. Raises NotSignedIn."""
        sealed = cookies.get(cookie_of(state)) if state else None
        text = self._sealer.open(sealed, LASTS_S) if sealed else None
        attempt: _Attempt | None = json.loads(text) if text else None
        same = attempt is not None and hmac.compare_digest(
            attempt.get("state", "").encode(), state.encode(errors="replace")
        )
        if attempt is None or not same or attempt["provider"] != provider:
            raise NotSignedIn(
                "This sign-in was not begun in this browser, or more than ten minutes ago; begin again on the sign-in page."
            )
        if not self._store.once(_mark("state", state), self._clock() + timedelta(seconds=2 * LASTS_S)):
            raise NotSignedIn("This sign-in was finished before; begin again on the sign-in page.")
        return attempt

    def _ticket(self, code: str, ticket: str) -> _Ticket:
        """What a ticket for this code holds. Raises NotAllowed."""
        text = self._sealer.open(ticket, LASTS_S) if ticket else None
        content: _Ticket | None = json.loads(text) if text else None
        if content is None or content.get("for") != _LETS_IN or content["device"] != plain_code(code):
            raise NotAllowed(
                "This request does not come from the page that follows the sign-in, or came more than ten minutes after it;"
                " open the address of the command line again.",
                details={"reasons": ["ticket"]},
            )
        return content

    def _user(self, spec: IdentityProviderSpec, account: Account) -> str:
        """The user of an account: linked at the first sign-in, so that a name never passes to another account."""
        user = self._store.linked(account.issuer, account.subject) or user_name(account.claims, spec)
        if user is None:
            raise NotSignedIn(
                f"The sign-in service gives no claim {spec.user_claim!r} that can be a user name; an administrator can name"
                " another in spec.userClaim, or ask for a scope that brings it. An e-mail address counts with email_verified only."
            )
        if user in self._state.view().services:
            raise NotSignedIn(f"{user!r} is a service account, which signs in with its tokens only.")
        if is_own(user):
            raise NotSignedIn(
                f"{user!r} is a name of Weir's own, as in its audit; nobody signs in under it by a provider."
            )
        if (gone := gone_because(self._state.view(), user)) is not None:
            raise NotSignedIn(f"User {user} {gone}; an administrator can let them in again.")
        if not self._store.link(account.issuer, account.subject, user, self._clock()):
            raise NotSignedIn(
                f"The name {user!r} belongs to another account; an administrator can free it with: weir user unlink {user}."
            )
        return user


def safe_path(text: str) -> str:
    """A path of the pages as it is; `/` for what could lead elsewhere: another host, a scheme, an address of the API."""
    plain = text.isprintable() and text.isascii() and "\\" not in text and len(text) <= 2000
    if not plain or not text.startswith("/") or text.startswith("//") or text.startswith("/api/"):
        return "/"
    return text


def cookie_of(state: str) -> str:
    """The cookie of one sign-in: several tabs may sign in at once."""
    return COOKIE + hashlib.sha256(state.encode(errors="replace")).hexdigest()[:16]


def _ticket(provider: str, account: Account, user: str, device: DeviceLogin) -> _Ticket:
    return {
        "for": _LETS_IN,
        "device": device.code,
        "provider": provider,
        "user": user,
        "issuer": account.issuer,
        "subject": account.subject,
        "claims": dict(account.claims),
        "tokens": (account.tokens.access, account.tokens.refresh),
        "session": account.provider_session,
    }


def _mark(kind: str, text: str) -> str:
    return f"{kind} {hashlib.sha256(text.encode(errors='replace')).hexdigest()}"
