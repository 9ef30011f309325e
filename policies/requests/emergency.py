"""Emergency access: taken at once, reviewed afterwards. `policies.requests.break_glass` has the rules, this the effects."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from catalog.errors import InvalidInput
from policies import workflow
from policies.access_request import AccessRequest, RequestState
from policies.decision.agents import require_person
from policies.declared.state import GovernanceState
from policies.matching import resolve
from policies.model import DatasetFacts, Subject
from policies.ports import Clock, FactsSource
from policies.requests import break_glass as glass
from policies.requests.records import KIND, RequestRecords
from policies.requests.requirements import Requirements
from policies.requests.scope import RequestedFields


class EmergencyAccess:
    """The service of emergency access; its uses are reviewed as requests are, by `Approvals`."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        requirements: Requirements,
        records: RequestRecords,
        clock: Clock,
    ) -> None:
        self._state, self._facts, self._clock = state, facts, clock
        self._requirements, self._records = requirements, records

    def use(
        self,
        subject: Subject,
        dataset: str,
        fields: Sequence[str] = ("*",),
        *,
        purpose: str,
        reason: str,
        lasting: timedelta | None = None,
        rows: str | None = None,
    ) -> AccessRequest:
        """Take access at once, where every workflow about it lets this subject; the grant is there when this returns.

        The request then waits in state `review`. Raises NotAllowed, InvalidInput, Conflict, DatasetNotFound.
        """
        require_person(subject, "takes emergency access")
        now, purpose = self._clock(), purpose.strip()
        facts = self._facts.facts(dataset)
        if not purpose:
            raise InvalidInput("Emergency access needs a purpose, as in --purpose incident.")
        self._state.view().purposes.require_new(purpose)
        scope = self._requirements.asked(subject, facts, fields, None, rows)
        terms = self._terms(subject, facts, scope)
        with self._state.store.transaction():
            earlier = self._earlier()
            self._state.view().purposes.require_new(purpose)  # one may be deleted or declared meanwhile
            lasts = glass.check(subject.user, reason, lasting, terms, earlier, now)
            number = secrets.token_hex(6)
            request = AccessRequest(
                id=f"req-{number}",
                requester=subject.user,
                dataset=facts.reference,
                fields=scope.fields,
                unmask=scope.unmask,
                purpose=purpose,
                valid_from=now,
                valid_to=now + lasts,
                created_at=now,
                expires_at=now + terms.review_within,
                stages=terms.stages,
                rows=rows,
                reason=reason.strip(),
                state=RequestState.REVIEW,
                grant=f"{subject.user}-glass-{number}",
                break_glass=True,
            )
            self._requirements.require_opening(subject, facts, request, now)
            self._records.write(request, None, subject.user)
            self._records.record(subject, "breakglass.use", request, "allow")
            self._records.grant(request, subject.user, now)
        return request

    def _terms(self, subject: Subject, facts: DatasetFacts, scope: RequestedFields) -> glass.Terms:
        """Of a stream view the owners of its topics review, too."""
        person = resolve(subject, self._state.view().roles)
        terms = glass.terms(person, self._requirements.about(subject, facts, scope), facts.reference)
        return replace(terms, stages=(*terms.stages, *workflow.of_sources(facts)))

    def _earlier(self) -> list[AccessRequest]:
        """Uses that wait for their review, and what was denied."""
        return [
            AccessRequest.from_json(document.spec or {})
            for state in (RequestState.REVIEW, RequestState.DENIED)
            for document in self._state.store.documents(KIND, label=str(state))
        ]
