"""Who has access to a dataset or a place in it, at one moment. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from catalog.paths import FieldPath
from catalog.records import rfc3339
from policies.access.sessions import gone_because
from policies.decision.places import Places
from policies.declared.state import View
from policies.matching import dataset_matches, is_active
from policies.model import DatasetFacts, Effect, Grant, Subject
from policies.purposes import Purposes


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
            "by": self.by,
            "until": rfc3339(self.until),
            "purpose": self.purpose,
            "legalBasis": self.legal_basis,
            "retention": self.retention,
        }


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
            "kind": self.kind,
            "subject": self.subject,
            "via": list(self.via),
            "masked": self.masked,
            "mask": self.mask,
            "until": rfc3339(self.until),
            "purpose": self.purpose,
            "rows": list(self.rows),
            "clearWhen": self.clear_when,
            "ways": [way.to_json() for way in self.ways],
        }


def who_has_access(
    view: View, facts: DatasetFacts, place: FieldPath | None, now: datetime, unscanned_is_sensitive: bool
) -> Sequence[Access]:
    """Everybody known who could read the dataset, or the place in it.

    Users as declared, owners and grantees; and the groups and roles themselves, whose members may be known elsewhere.
    """
    accesses: list[Access] = []
    for kind, name, subject in _principals(view, facts, now):
        seen: set[tuple[object, ...]] = set()
        stated = view.stated(g for g in view.grants_of(subject) if is_active(g, now))
        for purpose in (None, *stated):
            access = _access(kind, name, subject, view, facts, place, purpose, now, unscanned_is_sensitive)
            if access is None:
                continue
            what = (access.masked, access.mask, access.rows, access.via, access.clear_when)
            if what not in seen:
                seen.add(what)
                accesses.append(access)
    return sorted(accesses, key=lambda a: (a.kind != "user", a.kind, a.subject, a.purpose or ""))


def _access(
    kind: str,
    name: str,
    subject: Subject,
    view: View,
    facts: DatasetFacts,
    place: FieldPath | None,
    purpose: str | None,
    now: datetime,
    unscanned_is_sensitive: bool,
) -> Access | None:
    decision = view.decide(subject, facts, purpose, now, unscanned_is_sensitive)
    at_place = decision.columns if place is None else Places(decision.columns).deciding(place)
    columns = [c for c in at_place if c.effect is Effect.ALLOW]
    if decision.effect is not Effect.ALLOW or (not columns and (place is not None or decision.columns)):
        return None
    masked = [c for c in columns if c.mask is not None]
    via = dict.fromkeys(
        "owner" if r.kind == "owner" else f"{r.kind} {r.name}"
        for r in (itertools.chain.from_iterable(c.reasons for c in columns) if columns else decision.reasons)
        if r.kind in ("role", "owner", "grant") and r.name != "rows"
    )
    granted = {f"grant {g.name}": g for g in view.grants_of(subject)}
    ways = tuple(_way(by, granted.get(by), view.purposes) for by in via)
    ends = [way.until for way in ways if way.until is not None]
    until = min(ends, default=None)
    return Access(
        kind=kind,
        subject=name,
        via=tuple(via),
        masked=bool(columns) and len(masked) == len(columns),
        mask=str(masked[0].mask.type) if masked and masked[0].mask else None,
        until=until,
        purpose=purpose,
        rows=tuple(f.where for f in decision.filters),
        clear_when=next((c.clear_when for c in masked if c.clear_when), None),
        ways=ways,
    )


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
