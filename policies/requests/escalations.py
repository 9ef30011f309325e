"""Requests that nobody decides: brought to the approvers' delegates, then to those who manage. A duty of the worker."""

from __future__ import annotations

from datetime import datetime, timedelta

from catalog.errors import Conflict
from policies.access_request import AccessRequest, RequestState
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import Clock, Document
from policies.requests.approvers import Deciders
from policies.requests.records import KIND, RequestRecords
from policies.requests.scope import RequestedFields, matching_workflows, shortest
from policies.requests.talk import DELEGATES, MANAGERS, due, escalate
from policies.settings import PolicySettings

_PAUSE = timedelta(seconds=30)
WEIR = Subject("weir")


class Escalations:
    """Call `step` now and then. What was escalated is written in the request, so a restart repeats nothing."""

    def __init__(
        self,
        state: GovernanceState,
        deciders: Deciders,
        records: RequestRecords,
        clock: Clock,
        settings: PolicySettings | None = None,
    ) -> None:
        self._state, self._deciders, self._records, self._clock = state, deciders, records, clock
        self._settings = settings or PolicySettings()
        self._next = clock()

    def step(self) -> int:
        """Escalate what is due; how many were. Looks at most every half minute. Raises Unavailable."""
        now = self._clock()
        if now < self._next:
            return 0
        self._next = now + _PAUSE
        pending = self._state.store.documents(KIND, label=str(RequestState.PENDING))
        return sum(self._escalate(document, now) for document in pending)

    def _escalate(self, document: Document, now: datetime) -> int:
        request = AccessRequest.from_json(document.spec or {})
        level = due(request, now, self._after(request))
        if not level:
            return 0
        people = self._deciders.delegates(request) if level == DELEGATES else ()
        if not people:  # nobody to bring it to at this level
            level, people = MANAGERS, self._deciders.managers(request)
        escalated = escalate(request, now, level, people)
        try:
            with self._state.store.transaction():
                self._records.write(escalated, document.version, WEIR.user)
                self._records.record(WEIR, "request.escalate", escalated, "allow", people=list(people))
        except Conflict:
            return 0  # somebody decided it meanwhile
        return 1

    def _after(self, request: AccessRequest) -> timedelta:
        usual = timedelta(hours=self._settings.escalate_after_hours)
        workflows = self._state.view().workflows
        if not any(each.escalate_after for each in workflows):
            return usual
        facts = self._deciders.facts_or_none(request.dataset)
        if facts is None:
            return usual
        about = matching_workflows(workflows, facts, RequestedFields(request.fields, request.unmask))
        return shortest((each.escalate_after for each in about), usual)
