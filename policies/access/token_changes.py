"""API tokens: how they are made, rotated and revoked."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput
from policies.access.api_tokens import (
    MOST_OVERLAP,
    UNFIT,
    NewToken,
    check_scopes,
    is_reserved,
    is_unfit,
    is_valid,
    new_token,
    no_token,
    require_end,
)
from policies.access.permissions import Permissions
from policies.access.sessions import gone_because
from policies.declared.builtin import ADMIN_USER
from policies.declared.person_names import RULE, can_be_a_name
from policies.declared.state import GovernanceState, View
from policies.model import Agent
from policies.ports import Clock, TokenRecord, TokenStore
from policies.settings import PolicySettings
from policies.spellings import name_key, plain


class TokenChanges(Permissions):
    """Makes and ends the API tokens of people and programs."""

    def __init__(self, tokens: TokenStore, state: GovernanceState, clock: Clock, settings: PolicySettings) -> None:
        super().__init__(state)
        self._tokens, self._clock, self._settings = tokens, clock, settings
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
        if is_reserved(user):
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
        gone = _unusable(view, record)
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
        gone = _unusable(view, old)
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


def _unusable(view: View, token: TokenRecord) -> str | None:
    """Why nobody signs in by a token that has not ended; None where somebody does."""
    return gone_because(view, token.user) or (UNFIT if is_unfit(view, token) else None)
