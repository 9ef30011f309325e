"""Extending a grant before its end: a request that refers to the grant, decided as any other. The end moves on approval."""

from __future__ import annotations

import secrets
from datetime import datetime

from catalog.errors import Conflict, InvalidInput, NotAllowed
from catalog.records import rfc3339
from policies.access_request import AccessRequest, Consumer
from policies.decision.agents import require_person
from policies.declared.state import GovernanceState
from policies.matching import is_active
from policies.model import Grant, Subject
from policies.ports import Clock, FactsSource
from policies.request_transitions import at
from policies.requests.approvals import Approvals
from policies.requests.grant_terms import check_ticket, check_times
from policies.requests.records import RequestRecords
from policies.requests.scope import RequestedFields
from policies.settings import PolicySettings


class Extensions:
    """The service of extensions; `Approvals` decides them."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        approvals: Approvals,
        records: RequestRecords,
        clock: Clock,
        settings: PolicySettings | None = None,
    ) -> None:
        self._state, self._facts, self._approvals, self._records, self._clock = state, facts, approvals, records, clock
        self._settings = settings or PolicySettings()

    def extend(
        self, subject: Subject, grant: str, until: datetime, reason: str = "", ticket: str = ""
    ) -> AccessRequest:
        """Ask that a grant of one's own ends later. The people who decide such a request now decide this one.

        The same asked again while it is pending gives the first request. Raises NotAllowed (not one's own, or there is
        none of that name), Conflict (over, emergency access, declared, or another extension is pending), InvalidInput.
        """
        require_person(subject, "extends grants")
        now = self._clock()
        present = self._own(subject, grant, now)
        self._require_extensible(present, until)
        facts = self._facts.facts(present.dataset)
        required = self._approvals.requirements.required(facts, RequestedFields(present.fields, present.unmask))
        check_times(now, until, now, required.longest)
        request = AccessRequest(
            id="req-" + secrets.token_hex(6),
            requester=subject.user,
            dataset=present.dataset,
            fields=present.fields,
            unmask=present.unmask,
            purpose=present.purpose,
            valid_from=now,
            valid_to=until,
            created_at=now,
            expires_at=min(now + required.expires_after, present.valid_to),
            stages=required.stages,
            rows=present.rows,
            reason=reason,
            ticket=check_ticket(ticket, self._settings),
            extends=grant,
            consumer=self._consumer(present),
        )
        with self._state.store.transaction():
            self._require_only(request, now)
            return self._approvals.add(subject, request, now)

    def may_extend(self, subject: Subject, grant: str) -> bool:
        """Whether `extend` would take a request of this subject for a grant, given a good end."""
        try:
            grant_now = self._own(subject, grant, self._clock())
        except (NotAllowed, Conflict):
            return False
        document = self._state.store.get("Grant", grant)
        return not grant_now.break_glass and document is not None and bool((document.spec or {}).get("request"))

    def _consumer(self, grant: Grant) -> Consumer | None:
        if grant.consumer is None:
            return None
        groups, users = sorted(grant.subject.groups), sorted(grant.subject.users)
        if groups:
            return Consumer(grant.consumer, "group", groups[0])
        kind = "serviceAccount" if users[0] in self._state.view().services else "user"
        return Consumer(grant.consumer, kind, users[0])

    def _require_extensible(self, grant: Grant, until: datetime) -> None:
        document = self._state.get("Grant", grant.name)
        if grant.break_glass:
            raise Conflict(f"Grant {grant.name} is emergency access, which is not extended; make a request.")
        if not (document.spec or {}).get("request"):
            raise Conflict(
                f"Grant {grant.name} is declared, no request ended in it; its end is changed where it is declared."
            )
        if until.tzinfo is None or until <= grant.valid_to:
            raise InvalidInput(
                f"until must have a zone and be later than the present end of the grant, {rfc3339(grant.valid_to)}.",
                details={"field": "until"},
            )

    def _require_only(self, request: AccessRequest, now: datetime) -> None:
        """Raises Conflict while another extension of the grant waits."""
        for other in self._records.undecided():
            waits = other.extends == request.extends and at(other, now).state is other.state
            if waits and not other.asks_the_same(request):
                raise Conflict(
                    f"Grant {request.extends} has a pending extension already ({other.id});"
                    " withdraw it to ask for another end.",
                    details={"id": other.id, "grant": request.extends},
                )

    def _own(self, subject: Subject, name: str, now: datetime) -> Grant:
        matches = self._state.view().grants.get(name)
        mine = matches is not None and (
            subject.user in matches.subject.users
            or (matches.consumer is not None and matches.requested_by == subject.user)
        )
        if matches is None or not mine:
            raise NotAllowed(
                f"There is no grant {name!r} of yours; only the person whom a grant names may ask to extend it.",
                details={"reasons": ["the grant does not name the caller"]},
            )
        if not is_active(matches, now):
            raise Conflict(f"Grant {name} does not open anything now, so it cannot be extended; make a request.")
        return matches
