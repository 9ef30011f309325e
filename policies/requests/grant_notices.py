"""Early warnings, sent once each: grants that end soon, and uses of break-glass that nobody reviewed in time."""

from __future__ import annotations

from datetime import timedelta

from catalog.ports import EventSink
from catalog.records import rfc3339
from policies.access_request import AccessRequest, RequestState
from policies.declared.state import GovernanceState
from policies.matching import is_active
from policies.ports import Change, Clock
from policies.requests.records import KIND as REQUEST
from policies.settings import PolicySettings

KIND = "Notice"
_PAUSE = timedelta(seconds=30)


class GrantNotices:
    """A duty of the worker: call `step` now and then."""

    def __init__(
        self, state: GovernanceState, events: EventSink, clock: Clock, settings: PolicySettings | None = None
    ) -> None:
        self._state, self._events, self._clock = state, events, clock
        self._settings = settings or PolicySettings()
        self._store = state.store
        self._next = clock()

    def step(self) -> int:
        """Send what is due; how many notices that were. Looks at most every half minute. Raises Unavailable."""
        now = self._clock()
        if now < self._next:
            return 0
        self._next = now + _PAUSE
        count = 0
        soon = now + timedelta(hours=self._settings.grant_warning_hours)
        for grant in self._state.view().grants.values():
            # A grant shorter than twice the warning would be announced as ending when it begins.
            short = grant.valid_to - grant.valid_from < 2 * timedelta(hours=self._settings.grant_warning_hours)
            if is_active(grant, now) and grant.valid_to <= soon and not short:
                data: dict[str, object] = {
                    "dataset": grant.dataset,
                    "user": sorted(grant.subject.users),
                    "group": sorted(grant.subject.groups),
                    "purpose": grant.purpose,
                    "until": rfc3339(grant.valid_to),
                }
                count += self._once("grant.expiring", grant.name, rfc3339(grant.valid_to) or "", data)
        for document in self._store.documents(REQUEST, label=str(RequestState.REVIEW)):
            request = AccessRequest.from_json(document.spec or {})
            if now >= request.expires_at:
                data = {"dataset": request.dataset, "user": request.requester, "due": rfc3339(request.expires_at)}
                count += self._once("breakglass.overdue", request.id, rfc3339(request.expires_at) or "", data)
        return count

    def _once(self, kind: str, about: str, moment: str, data: dict[str, object]) -> int:
        name = f"{kind}/{about}"
        with self._store.transaction():
            present = self._store.get(KIND, name)
            if present is not None and present.label == moment:
                return 0
            self._store.apply([Change(KIND, name, {"at": moment}, label=moment)], self._clock())
            self._events.emit(kind, about, data)
        return 1
