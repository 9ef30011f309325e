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
        about = self._request(request)
        if about is None or about.state not in OPEN:
            return ()
        return self._deciders.people(about, self._deciders.facts_or_none(about.dataset), _MOST)

    def requester(self, request: str) -> str | None:
        about = self._request(request)
        return about.requester if about is not None else None

    def participants(self, request: str) -> Collection[str]:
        about = self._request(request)
        if about is None:
            return ()
        users = {about.requester, *(v.by for v in about.votes), *(m.by for m in about.thread if m.kind != "escalation")}
        return sorted(user for user in users if not self._gone(user) and self._deciders.sees(user, about))

    def sees(self, user: str, request: str) -> bool:
        """Whether a user, as they are now, may see a request; False for one that is not there."""
        about = self._request(request)
        return about is not None and self._deciders.sees(user, about)

    def owners(self, dataset: str) -> Collection[str]:
        return sorted(self._index().matching(self._deciders.responsible(dataset).people))

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
