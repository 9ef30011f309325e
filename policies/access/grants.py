"""Grants: listed, revoked, and who has access to a field, now or at a past moment."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from catalog.errors import Conflict, DatasetNotFound, NotAllowed, NotFound
from catalog.paths import FieldPath
from catalog.ports import EventSink
from catalog.records import rfc3339
from policies.access.identity import Identity
from policies.access.sessions import gone_because
from policies.audit import AuditLog
from policies.decision.domains import Domain, Power
from policies.decision.places import Places
from policies.declared import kinds
from policies.declared.state import GovernanceState, View
from policies.matching import dataset_matches, is_active, resolve
from policies.model import DatasetFacts, Effect, Grant, GrantStatus, Subject
from policies.ports import Change, Clock, FactsSource
from policies.purposes import Purposes
from policies.settings import PolicySettings


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that opens a place: `role NAME`, `owner` or `grant NAME`; a grant has an end and a purpose, and a declared
    purpose a legal basis and a retention."""

    by: str
    until: datetime | None = None
    purpose: str | None = None

    legal_basis: str | None = None
    retention: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {
            "by": self.by, "until": rfc3339(self.until), "purpose": self.purpose, "legalBasis": self.legal_basis,
            "retention": self.retention,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Access:
    """That somebody may read a place.

    kind      user | group | role: what `subject` is the name of
    via       what opens it: role NAME | owner | grant NAME
    ways      the same one by one: each with its own end and purpose, which only a grant has
    masked    True when every value of it is masked; mask: the mask's name, of the first masked field
    purpose   the purpose the query must state; None = it works without
    until     when the earliest grant it rests on ends, and what is shown changes; None = no end is known
    rows      the row filters, and the condition under which a masked value is shown unmasked
    """

    kind: str
    subject: str
    via: tuple[str, ...]
    masked: bool
    mask: str | None
    until: datetime | None
    purpose: str | None = None
    rows: tuple[str, ...] = ()
    clear_when: str | None = None
    ways: tuple[Way, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind, "subject": self.subject, "via": list(self.via), "masked": self.masked,
            "mask": self.mask, "until": rfc3339(self.until), "purpose": self.purpose, "rows": list(self.rows),
            "clearWhen": self.clear_when, "ways": [way.to_json() for way in self.ways],
        }  # fmt: skip


def status_at(grant: Grant, now: datetime) -> GrantStatus:
    """The status as shown: an approved grant whose time is over is expired."""
    if grant.status is GrantStatus.APPROVED and now >= grant.valid_to:
        return GrantStatus.EXPIRED
    return grant.status


def grant_json(grant: Grant, now: datetime) -> dict[str, Any]:
    """A grant as the API gives it."""
    subject = {
        kind: sorted(names)[0]
        for kind, names in (
            ("user", grant.subject.users), ("group", grant.subject.groups), ("role", grant.subject.roles)
        ) if names
    }  # fmt: skip
    return {
        "name": grant.name,
        "status": str(status_at(grant, now)),
        "active": is_active(grant, now),
        "subject": subject,
        "dataset": grant.dataset,
        "fields": list(grant.fields),
        "unmask": list(grant.unmask),
        "rows": grant.rows,
        "purpose": grant.purpose,
        "validFrom": rfc3339(grant.valid_from),
        "validTo": rfc3339(grant.valid_to),
        "requestedBy": grant.requested_by,
        "approvedBy": list(grant.approved_by),
        "breakGlass": grant.break_glass,
    }


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
        mine = {g.name for g in view.grants_of(subject)}
        sees_all = everybody and bool(self._identity.permissions(subject) & {"manage", "audit:read"})
        domains = self._domains(subject, view) if everybody else []
        grants = [
            g for g in view.grants.values()
            if (dataset is None or dataset_matches(g.dataset, dataset))
            and (
                g.name in mine or sees_all
                or (everybody and (_within(domains, g) or self._owns(subject, view, g)))
            )
        ]  # fmt: skip
        return sorted(grants, key=lambda g: (g.valid_to, g.name), reverse=True)

    def active(self, subject: Subject, reference: str) -> Sequence[Grant]:
        """The subject's grants that open something of a dataset now, the one that ends first in front."""
        now = self._clock()
        grants = [
            g for g in self._state.view().grants_of(subject)
            if is_active(g, now) and dataset_matches(g.dataset, reference)
        ]  # fmt: skip
        return sorted(grants, key=lambda g: (g.valid_to, g.name))

    def purposes(self, subject: Subject) -> Sequence[str]:
        """Purposes the subject may state somewhere now."""
        now = self._clock()
        view = self._state.view()
        granted = {g.purpose for g in view.grants_of(subject) if is_active(g, now)}
        return sorted({name for each in granted for name in view.purposes.below(each) if view.purposes.is_known(name)})

    def revoke(self, subject: Subject, name: str, reason: str = "") -> Grant:
        """End a grant now. Every query that is admitted after this returns is decided without it.

        For managers, owners of the dataset, admins of its domain, those who approved it, and the grantee.
        Raises NotFound, NotAllowed, Conflict when it does not open anything any more.
        """
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
            self._audit.record(by, "grant.revoke", grant.dataset, "allow", [reason] if reason else [],
                               {"grant": name, "users": sorted(grant.subject.users)})  # fmt: skip
            if self._events is not None:
                details = {"dataset": grant.dataset, "user": sorted(grant.subject.users), "by": by}
                self._events.emit("grant.revoked", name, details)
        return replace(grant, status=GrantStatus.REVOKED)

    def may_revoke(self, subject: Subject, grant: Grant) -> bool:
        """Whether `revoke` would let the subject end this grant."""
        return self._may_revoke(subject, self._state.view(), grant)

    def _may_see(self, subject: Subject, view: View, grant: Grant) -> bool:
        if any(g.name == grant.name for g in view.grants_of(subject)):
            return True
        allowed = self._identity.permissions(subject) & {"manage", "audit:read"}
        return (
            bool(allowed)
            or subject.user in grant.approved_by
            or _within(self._domains(subject, view), grant)
            or self._owns(subject, view, grant)
        )

    def _may_revoke(self, subject: Subject, view: View, grant: Grant) -> bool:
        return (
            subject.user in grant.subject.users
            or subject.user in grant.approved_by
            or "manage" in self._identity.permissions(subject)
            or _within(self._domains(subject, view), grant)
            or self._owns(subject, view, grant)
        )

    def _domains(self, subject: Subject, view: View) -> Sequence[Domain]:
        """Domains on whose grants the subject decides."""
        return [
            view.domains[name] for name, powers in self._identity.domains(subject).items()
            if Power.APPROVE in powers and name in view.domains
        ]  # fmt: skip

    def _owns(self, subject: Subject, view: View, grant: Grant) -> bool:
        if "*" in grant.dataset:  # spares a search for the nearest names
            return False
        try:
            owners = self._facts.facts(grant.dataset).owners
        except DatasetNotFound:
            return False
        return resolve(subject, view.roles).among(owners)

    # --- who has access --------------------------------------------------------------------------------------------

    def who_has_access(
        self, reference: str, path: str | None = None, as_of: datetime | None = None
    ) -> Sequence[Access]:
        """Everybody known who could read a dataset, or one place in it, now or then.

        Users as declared, owners and grantees; and the groups and roles themselves, whose members may be known
        elsewhere. Raises DatasetNotFound, InvalidInput for a path that cannot be read.
        """
        now = as_of or self._clock()
        facts = self._facts.facts(reference, as_of)
        view = self._state.view(as_of)
        place = FieldPath.parse(path) if path is not None else None
        accesses: list[Access] = []
        for kind, name, subject in _principals(view, facts, now):
            seen: set[tuple[object, ...]] = set()
            stated = view.stated(g for g in view.grants_of(subject) if is_active(g, now))
            for purpose in (None, *stated):
                access = self._access(kind, name, subject, view, facts, place, purpose, now)
                if access is None:
                    continue
                what = (access.masked, access.mask, access.rows, access.via, access.clear_when)
                if what not in seen:
                    seen.add(what)
                    accesses.append(access)
        return sorted(accesses, key=lambda a: (a.kind != "user", a.kind, a.subject, a.purpose or ""))

    def _access(
        self, kind: str, name: str, subject: Subject, view: View, facts: DatasetFacts, place: FieldPath | None,
        purpose: str | None, now: datetime,
    ) -> Access | None:  # fmt: skip
        decision = view.decide(subject, facts, purpose, now, self._settings.unscanned_is_sensitive)
        at_place = decision.columns if place is None else Places(decision.columns).deciding(place)
        columns = [c for c in at_place if c.effect is Effect.ALLOW]
        if decision.effect is not Effect.ALLOW or (not columns and (place is not None or decision.columns)):
            return None
        masked = [c for c in columns if c.mask is not None]
        via = dict.fromkeys(
            "owner" if r.kind == "owner" else f"{r.kind} {r.name}"
            for r in (itertools.chain.from_iterable(c.reasons for c in columns) if columns else decision.reasons)
            if r.kind in ("role", "owner", "grant") and r.name != "rows"
        )  # fmt: skip
        granted = {f"grant {g.name}": g for g in view.grants_of(subject)}
        ways = tuple(_way(by, granted.get(by), view.purposes) for by in via)
        ends = [way.until for way in ways if way.until is not None]
        until = min(ends, default=None)
        return Access(
            kind, name, tuple(via), bool(columns) and len(masked) == len(columns),
            str(masked[0].mask.type) if masked and masked[0].mask else None, until, purpose,
            tuple(f.where for f in decision.filters), next((c.clear_when for c in masked if c.clear_when), None), ways,
        )  # fmt: skip


def _way(by: str, grant: Grant | None, purposes: Purposes) -> Way:
    if grant is None:
        return Way(by)
    return Way(
        by, grant.valid_to, grant.purpose, purposes.legal_basis(grant.purpose), purposes.retention(grant.purpose)
    )


def _principals(view: View, facts: DatasetFacts, now: datetime) -> Iterable[tuple[str, str, Subject]]:
    active = [g for g in view.grants.values() if is_active(g, now) and dataset_matches(g.dataset, facts.reference)]
    users = view.people | facts.owners.users
    for name in sorted(users.union(*(g.subject.users for g in active)) - view.removed_users):
        if gone_because(view, name) is None:
            yield "user", name, view.subject(name)
    for name in sorted(set(view.groups) | facts.owners.groups.union(*(g.subject.groups for g in active))):
        roles = frozenset(view.groups[name].roles) if name in view.groups else frozenset()
        yield "group", name, Subject("", frozenset({name}), roles)
    for name in sorted(set(view.roles).union(*(g.subject.roles for g in active))):
        yield "role", name, Subject("", frozenset(), frozenset({name}))


def _within(domains: Iterable[Domain], grant: Grant) -> bool:
    """Whether all that a grant is about is within one of some domains."""
    return any(domain.has_all(grant.dataset) for domain in domains)
