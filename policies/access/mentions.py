"""Where a name is mentioned that gives its holder something: who gets the name gets all of that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from policies.access.grants import status_at
from policies.access_request import OPEN
from policies.declared.mentioned import KINDS_NAMING_PEOPLE
from policies.declared.state import GovernanceState, View
from policies.model import Grant, GrantStatus
from policies.ports import Clock
from policies.spellings import name_key

_LIVING = (GrantStatus.APPROVED, GrantStatus.PENDING)
_NAMING = frozenset({"user", "users", "members", "delegates", "requester"})
"""Fields whose texts are names of people."""


class Mentions:
    """`elsewhere` gives what other rooms have of a name: owners of datasets, views that run as it."""

    def __init__(
        self, state: GovernanceState, clock: Clock, elsewhere: Callable[[str], Sequence[str]] = lambda _: ()
    ) -> None:
        self._state, self._clock, self._elsewhere = state, clock, elsewhere
        self._indexed: tuple[Mapping[str, Grant], _Index] | None = None

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
        collected |= {f"Grant {grant}" for grant in self._grants(view, name, key, now)}
        return sorted(collected | set(self._elsewhere(name)))

    def _grants(self, view: View, name: str, key: str, now: datetime) -> Iterator[str]:
        """Of those who may end a grant since they approved it, this very spelling alone.

        The names in grants are gathered once for all people, as long as no grant changes: a directory sends thousands of
        people, and there may be a hundred thousand grants.
        """
        indexed = self._indexed
        if indexed is None or indexed[0] is not view.grants:
            indexed = self._indexed = view.grants, _Index(view.grants.values())
        for grant in indexed[1].of(name, key):
            if status_at(grant, now) in _LIVING:
                yield grant.name

    def _documents(self, key: str, now: datetime) -> Iterator[tuple[str, str]]:
        store = self._state.store
        for kind in KINDS_NAMING_PEOPLE:
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


class _Index:
    """Grants by the names in them: whom they are for, in any spelling, and who asked for or approved them."""

    def __init__(self, grants: Iterable[Grant]) -> None:
        self._for: dict[str, list[Grant]] = defaultdict(list)
        self._by: dict[str, list[Grant]] = defaultdict(list)
        for grant in grants:
            if grant.status not in _LIVING:
                continue
            for user in grant.subject.users:
                self._for[name_key(user)].append(grant)
            for each in grant.approved_by:
                self._by[each].append(grant)
            if grant.requested_by is not None and grant.requested_by not in grant.approved_by:
                self._by[grant.requested_by].append(grant)

    def of(self, name: str, key: str) -> Iterator[Grant]:
        yield from self._for.get(key, ())
        yield from self._by.get(name, ())
