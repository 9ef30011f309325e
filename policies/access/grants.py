"""Grants: listed and revoked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from catalog.errors import Conflict, DatasetNotFound, NotAllowed, NotFound
from catalog.paths import FieldPath
from catalog.ports import EventSink
from policies.access.identity import Identity
from policies.access.who_has_access import Access, WhoHasAccess, require_known
from policies.audit.log import AuditLog
from policies.decision.agents import concerns, require_person
from policies.decision.domains import Domain, Power
from policies.declared import kinds
from policies.declared.state import GovernanceState, View
from policies.matching import dataset_matches, is_active, resolve
from policies.model import Grant, GrantStatus, Subject
from policies.ports import Change, Clock, FactsSource
from policies.settings import PolicySettings


def status_at(grant: Grant, now: datetime) -> GrantStatus:
    """The status as shown: an approved grant whose time is over is expired."""
    if grant.status is GrantStatus.APPROVED and now >= grant.valid_to:
        return GrantStatus.EXPIRED
    return grant.status


class Grants:
    """The service of grants and of the access report."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        identity: Identity,
        audit: AuditLog,
        clock: Clock,
        settings: PolicySettings | None = None,
        events: EventSink | None = None,
    ) -> None:
        self._state, self._facts, self._identity, self._audit, self._clock = state, facts, identity, audit, clock
        self._events = events
        self._settings = settings or PolicySettings()

    def list(self, subject: Subject, *, everybody: bool = False, dataset: str | None = None) -> Sequence[Grant]:
        """The subject's own grants; with `everybody`, all that they may see: of their datasets, or all for managers."""
        view = self._state.view()
        mine = {g.name for g in view.grants_of(subject)} | {n for n, g in view.grants.items() if _requested(subject, g)}
        if subject.agent is not None:  # those of its person, as far as they are about its datasets
            everybody, agent = False, subject.agent
            mine = {name for name in mine if concerns(agent, view.grants[name].dataset)}
        sees_all = everybody and bool(self._identity.permissions(subject) & {"manage", "audit:read"})
        domains = self._domains(subject, view) if everybody else []
        grants = [
            g
            for g in view.grants.values()
            if (dataset is None or dataset_matches(g.dataset, dataset))
            and (g.name in mine or sees_all or (everybody and (_within(domains, g) or self._owns(subject, view, g))))
        ]
        return sorted(grants, key=lambda g: (g.valid_to, g.name), reverse=True)

    def active(self, subject: Subject, reference: str) -> Sequence[Grant]:
        """The subject's grants that open something of a dataset now, the one that ends first in front."""
        now = self._clock()
        grants = [
            g
            for g in self._state.view().grants_of(subject)
            if is_active(g, now) and dataset_matches(g.dataset, reference)
        ]
        return sorted(grants, key=lambda g: (g.valid_to, g.name))

    def purposes(self, subject: Subject) -> Sequence[str]:
        """Purposes the subject may state somewhere now."""
        now = self._clock()
        view = self._state.view()
        agent = subject.agent
        granted = {
            g.purpose
            for g in view.grants_of(subject)
            if is_active(g, now) and (agent is None or (g.purpose == agent.purpose and concerns(agent, g.dataset)))
        }
        return sorted({name for each in granted for name in view.purposes.below(each) if view.purposes.is_known(name)})

    def revoke(self, subject: Subject, name: str, reason: str = "") -> Grant:
        """End a grant now. Every query that is admitted after this returns is decided without it.

        For managers, owners of the dataset, admins of its domain, those who approved it, and the grantee.
        Raises NotFound, NotAllowed, Conflict when it does not open anything any more.
        """
        require_person(subject, "ends grants")
        store = self._state.store
        with store.transaction():
            view = self._state.view()
            grant = view.grants.get(name)
            if grant is None or not self._may_see(subject, view, grant):
                raise NotFound(f"There is no grant {name!r} that you may see; list grants to see their names.")
            if not self._may_revoke(subject, view, grant):
                raise NotAllowed(
                    f"{subject.user} may not revoke grant {name}; an owner of {grant.dataset}, an approver or an"
                    " administrator may.",
                    details={"reasons": ["neither manager, owner, approver nor grantee"]},
                )
            return self.end(name, subject.user, reason)

    def end(self, name: str, by: str, reason: str = "") -> Grant:
        """End a grant as `revoke` does, for a caller that has found `by` to be allowed to. Joins a transaction under way.

        Raises NotFound, Conflict when it does not open anything any more.
        """
        store = self._state.store
        with store.transaction():
            grant = self._state.view().grants.get(name)
            if grant is None:
                raise NotFound(f"There is no grant {name!r}; list grants to see their names.")
            now = self._clock()
            if status_at(grant, now) not in (GrantStatus.APPROVED, GrantStatus.PENDING):
                raise Conflict(f"Grant {name} is {status_at(grant, now)} already.", details={"grant": name})
            document = self._state.get("Grant", name)
            spec = {**(document.spec or {}), "status": str(GrantStatus.REVOKED), "revokedBy": by}
            if reason:
                spec["reason"] = reason
            kinds.parse("Grant", name, spec)
            change = Change("Grant", name, spec, document.metadata, by, expect=document.version)
            store.apply([change], now)
            self._audit.record(
                by,
                "grant.revoke",
                grant.dataset,
                "allow",
                [reason] if reason else [],
                {"grant": name, "users": sorted(grant.subject.users)},
            )
            if self._events is not None:
                details = {"dataset": grant.dataset, "user": sorted(grant.subject.users), "by": by}
                self._events.emit("grant.revoked", name, details)
        return replace(grant, status=GrantStatus.REVOKED)

    def may_revoke(self, subject: Subject, grant: Grant) -> bool:
        """Whether `revoke` would let the subject end this grant."""
        return subject.agent is None and self._may_revoke(subject, self._state.view(), grant)

    def _may_see(self, subject: Subject, view: View, grant: Grant) -> bool:
        if any(g.name == grant.name for g in view.grants_of(subject)):
            return True
        allowed = self._identity.permissions(subject) & {"manage", "audit:read"}
        return (
            bool(allowed)
            or _requested(subject, grant)
            or subject.user in grant.approved_by
            or _within(self._domains(subject, view), grant)
            or self._owns(subject, view, grant)
        )

    def _may_revoke(self, subject: Subject, view: View, grant: Grant) -> bool:
        return (
            subject.user in grant.subject.users
            or _requested(subject, grant)
            or subject.user in grant.approved_by
            or "manage" in self._identity.permissions(subject)
            or _within(self._domains(subject, view), grant)
            or self._owns(subject, view, grant)
        )

    def _domains(self, subject: Subject, view: View) -> Sequence[Domain]:
        """Domains on whose grants the subject decides."""
        return [
            view.domains[name]
            for name, powers in self._identity.domains(subject).items()
            if Power.APPROVE in powers and name in view.domains
        ]

    def _owns(self, subject: Subject, view: View, grant: Grant) -> bool:
        if "*" in grant.dataset:  # spares a search for the nearest names
            return False
        try:
            owners = self._facts.facts(grant.dataset).owners
        except DatasetNotFound:
            return False
        return resolve(subject, view.roles).among(owners)

    def who_has_access(
        self, reference: str, path: str | None = None, as_of: datetime | None = None
    ) -> Sequence[Access]:
        """Everybody known who could read a dataset, or one place in it, now or then.

        Raises DatasetNotFound, InvalidInput for a path that cannot be read.
        """
        return self.access_of(reference, as_of).at(FieldPath.parse(path) if path is not None else None)

    def require_field(self, reference: str, path: str, as_of: datetime | None = None) -> None:
        """Raises DatasetNotFound, NotFound for a field that is not known, InvalidInput for a path that cannot be read."""
        require_known(self._facts.facts(reference, as_of), FieldPath.parse(path), "path")

    def access_of(self, reference: str, as_of: datetime | None = None) -> WhoHasAccess:
        """The same for any number of places of a dataset. Raises DatasetNotFound."""
        return self._access(reference, self._state.view(as_of), as_of)

    def access_of_each(self, references: Iterable[str]) -> Iterator[WhoHasAccess | None]:
        """Of one dataset after the other, by the declarations of now; None for one that is not there any more."""
        view = self._state.view()
        for reference in references:
            try:
                yield self._access(reference, view, None)
            except NotFound:
                yield None

    def _access(self, reference: str, view: View, as_of: datetime | None) -> WhoHasAccess:
        facts = self._facts.facts(reference, as_of)
        return WhoHasAccess(view, facts, as_of or self._clock(), self._settings.unscanned_is_sensitive)


def _within(domains: Iterable[Domain], grant: Grant) -> bool:
    """Whether all that a grant is about is within one of some domains."""
    return any(domain.has_all(grant.dataset) for domain in domains)


def _requested(subject: Subject, grant: Grant) -> bool:
    """Whether a grant for a Kafka consumer is what the subject requested."""
    return grant.consumer is not None and grant.requested_by == subject.user
