"""Access requests: made, decided in stages, ended in a grant. `policies.request_transitions` has the rules, this
the effects.

A request, the grant it ends in and their audit entries are written in one transaction. Two approvers at once: each
writes only over the state it has read, and looks again when another was faster.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.change_cache import one_moment
from catalog.errors import Conflict, DatasetNotFound, InvalidInput, NotAllowed
from catalog.ports import EventSink
from policies import request_transitions as transitions
from policies.access.identity import Identity
from policies.access.sessions import gone_because
from policies.access_request import AccessRequest, Consumer, RequestState
from policies.audit.actions import AuditAction
from policies.audit.log import AuditLog
from policies.decision.agents import reaches, require_person, stated_purpose
from policies.declared.state import GovernanceState
from policies.model import DatasetFacts, Subject
from policies.ports import Clock, FactsSource
from policies.requests import talk
from policies.requests.approvers import Deciders
from policies.requests.delegation import Delegations
from policies.requests.emergency import EmergencyAccess
from policies.requests.grant_terms import (
    check_extension,
    check_requester,
    check_ticket,
    check_times,
    end_by_default,
    not_found,
)
from policies.requests.narrowing import Part, marked, narrowed
from policies.requests.records import KIND, RequestRecords
from policies.requests.requirements import Requirements
from policies.requests.scope import RequestedFields
from policies.responsible import Responsibility, own_owners
from policies.settings import PolicySettings

_ATTEMPTS = 5
"""Of writing over a state that others change too; with more approvers than this at one instant, the last is asked to retry."""

OwnConsumer = Callable[[Subject, DatasetFacts, str], Consumer]
"""Who asks, the dataset, a name -> the consumer. Raises InvalidInput, Conflict, and NotAllowed where it is not the asker's."""


class Approvals:
    """The service of access requests."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        identity: Identity,
        audit: AuditLog,
        clock: Clock,
        settings: PolicySettings | None = None,
        check_condition: Callable[[str], Iterable[str]] = lambda _: (),
        events: EventSink | None = None,
        own_consumer: OwnConsumer | None = None,
        responsibility: Responsibility = own_owners,
    ) -> None:
        """`check_condition` gives the fields that rows name, and raises InvalidInput for rows that cannot be used."""
        self._own_consumer = own_consumer
        self._state, self._facts, self._identity, self._clock = state, facts, identity, clock
        self._store = state.store
        self._settings = settings or PolicySettings()
        self.requirements = Requirements(state, self._settings, check_condition)
        self.records = RequestRecords(state.store, audit, clock, events, lambda: state.view().purposes)
        self.emergency = EmergencyAccess(state, facts, self.requirements, self.records, clock)
        self.delegations = Delegations(state, identity, audit, clock)
        self.deciders = Deciders(
            state, facts, identity, self.delegations, self._settings.escalated_managers_decide, responsibility
        )

    # --- asking ----------------------------------------------------------------------------------------------------

    def create(
        self,
        subject: Subject,
        dataset: str,
        fields: Sequence[str] = ("*",),
        *,
        purpose: str,
        valid_from: datetime | None = None,
        valid_to: datetime | None = None,
        rows: str | None = None,
        unmask: Sequence[str] | None = None,
        reason: str = "",
        ticket: str = "",
        bundle: str | None = None,
        template: str | None = None,
        consumer: str | None = None,
    ) -> AccessRequest:
        """Request access for oneself. `unmask` None: every requested field is to be shown unmasked; () = masks stay.
        `consumer`: for a Kafka consumer of one's own, see `OwnConsumer`.

        Where the same is asked already and waits, that request is given: a client whose connection broke asks again.
        Raises DatasetNotFound, InvalidInput (a field that is not there, a purpose that is missing, a time too long).
        """
        now, purpose = self._clock(), stated_purpose(subject, purpose.strip() or None) or ""
        if subject.agent is not None:
            if not reaches(subject.agent, dataset):
                raise DatasetNotFound(
                    f"There is no dataset {dataset!r} that you may know of.", details={"dataset": dataset}
                )
            reason = f"Asked for by agent {subject.agent.name}. {reason}".strip()
        facts = self._facts.facts(dataset)
        if not purpose:
            raise InvalidInput("An access request needs a purpose, as in --purpose fraud-investigation.")
        self._state.view().purposes.require_new(purpose)
        scope = self.requirements.asked(subject, facts, fields, unmask, rows)
        ticket = check_ticket(ticket, self._settings)
        required = self.requirements.required(facts, scope)
        start, end = self._span(valid_from, valid_to, now, required.longest)
        request = AccessRequest(
            id="req-" + secrets.token_hex(6),
            requester=subject.user,
            dataset=facts.reference,
            fields=scope.fields,
            unmask=scope.unmask,
            purpose=purpose,
            valid_from=start,
            valid_to=end,
            created_at=now,
            expires_at=now + required.expires_after,
            stages=required.stages,
            rows=rows,
            reason=reason,
            ticket=ticket,
            bundle=bundle,
            template=template,
            consumer=self._consumer(subject, facts, consumer),
        )
        return self.add(subject, request, now)

    def _consumer(self, subject: Subject, facts: DatasetFacts, name: str | None) -> Consumer | None:
        if name is None:
            return None
        if self._own_consumer is None:
            raise InvalidInput("Access for Kafka consumers is not requested here.", details={"field": "consumer"})
        return self._own_consumer(subject, facts, name)

    def _span(
        self, start: datetime | None, end: datetime | None, now: datetime, longest: timedelta
    ) -> tuple[datetime, datetime]:
        """Start and end of the access, where they are missing by default. Raises InvalidInput."""
        begin = start or now
        default = min(timedelta(days=self._settings.default_grant_days), longest)
        until = end or end_by_default(begin, default)
        check_times(begin, until, now, longest)
        return begin, until

    def add(self, subject: Subject, request: AccessRequest, now: datetime) -> AccessRequest:
        """Keep a new request; where the same is pending already, that one is given."""
        with self._store.transaction():
            self._state.view().purposes.require_new(request.purpose)  # one may be deleted or declared meanwhile
            if (waiting := self.records.waiting(request, now)) is not None:
                return waiting
            self.records.write(request, None, subject.user)
            self.records.record(subject, "request.create", request, "allow")
        return request

    # --- deciding --------------------------------------------------------------------------------------------------

    def approve(self, subject: Subject, request_id: str, comment: str = "", part: Part | None = None) -> AccessRequest:
        """Approve the stage that waits, in whole or in part; the last stage's quorum makes the grant.

        Raises NotFound, NotAllowed (not an approver; one's own request), Conflict (decided; voted already; the requester left),
        InvalidInput for a part that is more than what was requested.
        """
        return self._decide(subject, request_id, "approve", comment, part or Part())

    def deny(self, subject: Subject, request_id: str, comment: str = "") -> AccessRequest:
        """Deny; that ends the request. Raises as `approve`."""
        return self._decide(subject, request_id, "deny", comment, Part())

    def _decide(self, subject: Subject, request_id: str, verdict: str, comment: str, part: Part) -> AccessRequest:
        def step(request: AccessRequest, now: datetime) -> AccessRequest:
            transitions.vote(request, subject.user, verdict, now, comment)  # what is wrong with the request goes first
            facts = self.deciders.facts_or_none(request.dataset)
            right = self.deciders.require(subject, request, facts)
            if verdict == "approve" and not request.break_glass:
                check_requester(request, self._state.view())
            if not part.is_whole and request.break_glass:
                raise InvalidInput("A use of emergency access is approved or denied as a whole.")
            left = request if part.is_whole else narrowed(request, part, self._facts.facts(request.dataset), now)
            if verdict == "approve" and request.extends is not None:
                check_extension(left, self._state.view().grants.get(request.extends), now)
            voted = transitions.vote(left, subject.user, verdict, now, comment, right.instead_of, right.escalated)
            voted = marked(voted, request.terms)
            if voted.state is RequestState.APPROVED and not request.break_glass:
                facts = self._facts.facts(request.dataset)
                # Fields may have been tagged, or workflows declared, since the request was made.
                more = transitions.extended(
                    voted, self.requirements.required(facts, RequestedFields(voted.fields, voted.unmask)).stages
                )
                if len(more.stages) > len(voted.stages):
                    return replace(more, state=RequestState.PENDING)
                if request.extends is not None:
                    return replace(voted, grant=request.extends)
                return replace(voted, grant=f"{request.requester}-{request.id.removeprefix('req-')}")
            return voted

        action: AuditAction = "request.approve" if verdict == "approve" else "request.deny"
        return self._change(subject, request_id, action, step)

    def cancel(self, subject: Subject, request_id: str) -> AccessRequest:
        """Take one's own request back; a manager may take any. Raises NotFound, NotAllowed, Conflict."""

        def step(request: AccessRequest, now: datetime) -> AccessRequest:
            if subject.user != request.requester:
                self._identity.require(subject, "manage")
            return transitions.cancel(request, now)

        return self._change(subject, request_id, "request.cancel", step)

    # --- talking ---------------------------------------------------------------------------------------------------

    def ask_back(self, subject: Subject, request_id: str, text: str) -> AccessRequest:
        """Ask the requester something; escalation waits until the answer.

        Raises NotFound, NotAllowed (who may not decide the present stage), Conflict, InvalidInput.
        """

        def step(request: AccessRequest, now: datetime) -> AccessRequest:
            after = talk.ask_back(request, subject.user, now, text)
            self.deciders.require(subject, request, self.deciders.facts_or_none(request.dataset))
            return after

        return self._change(subject, request_id, "request.ask-back", step)

    def comment(self, subject: Subject, request_id: str, text: str) -> AccessRequest:
        """Write into the thread; the requester's comment answers a question. Raises NotFound, Conflict, InvalidInput."""
        return self._change(
            subject, request_id, "request.comment", lambda r, now: talk.comment(r, subject.user, now, text)
        )

    def _change(
        self,
        subject: Subject,
        request_id: str,
        action: AuditAction,
        step: Callable[[AccessRequest, datetime], AccessRequest],
    ) -> AccessRequest:
        require_person(subject, "decides on requests or changes one")
        for attempt in range(_ATTEMPTS):
            now = self._clock()
            document = self.records.document(request_id)
            before = AccessRequest.from_json(document.spec or {})
            if not self.deciders.may_see(subject, before):
                raise not_found(request_id)
            if transitions.at(before, now).state is not before.state:
                self.records.expire(document, before, now)
                document = self.records.document(request_id)
                before = AccessRequest.from_json(document.spec or {})
            try:
                # Who may decide is read in the transaction that writes the decision: a right that ends meanwhile ends it.
                with self._store.transaction():
                    if gone := gone_because(self._state.view(), subject.user):
                        raise NotAllowed(f"{subject.user} {gone}, and decides nothing any more.")
                    after = step(before, now)
                    self.records.write(after, document.version, subject.user)
                    ends = after.state is not before.state
                    if ends and after.state is RequestState.APPROVED and not after.break_glass:
                        self.records.grant(after, subject.user, now)
                    if ends and after.state is RequestState.DENIED and after.break_glass:
                        self.records.revoke(after, subject.user, now)
                    verdict = "deny" if ends and after.state is RequestState.DENIED else "allow"
                    self.records.record(subject, action, after, verdict)
                return after
            except Conflict:
                if attempt + 1 == _ATTEMPTS:
                    raise
        raise AssertionError("the loop above returns or raises")

    # --- reading ---------------------------------------------------------------------------------------------------

    def get(self, subject: Subject, request_id: str) -> AccessRequest:
        """One request, for those who may see it: requester, approvers, managers, auditors. Raises NotFound."""
        request = AccessRequest.from_json(self.records.document(request_id).spec or {})
        if not self.deciders.may_see(subject, request):
            raise not_found(request_id)
        return transitions.at(request, self._clock())

    def list(
        self,
        subject: Subject,
        state: str | None = None,
        *,
        mine: bool = False,
        to_decide: bool = False,
        bundle: str | None = None,
    ) -> Sequence[AccessRequest]:
        """Requests the subject may see, newest first. `to_decide`: only those that wait for their word."""
        if state is not None and state not in RequestState.__members__.values():
            raise InvalidInput(f"There is no state {state!r}; there are {', '.join(RequestState)}.")
        now = self._clock()
        # Pending ones may have expired since they were written, so the label alone does not tell the expired.
        label = None if state == RequestState.EXPIRED else state
        labels: Sequence[str | None] = (RequestState.PENDING, RequestState.REVIEW) if to_decide else [label]
        requests = [
            transitions.at(AccessRequest.from_json(d.spec or {}), now)
            for each in labels
            for d in self._store.documents(KIND, label=each)
        ]
        with one_moment():
            matches = [
                r
                for r in requests
                if (state is None or r.state == state)
                and (not mine or r.requester == subject.user)
                and bundle in (None, r.bundle)
                and (self.deciders.can_decide(subject, r) if to_decide else self.deciders.may_see(subject, r))
            ]
        return sorted(matches, key=lambda r: (r.created_at, r.id), reverse=True)
