"""Delegates: who decides in place of an approver who is away. Set by the approver, or by a manager for them.

One delegation a person, for a time. A delegate decides what the absent person could decide, signs with their own name,
and never a request of the absent person's own, nor their own. Delegations are not passed on: a delegate's delegate decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from catalog.errors import InvalidInput, NotFound
from catalog.records import rfc3339
from policies.access.identity import Identity
from policies.access.sessions import gone_because
from policies.audit.log import AuditLog
from policies.decision.agents import require_person
from policies.declared.state import GovernanceState
from policies.model import Subject
from policies.ports import Change, Clock, Document
from policies.spellings import same_person

KIND = "Delegation"
MOST_DELEGATES = 20
LONGEST = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class Delegation:
    """`delegates` may decide in place of `user` from `since` to before `until`."""

    user: str
    delegates: tuple[str, ...]
    since: datetime
    until: datetime

    def holds(self, now: datetime) -> bool:
        return self.since <= now < self.until

    @staticmethod
    def from_document(document: Document) -> Delegation:
        spec = document.spec or {}
        return Delegation(
            document.name,
            tuple(spec["delegates"]),
            datetime.fromisoformat(spec["from"]),
            datetime.fromisoformat(spec["until"]),
        )


class Delegations:
    """The service of delegations."""

    def __init__(self, state: GovernanceState, identity: Identity, audit: AuditLog, clock: Clock) -> None:
        self._state, self._identity, self._audit, self._clock = state, identity, audit, clock
        self._store = state.store

    def set(
        self,
        subject: Subject,
        delegates: Sequence[str],
        until: datetime,
        since: datetime | None = None,
        user: str | None = None,
    ) -> Delegation:
        """Name who decides in one's place; another's place takes the permission `manage`. Replaces an earlier one.

        Raises InvalidInput (nobody, oneself, someone disabled, another spelling, a time that is over or too long), NotAllowed.
        """
        whose = self._whose(subject, user)
        now = self._clock()
        start = since or now
        names = tuple(dict.fromkeys(d.strip() for d in delegates if d.strip()))
        if not names or len(names) > MOST_DELEGATES:
            raise InvalidInput(f"Name between 1 and {MOST_DELEGATES} delegates.", details={"field": "delegates"})
        if any(same_person(whose, each) for each in names):
            raise InvalidInput(f"{whose} cannot be their own delegate.", details={"field": "delegates"})
        if start.tzinfo is None or until.tzinfo is None or until <= max(start, now) or until - start > LONGEST:
            raise InvalidInput(
                "A delegation needs an end with a zone, later than now and its beginning, within a year.",
                details={"field": "until"},
            )
        view = self._state.view()
        for name in names:
            if gone_because(view, name) is not None:
                raise InvalidInput(f"{name} cannot be a delegate: disabled or deleted.", details={"field": "delegates"})
            meant = [each for each in sorted(view.people) if same_person(each, name)]
            if meant and name not in meant:
                raise InvalidInput(
                    f"{name} is another spelling of {meant[0]}; name {meant[0]}.", details={"field": "delegates"}
                )
        delegation = Delegation(whose, names, start, until)
        spec_json = {"delegates": list(names), "from": rfc3339(start), "until": rfc3339(until)}
        with self._store.transaction():
            self._store.apply([Change(KIND, whose, spec_json, by=subject.user)], now)
            self._audit.record(subject.user, "delegation.set", whose, "allow", [], spec_json)
        return delegation

    def end(self, subject: Subject, user: str | None = None) -> None:
        """Take a delegation back. Raises NotFound, NotAllowed."""
        whose = self._whose(subject, user)
        with self._store.transaction():
            if self._store.get(KIND, whose) is None:
                raise NotFound(f"{whose} has no delegates.")
            self._store.apply([Change(KIND, whose, None, by=subject.user)], self._clock())
            self._audit.record(subject.user, "delegation.end", whose, "allow")

    def of(self, user: str) -> Delegation | None:
        """The delegation of a user, present or to come; None when there is none or it is over."""
        document = self._store.get(KIND, user)
        delegation = Delegation.from_document(document) if document is not None else None
        return delegation if delegation is not None and self._clock() < delegation.until else None

    def for_delegate(self, user: str) -> list[str]:
        """In whose place a user may decide now."""
        now = self._clock()
        delegations = (Delegation.from_document(d) for d in self._store.documents(KIND))
        return sorted(d.user for d in delegations if user in d.delegates and d.holds(now))

    def acting(self) -> list[Delegation]:
        """Every delegation that holds now."""
        now = self._clock()
        return [each for d in self._store.documents(KIND) if (each := Delegation.from_document(d)).holds(now)]

    def _whose(self, subject: Subject, user: str | None) -> str:
        require_person(subject, "names delegates")
        if user is not None and user != subject.user:
            self._identity.require(subject, "manage")
            return user
        return subject.user
