"""Access requests that waited for the word of a person who is gone: who decides them now."""

from __future__ import annotations

from catalog.ports import EventSink
from policies.access_request import OPEN, AccessRequest
from policies.audit.log import AuditLog
from policies.declared.state import GovernanceState
from policies.requests.approvers import Deciders
from policies.requests.records import KIND


class Readdressing:
    """Nothing of a request is written: who may decide is computed from what is declared. This records the change, and
    lets those know who decide now."""

    def __init__(self, state: GovernanceState, deciders: Deciders, audit: AuditLog, events: EventSink) -> None:
        self._state, self._deciders, self._audit, self._events = state, deciders, audit, events

    def readdress(self, user: str) -> list[str]:
        """Ids of the open requests whose present stage the user could have decided."""
        subject = self._state.view().subject(user)
        moved = []
        for label in OPEN:
            for document in self._state.store.documents(KIND, label=label):
                request = AccessRequest.from_json(document.spec or {})
                facts = self._deciders.facts_or_none(request.dataset)
                if request.requester == user or not self._deciders.is_approver(
                    subject, request, request.current, facts
                ):
                    continue
                now = self._deciders.people(request, facts)
                data = {"dataset": request.dataset, "requester": request.requester, "was": user, "waitsFor": now}
                self._audit.record(
                    "weir",
                    "request.readdress",
                    request.dataset,
                    "allow",
                    [f"{user} is gone"],
                    {"request": request.id, **data},
                )
                self._events.emit("access.requested", request.id, data)
                moved.append(request.id)
        return moved
