"""Names of the people whom a request, a dataset or a group concerns; what notifications ask for (`policies.notify.who`)."""

from __future__ import annotations

from collections.abc import Collection

from policies.access.people_index import PeopleIndex
from policies.access.sessions import gone_because
from policies.access_request import OPEN, AccessRequest
from policies.declared.state import GovernanceState
from policies.model import SubjectMatch
from policies.requests.approvers import Deciders
from policies.requests.records import KIND

_MOST = 10_000


class RequestPeople:
    """Answers by what is declared now. People whom only an identity provider knows are in groups that it names only."""

    def __init__(self, state: GovernanceState, deciders: Deciders) -> None:
        self._state, self._deciders = state, deciders

    def deciders(self, request: str) -> Collection[str]:
        known = self._request(request)
        if known is None or known.state not in OPEN:
            return ()
        return self._deciders.people(known, self._deciders.facts_or_none(known.dataset), _MOST)

    def requester(self, request: str) -> str | None:
        known = self._request(request)
        return known.requester if known is not None else None

    def participants(self, request: str) -> Collection[str]:
        known = self._request(request)
        if known is None:
            return ()
        users = {known.requester, *(v.by for v in known.votes), *(m.by for m in known.thread if m.kind != "escalation")}
        return sorted(user for user in users if not self._gone(user) and self._deciders.sees(user, known))

    def sees(self, user: str, request: str) -> bool:
        """Whether a user, as they are now, may see a request; False for one that is not there."""
        known = self._request(request)
        return known is not None and self._deciders.sees(user, known)

    def owners(self, dataset: str) -> Collection[str]:
        facts = self._deciders.facts_or_none(dataset)
        return sorted(self._index().matching(facts.owners)) if facts is not None else ()

    def members(self, group: str) -> Collection[str]:
        return sorted(self._index().matching(SubjectMatch(groups=frozenset({group}))))

    def managers(self) -> Collection[str]:
        return sorted(self._index().permitted("manage"))

    def _index(self) -> PeopleIndex:
        return self._deciders.index()

    def _gone(self, user: str) -> bool:
        return gone_because(self._state.view(), user) is not None

    def _request(self, request: str) -> AccessRequest | None:
        document = self._state.store.get(KIND, request)
        return AccessRequest.from_json(document.spec or {}) if document is not None else None
