"""Who asks, by bearer token. What they may do in Weir is in `permissions`, what they may read is `decide`'s business."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta

from catalog.errors import NotSignedIn
from policies.access.api_tokens import PREFIX, digest_of, is_reserved, is_unfit, is_valid
from policies.access.permissions import of_declared
from policies.access.provider_rights import Rights
from policies.access.sessions import PREFIX as SESSION
from policies.access.sessions import Sessions, gone_because
from policies.access.token_changes import TokenChanges
from policies.declared.builtin import ADMIN_USER
from policies.declared.person_names import can_be_a_name
from policies.declared.state import GovernanceState, View
from policies.model import Subject
from policies.ports import Clock, TokenRecord, TokenStore, TokenVerifier
from policies.settings import PolicySettings
from policies.spellings import plain

_NOTED = timedelta(seconds=60)
"""How often the use of a token is written down."""


class Identity(TokenChanges):
    """API tokens, and the subjects that they and sessions are of."""

    def __init__(
        self,
        tokens: TokenStore,
        state: GovernanceState,
        clock: Clock,
        verifiers: Sequence[TokenVerifier] = (),
        settings: PolicySettings | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        super().__init__(tokens, state, clock, settings or PolicySettings())
        self._sessions = sessions
        self._verifiers = tuple(verifiers)

    def authenticate(self, token: str, *, cookie: bool = False, use: bool = True) -> Subject:
        """The subject of a token. Raises NotSignedIn, with one message whether it is wrong, expired or revoked.

        `cookie`: the text came as the cookie of a browser's session, and is nothing else. `use` False: a look that
        does not count as use of a session.
        """
        if self._sessions is not None and (cookie or token.startswith(SESSION)):
            return self._sessions.signed_in(token, "browser" if cookie else "cli", use=use).subject
        if cookie:
            raise _not_signed_in()
        now = self._clock()
        if not token.startswith(PREFIX):
            for verifier in self._verifiers:
                claimant = verifier.verify(token)
                if claimant is not None and not self._refused(view := self._state.view(), claimant.user):
                    return view.subject(plain(claimant.user), claimant.groups, claimant.roles)
            raise _not_signed_in()
        digest = digest_of(token)
        record = self._tokens.find(digest)
        # The look-up is by a digest of 256 random bits; the comparison is there for stores that match loosely.
        same = hmac.compare_digest(record.digest if record is not None else "0" * 64, digest)
        if record is None or not same or not is_valid(record, now):
            raise _not_signed_in()
        view = self._state.view()
        if gone_because(view, record.user) or is_unfit(view, record) or is_reserved(record.user):
            raise _not_signed_in()
        if use and (record.used_at is None or now - record.used_at >= _NOTED):
            self._tokens.used(record.id, now)
        return self._limited(view, record)

    def _limited(self, view: View, token: TokenRecord) -> Subject:
        """Who a token is of, within its limits. Of an agent's person what a provider gives in a session that continues counts too:
        masks that hold for a group of the provider hold for the agent. Raises NotSignedIn for an agent that was made with such
        groups or roles when no session continues: what holds for them would not hold any more."""
        if token.agent is not None:
            if token.agent.provided and self.given_by_provider(token.user) is None:
                raise NotSignedIn(
                    f"Agent {token.agent.name} acts while a session of {token.user} continues, since an identity provider gives"
                    f" groups or roles of theirs; {token.user} signs in again."
                )
            return replace(self.confirmed(token.user), scopes=frozenset(token.scopes or ()), agent=token.agent)
        subject = of_declared(view, token.user)
        return subject if token.scopes is None else replace(subject, scopes=frozenset(token.scopes))

    def session(self, token: str, *, cookie: bool = False) -> Callable[[], Subject]:
        """What gives the subject of a token as they are later on, for work that a request began: groups and roles of
        then. It raises NotSignedIn when the token was revoked or has expired, or the user is gone.

        A token of another issuer counts as it was when the work began; what the issuer takes back is not known here.
        Raises NotSignedIn for such a token that is not valid now; one of Weir's own is looked at when it is asked for.
        So is a session of a person who signed in by a provider.
        """
        if self._sessions is not None and (cookie or token.startswith(SESSION)):
            return self._sessions.later(token, "browser" if cookie else "cli")
        if token.startswith(PREFIX):
            digest = digest_of(token)
            return lambda: self._later(digest)
        view = self._state.view()
        claimants = (claimant for verifier in self._verifiers if (claimant := verifier.verify(token)) is not None)
        accepted = next((claimant for claimant in claimants if not self._refused(view, claimant.user)), None)
        if accepted is None:
            raise _not_signed_in()

        def now() -> Subject:
            view = self._state.view()
            self._require_there(view, plain(accepted.user))
            if plain(accepted.user) in view.services:
                raise NotSignedIn(f"{accepted.user} is a service account's name now, so the query was ended.")
            return view.subject(plain(accepted.user), accepted.groups, accepted.roles)

        return now

    def _later(self, digest: str) -> Subject:
        record = self._tokens.find(digest)
        view = self._state.view()
        if record is not None:
            self._require_there(view, record.user)
        if record is None or not is_valid(record, self._clock()) or is_unfit(view, record):
            raise NotSignedIn("The token was revoked or has expired while the query ran.")
        return self._limited(view, record)

    def _require_there(self, view: View, user: str) -> None:
        gone = gone_because(view, user)
        if gone is not None:
            raise NotSignedIn(f"User {user} {gone}, so the query was ended.")

    def current(self, user: str) -> Subject:
        """A user as they are now, without asking a provider: what it confirmed a moment ago counts, nothing older.

        Raises NotSignedIn when they are gone.
        """
        return self._of_name(user, ask=False)

    def confirmed(self, user: str) -> Subject:
        """A user as they are now, for work that continues without a request of theirs.

        What a provider gives counts as long as a session of theirs continues, and it is asked when that is old.
        Raises NotSignedIn when they are gone, Unavailable when the provider does not answer.
        """
        return self._of_name(user, ask=True)

    def _of_name(self, user: str, ask: bool) -> Subject:
        view = self._state.view()
        if (gone := gone_because(view, user)) is not None:
            raise NotSignedIn(f"User {user} {gone}, so nothing runs in their name.")
        provided = self._given_to(user, ask) or Rights()
        roles = provided.roles | (frozenset({"admin"}) if user == ADMIN_USER else frozenset())
        return view.subject(user, provided.groups, roles)

    def given_by_provider(self, user: str) -> Rights | None:
        """What a provider gives a user in a session that continues; None without one. Raises Unavailable."""
        return self._given_to(user, ask=True)

    def _given_to(self, user: str, ask: bool) -> Rights | None:
        return self._sessions.given_to(user, ask) if self._sessions is not None else None

    def _refused(self, view: View, user: str) -> bool:
        """Whether a token of another issuer signs this user not in: gone, or a name that only tokens of Weir have."""
        user = plain(user)
        return user in view.services or not can_be_a_name(user) or gone_because(view, user) is not None


def _not_signed_in() -> NotSignedIn:
    return NotSignedIn("The token is wrong, expired or revoked; get a new one with weir token create --user NAME.")
