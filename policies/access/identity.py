"""Who asks, by bearer token, and the tokens themselves. What they may do in Weir is in `permissions`, what they may read is
`decide`'s business."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput, NotSignedIn
from policies.access.api_tokens import (
    MOST_OVERLAP,
    PREFIX,
    UNFIT,
    NewToken,
    check_scopes,
    digest_of,
    is_unfit,
    is_valid,
    new_token,
    no_token,
    require_end,
)
from policies.access.permissions import Permissions, of_declared
from policies.access.provider_rights import Rights
from policies.access.sessions import PREFIX as SESSION
from policies.access.sessions import Sessions, gone_because
from policies.declared.builtin import ADMIN_USER
from policies.declared.person_names import RULE, can_be_a_name, is_own
from policies.declared.state import GovernanceState, View
from policies.model import Agent, Subject
from policies.ports import Clock, TokenRecord, TokenStore, TokenVerifier
from policies.settings import PolicySettings
from policies.spellings import name_key, plain

_NOTED = timedelta(seconds=60)
"""How often the use of a token is written down."""


class Identity(Permissions):
    """API tokens, and subjects from them."""

    def __init__(
        self,
        tokens: TokenStore,
        state: GovernanceState,
        clock: Clock,
        verifiers: Sequence[TokenVerifier] = (),
        settings: PolicySettings | None = None,
        sessions: Sessions | None = None,
    ) -> None:
        super().__init__(state)
        self._sessions, self._tokens, self._clock = sessions, tokens, clock
        self._verifiers = tuple(verifiers)
        self._settings = settings or PolicySettings()
        self.revocations = 0
        """How often tokens were revoked in this process; who keeps a subject for a moment looks at it."""

    def create_token(
        self,
        user: str,
        ttl: timedelta | None = None,
        name: str = "",
        scopes: Collection[str] | None = None,
        agent: Agent | None = None,
    ) -> NewToken:
        """Make a token for a user; `ttl` None = the setting's days, or without an end. `scopes` None = not limited. `agent`: what
        the token narrows, where an agent acts with it; its `token` is filled in.

        The user need not be declared (then they hold no role). Raises InvalidInput for one disabled or deleted, for an
        unknown scope, and for a service account without scopes or an end.
        """
        user = plain(user)
        if not can_be_a_name(user):
            raise InvalidInput(f"A token needs a user name, as in --user ana; it {RULE}.")
        if _is_weir(user):
            raise InvalidInput(f"{user!r} is a name of Weir's own, as in its audit; nobody has a token under it.")
        if ttl is None and self._settings.token_days is not None:
            ttl = timedelta(days=self._settings.token_days)
        if ttl is not None and ttl <= timedelta(0):
            raise InvalidInput("A token must be valid for some time; give a number of days above 0.")
        if gone := gone_because(self._state.view(), user):
            raise InvalidInput(f"User {user} {gone}; declare the user again before making a token.")
        service = user in self._state.view().services
        checked = check_scopes(scopes, service)
        if service:
            require_end(ttl, self._settings.service_token_days)
        now = self._clock()
        text, record = new_token(user, name, now, now + ttl if ttl is not None else None, checked)
        if agent is not None:
            record = replace(record, agent=replace(agent, token=record.id))
        self._tokens.add(record)
        self._require_good(record, now)
        return NewToken(record.id, user, text, record.expires_at, checked)

    def _require_good(self, record: TokenRecord, now: datetime) -> None:
        """Look again behind the write: who was deactivated meanwhile has no token that another day makes good again.

        Raises InvalidInput, and then the token is revoked.
        """
        view = self._state.view()
        gone = gone_because(view, record.user) or (UNFIT if is_unfit(view, record) else None)
        if gone is not None:
            self._revoked(record.id, now)
            raise InvalidInput(f"User {record.user} {gone}; declare the user again before making a token.")

    def rotate(self, token_id: str, overlap: timedelta) -> NewToken:
        """A token in place of another: same user and scopes, and the same life as far as a service account's may be as
        long. Both are good for `overlap`, then the old one ends.

        Raises NotFound, Conflict when the old one was rotated, was revoked or has expired, InvalidInput.
        """
        if not timedelta(0) <= overlap <= MOST_OVERLAP:
            raise InvalidInput(f"Two tokens can overlap for up to {MOST_OVERLAP.days} days; give fewer hours.")
        now = self._clock()
        old = next((each for each in self._tokens.tokens() if each.id == token_id), None)
        if old is None:
            raise no_token(token_id)
        view = self._state.view()
        gone = gone_because(view, old.user) or (UNFIT if is_unfit(view, old) else None)
        if gone:
            raise InvalidInput(f"User {old.user} {gone}, so the token cannot be rotated.")
        if old.agent is not None:
            raise InvalidInput(f"This token is agent {old.agent.name}'s and is not rotated; end it, and make another.")
        if old.expires_at is None:
            raise InvalidInput("This token has no end; revoke it, and create one with --days, which can be rotated.")
        until = min(old.expires_at, now + overlap)
        life = old.expires_at - old.created_at
        if old.user in view.services:
            life = min(life, timedelta(days=self._settings.service_token_days))
        text, record = new_token(old.user, old.name, now, now + life, old.scopes)
        if not is_valid(old, now) or old.rotated is not None or not self._tokens.rotate(old.id, record, until):
            raise Conflict(
                f"Token {token_id} was rotated or revoked before, or has expired; rotate the newest one, or create another.",
                details={"token": token_id},
            )
        self._require_good(record, now)
        return NewToken(
            id=record.id,
            user=old.user,
            text=text,
            expires_at=record.expires_at,
            scopes=record.scopes,
            before_until=until,
        )

    def ensure_admin(self) -> NewToken | None:
        """The first admin's token; None when the admin has one that is valid."""
        now = self._clock()
        if any(is_valid(token, now) for token in self._tokens.tokens(ADMIN_USER)):
            return None
        return self.create_token(ADMIN_USER, name="first admin")

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
        if gone_because(view, record.user) or is_unfit(view, record) or _is_weir(record.user):
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

    def tokens(self, user: str | None = None) -> list[TokenRecord]:
        """What is known of tokens: never the token itself."""
        return self._tokens.tokens(user)

    def service_accounts(self) -> frozenset[str]:
        """Names of the declared service accounts."""
        return frozenset(self._state.view().services)

    def revoke(self, token_id: str) -> list[str]:
        """End a token now, and those whose place it took, which may be good for an overlap still; gives their ids.

        Raises NotFound. A token that took its place stays good: rotating is how a token that leaked is replaced.
        """
        now = self._clock()
        if not self._revoked(token_id, now):
            raise no_token(token_id)
        before = {each.rotated: each for each in self._tokens.tokens() if each.rotated is not None}
        ended, at = [], before.get(token_id)
        while at is not None and at.id not in ended:
            if is_valid(at, now):
                self._revoked(at.id, now)
                ended.append(at.id)
            at = before.get(at.id)
        return ended

    def revoke_all(self, user: str, *, exact: bool = False, programs_alone: bool = False) -> int:
        """End every valid token of a person, in any spelling of the name; how many those were.

        exact           of this very name alone, which may be a program's; else programs keep theirs
        programs_alone  those alone that were made while the name was a service account's
        """
        now, name = self._clock(), name_key(user)
        lives = self._program_lives(user) if programs_alone else []
        if programs_alone and not lives:
            return 0
        if exact:
            mine = self._tokens.tokens(user)
        else:
            services = self._state.view().services
            mine = [each for each in self._tokens.tokens() if name_key(each.user) == name and each.user not in services]
        valid = [each for each in mine if is_valid(each, now)]
        if programs_alone:
            valid = [each for each in valid if any(since <= each.created_at <= until for since, until in lives)]
        for each in valid:
            self._revoked(each.id, now)
        return len(valid)

    def _revoked(self, token_id: str, at: datetime) -> bool:
        known = self._tokens.revoke(token_id, at)
        self.revocations += 1
        return known

    def _program_lives(self, name: str) -> list[tuple[datetime, datetime]]:
        """From when to when the name was a service account's."""
        lives: list[tuple[datetime, datetime]] = []
        since: datetime | None = None
        for state in self._state.store.history("ServiceAccount", name):
            if state.spec is not None:
                since = since or state.at
            elif since is not None:
                lives.append((since, state.at))
                since = None
        return lives

    def _refused(self, view: View, user: str) -> bool:
        """Whether a token of another issuer signs this user not in: gone, or a name that only tokens of Weir have."""
        user = plain(user)
        return user in view.services or not can_be_a_name(user) or gone_because(view, user) is not None


def _is_weir(user: str) -> bool:
    """Whether a name is one of Weir's own that nobody signs in under, or a spelling of one."""
    return user != ADMIN_USER and is_own(user)


def _not_signed_in() -> NotSignedIn:
    return NotSignedIn("The token is wrong, expired or revoked; get a new one with weir token create --user NAME.")
