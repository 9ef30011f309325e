"""Command lines that want in: they show a code, a person types it into a page and signs in there (RFC 8628's way)."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from catalog.errors import InvalidInput, LimitExceeded
from policies.access.session_ports import DeviceLogin, SessionStore
from policies.ports import Clock

_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words
_LASTS = timedelta(minutes=10)
INTERVAL_S = 2
_MOST = 1000
"""Anybody may begin one, so their number has an end."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """What the command line gets. `secret` is its own; `code` is for people."""

    secret: str
    code: str
    seconds: int


class DeviceLogins:
    """Logins of command lines until they are done."""

    def __init__(self, store: SessionStore, clock: Clock, most: int = _MOST) -> None:
        """`most`: how many may wait at once."""
        self._store, self._clock, self._most = store, clock, most

    def begin(self, label: str) -> Waiting:
        """`label` names the command line to the person who lets it in: a host. Raises LimitExceeded."""
        now = self._clock()
        if self._store.waiting_count(now) >= self._most:
            raise _too_many()
        secret = secrets.token_urlsafe(32)
        for _ in range(5):
            code = "".join(secrets.choice(_LETTERS) for _ in range(8))
            if self._store.wait(DeviceLogin(_digest(secret), code, label, now, now + _LASTS)):
                return Waiting(secret, f"{code[:4]}-{code[4:]}", int(_LASTS.total_seconds()))
        raise _too_many()

    def waiting(self, code: str) -> DeviceLogin:
        """The one that shows this code. Raises InvalidInput."""
        login = self._store.waiting(code=plain_code(code))
        if login is None or login.session is not None or login.refused or self._clock() >= login.expires_at:
            raise InvalidInput("No command line waits with this code; look at the code again, or run weir login again.")
        return login

    def let_in(self, code: str, session_id: str) -> None:
        """Raises InvalidInput when it does not wait any more."""
        if not self._store.decide(self.waiting(code).code, session_id):
            raise InvalidInput("The command line with this code was let in or refused before.")

    def refuse(self, code: str) -> None:
        """Raises InvalidInput when it does not wait any more."""
        self._store.decide(self.waiting(code).code, None)

    def poll(self, secret: str) -> tuple[str, str | None]:
        """(`pending` | `refused` | `expired` | `done`, the id of the session), the last two once."""
        login = self._store.waiting(digest=_digest(secret))
        if login is None:
            return "expired", None
        if login.session is None and not login.refused and self._clock() < login.expires_at:
            return "pending", None
        if not self._store.done(login.digest):
            return "expired", None
        if login.refused:
            return "refused", None
        return ("done", login.session) if login.session is not None else ("expired", None)


def plain_code(text: str) -> str:
    """As it is kept: capitals without the hyphen and blanks."""
    return "".join(each for each in text.upper() if each.isalnum())[:16]


def _too_many() -> LimitExceeded:
    return LimitExceeded("Too many command lines wait to be let in; try again in a minute.")


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode(errors="replace")).hexdigest()
