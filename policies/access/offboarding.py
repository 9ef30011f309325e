"""What ends with a person who leaves: sessions, tokens, command lines, running queries, what waits for their word.

That a person is gone is decided from the directory at every request, query and view, in every process; see
`policies.access.sessions.gone_because`. This ends what they hold, so that nothing of it is good again later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from policies.access.identity import Identity
from policies.access.sessions import Sessions
from policies.declared.builtin import ADMIN_USER
from policies.spellings import name_key


@dataclass(frozen=True, slots=True)
class EndedAccess:
    """How many of each were ended. `readdressed`: ids of access requests that others decide now."""

    sessions: int = 0
    tokens: int = 0
    queries: int = 0
    readdressed: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """For the audit."""
        return [
            f"{self.sessions} sessions ended",
            f"{self.tokens} tokens revoked",
            f"{self.queries} queries stopped",
            *(f"request {each} goes to others" for each in self.readdressed),
        ]


@dataclass
class Offboarding:
    """Ends what a person holds.

    stop_queries  stops what runs for a user in this process, and gives how many; other processes decide again by themselves
    readdress     gives the ids of requests that waited for this user's word, and whom they wait for now
    """

    identity: Identity
    sessions: Sessions
    stop_queries: Callable[[str, str], int] = lambda user, why: 0
    readdress: Callable[[str], Sequence[str]] = lambda user: ()

    def holdings(self, user: str, because: str) -> EndedAccess:
        """End sessions and tokens, in the caller's transaction. An account of a provider stays linked to its name: where
        it belongs to another person now, an administrator unlinks it (`weir user unlink`)."""
        name = name_key(user)
        mine = [each for each in self.sessions.store.sessions() if name_key(each.user) == name]
        ended = sum(self.sessions.end(each, because, by="weir") for each in mine)
        return EndedAccess(ended, self.identity.revoke_all(user))

    def declared(self, kind: str, name: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> None:
        """Ends what a name holds when its person or its program ends, when it becomes a program's, and when it becomes a
        person's again: nothing that was issued to the one is good for the next of that name. The built-in admin keeps what
        they hold, as they are never gone. For `GovernanceState.on_person`."""
        begins, ends = before is None and after is not None, before is not None and after is None
        if kind == "ServiceAccount" and begins:
            for each in self.sessions.store.sessions(name):
                self.sessions.end(each, "the name became a service account's", by="weir")
        disabled = after is not None and after.get("disabled") is True and (before or {}).get("disabled") is not True
        if (kind == "ServiceAccount" and (begins or ends or disabled)) or (kind == "User" and begins):
            self.identity.revoke_all(name, exact=True, programs_alone=kind == "User")
        if kind == "User" and ends and name != ADMIN_USER:
            for each in self.sessions.store.sessions(name):
                self.sessions.end(each, "the user was deleted", by="weir")
            self.identity.revoke_all(name, exact=True)

    def running(self, user: str, because: str, ended: EndedAccess) -> EndedAccess:
        """Stop queries and turn requests to others, once the directory's change is committed."""
        stopped = self.stop_queries(user, because)
        return EndedAccess(ended.sessions, ended.tokens, stopped, tuple(self.readdress(user)))
