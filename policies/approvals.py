"""Access requests: made, decided in stages, ended in a grant. `policies.workflow` has the rules, this the effects.

A request, the grant it ends in and their audit entries are written in one transaction. Two approvers at once: each
writes only over the state it has read, and looks again when another was faster.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from catalog.errors import Conflict, InvalidInput, NotAllowed, NotFound
from catalog.records import rfc3339
from policies import kinds, workflow
from policies.audit import AuditLog
from policies.identity import Identity
from policies.matching import resolve
from policies.model import DatasetFacts, GrantStatus, Subject
from policies.ports import Change, Clock, Document, FactsSource
from policies.requests import Asked, matching_workflows, read_fields, shortest
from policies.settings import PolicySettings
from policies.state import GovernanceState
from policies.workflow import AccessRequest, Approvers, RequestState, Stage

KIND = "AccessRequest"
_ATTEMPTS = (
    5  # of writing over a state that others change too; more approvers than this at one instant are told to retry
)

OWNERS = (Stage("owner", Approvers(owners=True)),)
"""Who decides where no workflow is about the dataset."""


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
        check_condition: Callable[[str], object] = lambda _: None,
    ) -> None:
        self._state, self._facts, self._identity, self._audit, self._clock = state, facts, identity, audit, clock
        self._store = state.store
        self._settings = settings or PolicySettings()
        self._check_condition = check_condition

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
    ) -> AccessRequest:
        """Ask for access for oneself. `unmask` None: every requested field is to be shown clear; () = masks stay.

        Raises DatasetNotFound, InvalidInput (a field that is not there, a purpose that is missing, a time too long).
        """
        now = self._clock()
        facts = self._facts.facts(dataset)
        if not purpose.strip():
            raise InvalidInput("An access request needs a purpose, as in --purpose fraud-investigation.")
        if rows is not None:
            self._check_condition(rows)
        asked = read_fields(facts, fields, unmask)
        stages, longest, expires_after = self._required(facts, asked)
        start = valid_from or now
        end = valid_to or start + min(timedelta(days=self._settings.default_grant_days), longest)
        _check_times(start, end, now, longest)
        request = AccessRequest(
            "req-" + secrets.token_hex(6), subject.user, facts.reference, asked.fields, asked.unmask, purpose.strip(),
            start, end, now, now + expires_after, stages, rows, reason,
        )  # fmt: skip
        with self._store.transaction():
            self._write(request, None, subject.user)
            self._record(subject, "request.create", request, "allow")
        return request

    def _required(self, facts: DatasetFacts, asked: Asked) -> tuple[tuple[Stage, ...], timedelta, timedelta]:
        """Stages, longest access and life of a request, by every workflow that is about what is asked for."""
        view = self._state.view()
        broken = [text for text in view.problems if text.startswith("Workflow ")]
        if broken:
            raise Conflict(f"Access cannot be asked for while a workflow cannot be read: {broken[0]}")
        found = matching_workflows(view.workflows, facts, asked)
        longest = shortest((w.max_duration for w in found), timedelta(days=self._settings.max_grant_days))
        expires = shortest(
            (w.request_expires_after for w in found), timedelta(days=self._settings.request_expires_days)
        )
        return (workflow.joined(found) or OWNERS), longest, expires

    # --- deciding --------------------------------------------------------------------------------------------------

    def approve(self, subject: Subject, request_id: str, comment: str = "") -> AccessRequest:
        """Approve the stage that waits; the last stage's quorum makes the grant.

        Raises NotFound, NotAllowed (not an approver; one's own request), Conflict (decided; voted already).
        """
        return self._decide(subject, request_id, "approve", comment)

    def deny(self, subject: Subject, request_id: str, comment: str = "") -> AccessRequest:
        """Deny; that ends the request. Raises as `approve`."""
        return self._decide(subject, request_id, "deny", comment)

    def _decide(self, subject: Subject, request_id: str, verdict: str, comment: str) -> AccessRequest:
        def step(request: AccessRequest, now: datetime) -> AccessRequest:
            voted = workflow.vote(request, subject.user, verdict, now, comment)
            facts = self._facts.facts(request.dataset)
            if not self._may_decide(subject, request, request.current, facts):
                raise NotAllowed(
                    f"{subject.user} is no approver of stage {request.current.name!r} of access request {request.id}.",
                    details={"reasons": [f"stage {request.current.name} asks for {_names(request.current.approvers)}"]},
                )
            if voted.state is RequestState.APPROVED:
                # Fields may have been tagged, or workflows declared, since the request was made.
                asked = Asked(request.fields, request.unmask)
                more = workflow.extended(voted, self._required(facts, asked)[0])
                if len(more.stages) > len(voted.stages):
                    return replace(more, state=RequestState.PENDING, stage=len(voted.stages))
                return replace(voted, grant=f"{request.requester}-{request.id.removeprefix('req-')}")
            return voted

        return self._change(subject, request_id, f"request.{verdict}", step)

    def cancel(self, subject: Subject, request_id: str) -> AccessRequest:
        """Take one's own request back; a manager may take any. Raises NotFound, NotAllowed, Conflict."""

        def step(request: AccessRequest, now: datetime) -> AccessRequest:
            if subject.user != request.requester:
                self._identity.require(subject, "manage")
            return workflow.cancel(request, now)

        return self._change(subject, request_id, "request.cancel", step)

    def _change(
        self, subject: Subject, request_id: str, action: str, step: Callable[[AccessRequest, datetime], AccessRequest]
    ) -> AccessRequest:
        for attempt in range(_ATTEMPTS):
            now = self._clock()
            document = self._document(request_id)
            before = AccessRequest.from_json(document.spec or {})
            if not self._may_see(subject, before):
                raise _not_found(request_id)
            if workflow.at(before, now).state is not before.state:
                self._expire(document, before, now)
            after = step(before, now)
            try:
                with self._store.transaction():
                    self._write(after, document.version, subject.user)
                    if after.state is RequestState.APPROVED:
                        self._grant(after, now)
                    verdict = "deny" if after.state is RequestState.DENIED else "allow"
                    self._record(subject, action, after, verdict)
                return after
            except Conflict:
                if attempt + 1 == _ATTEMPTS:
                    raise
        raise AssertionError("the loop above returns or raises")

    def _grant(self, request: AccessRequest, now: datetime) -> None:
        """The grant of an approved request, in the same transaction."""
        spec = {
            "subject": {"user": request.requester},
            "dataset": request.dataset,
            "fields": list(request.fields),
            "unmask": list(request.unmask),
            **({"rows": request.rows} if request.rows is not None else {}),
            "purpose": request.purpose,
            "validFrom": rfc3339(max(request.valid_from, now)),
            "validTo": rfc3339(request.valid_to),
            "requestedBy": request.requester,
            "approvedBy": list(dict.fromkeys(v.by for v in request.votes if v.verdict == "approve")),
            "status": str(GrantStatus.APPROVED),
            "request": request.id,
        }
        name = request.grant or request.id
        kinds.parse("Grant", name, spec)
        self._store.apply([Change("Grant", name, spec, by=request.votes[-1].by, expect=0)], now)

    def _expire(self, document: Document, request: AccessRequest, now: datetime) -> None:
        ended = workflow.at(request, now)
        try:
            with self._store.transaction():
                self._write(ended, document.version, None)
                self._audit.record("weir", "request.expire", request.dataset, "deny", [], {"request": request.id})
        except Conflict:
            return  # another has written it meanwhile

    # --- reading ---------------------------------------------------------------------------------------------------

    def get(self, subject: Subject, request_id: str) -> AccessRequest:
        """One request, for those who may see it: requester, approvers, managers, auditors. Raises NotFound."""
        request = AccessRequest.from_json(self._document(request_id).spec or {})
        if not self._may_see(subject, request):
            raise _not_found(request_id)
        return workflow.at(request, self._clock())

    def list(
        self, subject: Subject, state: str | None = None, *, mine: bool = False, to_decide: bool = False
    ) -> Sequence[AccessRequest]:
        """Requests the subject may see, newest first. `to_decide`: only those that wait for their word."""
        if state is not None and state not in RequestState.__members__.values():
            raise InvalidInput(f"There is no state {state!r}; there are {', '.join(RequestState)}.")
        now = self._clock()
        # Pending ones may have expired since they were written, so the label alone does not tell the expired.
        label = state if state in (None, RequestState.PENDING, RequestState.APPROVED, RequestState.DENIED) else None
        found = [
            workflow.at(AccessRequest.from_json(d.spec or {}), now)
            for d in self._store.documents(KIND, label=RequestState.PENDING if to_decide else label)
        ]
        kept = [
            r for r in found
            if (state is None or r.state == state)
            and (not mine or r.requester == subject.user)
            and (self._waits_for(subject, r) if to_decide else self._may_see(subject, r))
        ]  # fmt: skip
        return sorted(kept, key=lambda r: (r.created_at, r.id), reverse=True)

    def _document(self, request_id: str) -> Document:
        found = self._store.get(KIND, request_id)
        if found is None:
            raise _not_found(request_id)
        return found

    def _may_see(self, subject: Subject, request: AccessRequest) -> bool:
        if subject.user == request.requester or any(v.by == subject.user for v in request.votes):
            return True
        if self._identity.permissions(subject) & {"manage", "audit:read"}:
            return True
        facts = self._facts_or_none(request.dataset)
        return any(self._may_decide(subject, request, stage, facts) for stage in request.stages)

    def _waits_for(self, subject: Subject, request: AccessRequest) -> bool:
        stage = request.current
        return (
            request.state is RequestState.PENDING
            and subject.user != request.requester
            and not any(v.by == subject.user and v.stage == stage.name for v in request.votes)
            and self._may_decide(subject, request, stage, self._facts_or_none(request.dataset))
        )

    def _may_decide(self, subject: Subject, request: AccessRequest, stage: Stage, facts: DatasetFacts | None) -> bool:
        """Whether the subject is an approver of a stage.

        Where a stage asks for owners and there is none but the requester, managers stand in for them.
        """
        view = self._state.view()
        who = resolve(subject, view.roles)
        if who.among(stage.approvers.people):
            return True
        if not stage.approvers.owners:
            return False
        owners = facts.owners if facts is not None else None
        if owners is not None and who.among(owners):
            return True
        ownerless = owners is None or (not owners.groups and owners.users <= {request.requester})
        return ownerless and "manage" in self._identity.permissions(subject)

    def _facts_or_none(self, reference: str) -> DatasetFacts | None:
        try:
            return self._facts.facts(reference)
        except NotFound:
            return None

    def _write(self, request: AccessRequest, expect: int | None, by: str | None) -> None:
        change = Change(KIND, request.id, request.to_json(), by=by, label=str(request.state), expect=expect or 0)
        self._store.apply([change], self._clock())

    def _record(self, subject: Subject, action: str, request: AccessRequest, decision: str) -> None:
        details = {
            "request": request.id, "state": str(request.state), "purpose": request.purpose,
            "fields": list(request.fields), "unmask": list(request.unmask), "until": rfc3339(request.valid_to),
            **({"grant": request.grant} if request.grant else {}),
        }  # fmt: skip
        self._audit.record(subject.user, action, request.dataset, decision, [], details)


def _check_times(start: datetime, end: datetime, now: datetime, longest: timedelta) -> None:
    if start.tzinfo is None or end.tzinfo is None:
        raise InvalidInput("from and until need a zone, as in 2026-06-01T00:00:00Z.")
    if end <= start or end <= now:
        raise InvalidInput("until must be later than from, and later than now.")
    if end - max(start, now) > longest + timedelta(minutes=5):  # five minutes: the caller counted from his own clock
        raise InvalidInput(
            f"Access for {_days(end - max(start, now))} is too long: the workflow allows {_days(longest)};"
            " ask for less time.",
            details={"maxDurationSeconds": int(longest.total_seconds())},
        )


def _days(span: timedelta) -> str:
    return f"{span.days} days" if span >= timedelta(days=2) else f"{span.total_seconds() / 3600:.0f} hours"


def _names(approvers: Approvers) -> str:
    named = approvers.to_json()
    owners = ["an owner of the dataset"] if named.pop("owners", False) else []
    return " or ".join([*owners, *(f"{kind}: {', '.join(names)}" for kind, names in named.items())])


def _not_found(request_id: str) -> NotFound:
    return NotFound(f"There is no access request {request_id!r} that you may see.", details={"id": request_id})
