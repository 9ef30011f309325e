"""What ends with a person who leaves: sessions, tokens, command lines, running queries, what waits for their word.

That a person is gone is decided from the directory at every request, query and view, in every process; see
`policies.access.sessions.gone_because`. This ends what they hold, so that nothing of it is good again later.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from policies.access.identity import Identity
from policies.access.sessions import Sessions


@dataclass(frozen=True, slots=True)
class Ended:
    """How many of each were ended. `readdressed`: ids of access requests that others decide now."""

    sessions: int = 0
    tokens: int = 0
    queries: int = 0
    readdressed: tuple[str, ...] = ()

    def words(self) -> list[str]:
        """For the audit."""
        return [
            f"{self.sessions} sessions ended", f"{self.tokens} tokens revoked", f"{self.queries} queries stopped",
            *(f"request {each} goes to others" for each in self.readdressed),
        ]  # fmt: skip


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
    unlinks: Callable[[str], object] = field(default=lambda user: None)

    def holdings(self, user: str, because: str, *, unlink: bool = False) -> Ended:
        """End sessions and tokens, in the caller's transaction. `unlink`: another account may take the name."""
        name = user.casefold()
        mine = [each for each in self.sessions.store.sessions() if each.user.casefold() == name]
        ended = sum(self.sessions.end(each, because, by="weir") for each in mine)
        if unlink:
            for each in {user, *(session.user for session in mine)}:
                self.unlinks(each)
        return Ended(ended, self.identity.revoke_all(user))

    def running(self, user: str, because: str, ended: Ended) -> Ended:
        """Stop queries and turn requests to others, once the directory's change is committed."""
        stopped = self.stop_queries(user, because)
        return Ended(ended.sessions, ended.tokens, stopped, tuple(self.readdress(user)))
