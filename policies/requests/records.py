"""Access requests as they are kept: each written with its grant and its audit entry, in the caller's transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from catalog.errors import Conflict
from catalog.ports import EventSink
from catalog.records import rfc3339
from policies import request_transitions as transitions
from policies.access_request import UNDECIDED, AccessRequest
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.declared import kinds
from policies.matching import EVERYTHING
from policies.model import GrantStatus, Subject
from policies.ports import Change, Clock, Document, PolicyStore
from policies.purposes import NO_PURPOSES, Purposes
from policies.requests.grant_terms import extended_spec, grant_spec, not_found

KIND = "AccessRequest"

_EVENTS = {
    "request.create": "access.requested",
    "request.approve": "access.decided",
    "request.deny": "access.decided",
    "request.cancel": "access.withdrawn",
    "request.ask-back": "access.asked_back",
    "request.comment": "access.commented",
    "request.escalate": "access.escalated",
    "breakglass.use": "breakglass.used",
}


class RequestRecords:
    """Documents of requests, the grants they end in, and the events about them."""

    def __init__(
        self,
        store: PolicyStore,
        audit: AuditLog,
        clock: Clock,
        events: EventSink | None,
        purposes: Callable[[], Purposes] = lambda: NO_PURPOSES,
    ) -> None:
        self._purposes = purposes
        self._store, self._audit, self._clock, self._events = store, audit, clock, events

    def grant(self, request: AccessRequest, by: str, now: datetime) -> None:
        """The grant of an approved request, or the later end of the one it extends, in the same transaction."""
        if request.extends is not None:
            self._extend(request, by, now)
            return
        if EVERYTHING in request.dataset:  # it was made before such a request was refused
            raise Conflict(
                f"{request.dataset} has a * in its name, which a grant takes for any text; deny the request."
            )
        name = request.grant or request.id
        self._store.apply([Change("Grant", name, grant_spec(request, now), by=by, expect=0)], now)
        event = {"dataset": request.dataset, "user": request.requester, "purpose": request.purpose}
        self._tell("grant.issued", name, {**event, "request": request.id, "until": rfc3339(request.valid_to)})

    def _extend(self, request: AccessRequest, by: str, now: datetime) -> None:
        present = self._store.get("Grant", request.extends or "")
        if present is None or (present.spec or {}).get("status") != GrantStatus.APPROVED:
            raise Conflict(f"Grant {request.extends} is not there any more, so its end cannot be moved.")
        spec = extended_spec(present.spec or {}, request)
        kinds.parse("Grant", present.name, spec)
        self._store.apply([Change("Grant", present.name, spec, present.metadata, by, expect=present.version)], now)
        about = {"dataset": request.dataset, "user": request.requester, "purpose": request.purpose}
        self._tell("grant.extended", present.name, {**about, "request": request.id, "until": rfc3339(request.valid_to)})

    def revoke(self, request: AccessRequest, by: str, now: datetime) -> None:
        """End the grant of a break-glass use that its reviewer objects to, in the same transaction."""
        document = self._store.get("Grant", request.grant or "")
        if document is None or (document.spec or {}).get("status") != GrantStatus.APPROVED:
            return
        spec = {**(document.spec or {}), "status": str(GrantStatus.REVOKED), "revokedBy": by, "reason": "review"}
        self._store.apply([Change("Grant", document.name, spec, document.metadata, by, expect=document.version)], now)
        self._tell("grant.revoked", document.name, {"dataset": request.dataset, "user": request.requester, "by": by})

    def expire(self, document: Document, request: AccessRequest, now: datetime) -> None:
        """Write that a request has expired, in a transaction of its own."""
        ended = transitions.at(request, now)
        try:
            with self._store.transaction():
                self.write(ended, document.version, None)
                self._audit.record("weir", "request.expire", request.dataset, "deny", [], {"request": request.id})
        except Conflict:
            return  # another has written it meanwhile

    def document(self, request_id: str) -> Document:
        """Raises NotFound."""
        document = self._store.get(KIND, request_id)
        if document is None:
            raise not_found(request_id)
        return document

    def waiting(self, request: AccessRequest, now: datetime) -> AccessRequest | None:
        """The undecided request that asks for the same, None where there is none."""
        earlier = self.undecided()
        return next((each for each in earlier if each.expires_at > now and each.asks_the_same(request)), None)

    def undecided(self) -> list[AccessRequest]:
        """Requests that wait for a decision or an answer; some of them may be over by time."""
        return [
            AccessRequest.from_json(document.spec or {})
            for state in UNDECIDED
            for document in self._store.documents(KIND, label=str(state))
        ]

    def write(self, request: AccessRequest, expect: int | None, by: str | None) -> None:
        """Over the version `expect`, None for a new request. Raises Conflict when another was faster."""
        change = Change(KIND, request.id, request.to_json(), by=by, label=str(request.state), expect=expect or 0)
        self._store.apply([change], self._clock())

    def record(
        self, subject: Subject, action: AuditAction, request: AccessRequest, decision: str, people: Sequence[str] = ()
    ) -> None:
        """The audit's entry of what a subject did, and the event that reports it. `people`: who is to be notified."""
        details: dict[str, object] = {
            "request": request.id,
            "requester": request.requester,
            "state": str(request.state),
            "purpose": request.purpose,
            "fields": list(request.fields),
            "unmask": list(request.unmask),
            "until": rfc3339(request.valid_to),
            **({"grant": request.grant} if request.grant else {}),
            **({"extends": request.extends} if request.extends else {}),
            **({"bundle": request.bundle} if request.bundle else {}),
            **({"ticket": request.ticket} if request.ticket else {}),
            **({"consumer": request.consumer.principal} if request.consumer is not None else {}),
        }
        if request.asked is not None:
            details["asked"] = request.asked.to_json()
        if action == "request.escalate":
            details["people"] = list(people)
        last = request.votes[-1] if request.votes else None
        if last is not None and last.instead_of is not None and last.by == subject.user:
            details["insteadOf"] = last.instead_of
        if last is not None and last.escalated and last.by == subject.user:
            details["escalated"] = True
        if (path := self._purposes().recorded(request.purpose)) is not None:
            details["purposePath"] = path
        reasons = [request.reason] if request.break_glass and action == "breakglass.use" else []
        noted = {**details, **subject.sign_in_method}
        self._audit.record(subject.user, action, request.dataset, decision, reasons, noted)
        if action in _EVENTS:
            event = {**details, "dataset": request.dataset, "by": subject.user}
            if action == "request.escalate":
                event["level"] = request.escalated
            self._tell(_EVENTS[action], request.id, event)

    def _tell(self, kind: str, about: str, data: Mapping[str, Any]) -> None:
        if self._events is not None:
            self._events.emit(kind, about, data)
