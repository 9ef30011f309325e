"""Where a name is mentioned that gives its holder something: who gets the name gets all of that."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from policies.access.grants import status_at
from policies.declared.person_names import name_key
from policies.declared.state import GovernanceState, View
from policies.model import GrantStatus
from policies.ports import Clock
from policies.workflow import OPEN

_LIVING = (GrantStatus.APPROVED, GrantStatus.PENDING)
_NAMING = frozenset({"user", "users", "members", "delegates", "requester"})
"""Fields whose texts are names of people."""


class Mentions:
    """`elsewhere` gives what other rooms have of a name: owners of datasets, views that run as it."""

    def __init__(
        self, state: GovernanceState, clock: Clock, elsewhere: Callable[[str], Sequence[str]] = lambda _: ()
    ) -> None:
        self._state, self._clock, self._elsewhere = state, clock, elsewhere

    def of(self, name: str) -> list[str]:
        """`User eva`, `Grant g-7`, `Dataset prod/orders`: what mentions the name, in any spelling, sorted.

        Grants, delegations and requests that are over do not count. What the directory itself keeps does not either.
        """
        key, view, now = name_key(name), self._state.view(), self._clock()
        collected = {f"{kind} {each}" for kind, each in self._documents(key, now)}
        collected |= {f"User {user}" for user in view.users if name_key(user) == key}
        collected |= {
            f"Group {group}" for group, spec in view.groups.items() if key in {name_key(each) for each in spec.members}
        }
        collected |= {f"Grant {grant}" for grant in _grants(view, name, key, now)}
        return sorted(collected | set(self._elsewhere(name)))

    def _documents(self, key: str, now: datetime) -> Iterator[tuple[str, str]]:
        store = self._state.store
        for kind in ("Policy", "Workflow", "AccessReview"):
            for document in store.documents(kind):
                if key in people_in(document.spec):
                    yield kind, document.name
        for document in store.documents("Delegation"):
            spec = document.spec or {}
            over = datetime.fromisoformat(spec["until"]) <= now
            if not over and (name_key(document.name) == key or key in people_in(spec)):
                yield "Delegation", document.name
        for state in OPEN:
            for document in store.documents("AccessRequest", label=str(state)):
                if key in people_in(document.spec):
                    yield "AccessRequest", document.name


def people_in(spec: Any, naming: bool = False) -> frozenset[str]:
    """Keys of the names of people in a spec."""
    match spec:
        case str():
            return frozenset({name_key(spec)}) if naming else frozenset()
        case Mapping():
            parts = [people_in(value, naming or each in _NAMING) for each, value in spec.items()]
        case list() | tuple():
            parts = [people_in(value, naming) for value in spec]
        case _:
            return frozenset()
    return frozenset().union(*parts)


def _grants(view: View, name: str, key: str, now: datetime) -> Iterator[str]:
    """Of those who may end a grant since they approved it, this very spelling alone."""
    for grant in view.grants.values():
        users = grant.subject.users
        named = name in grant.approved_by or grant.requested_by == name or (users and key in map(name_key, users))
        if named and status_at(grant, now) in _LIVING:
            yield grant.name
