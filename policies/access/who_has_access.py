"""Who has access to a dataset or a place in it, at one moment. Pure."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from catalog.errors import NotFound
from catalog.paths import FieldPath
from catalog.records import rfc3339
from policies.access.alike import Alike, Kind
from policies.access.sessions import gone_because
from policies.decision.places import Places
from policies.declared.state import View
from policies.matching import dataset_matches, is_active
from policies.model import DatasetFacts, Decision, Effect, Grant, Subject
from policies.purposes import Purposes

_Group = tuple[Kind, tuple[str, ...]]
"""Those who are alike to the rules, and may state the same purposes."""


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that opens a place: `role NAME`, `owner` or `grant NAME`; a grant has an end and a purpose, and a declared
    purpose a legal basis and a retention."""

    by: str
    until: datetime | None = None
    purpose: str | None = None

    legal_basis: str | None = None
    retention: str | None = None

    def to_json(self) -> dict[str, object]:
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

    def to_json(self) -> dict[str, object]:
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


class WhoHasAccess:
    """Who could read a dataset, and each place in it, at one moment.

    Users as declared, owners and grantees; and the groups and roles themselves, whose members may be known elsewhere.
    Those who are alike to every rule about the dataset are decided on once, for all places.
    """

    def __init__(self, view: View, facts: DatasetFacts, now: datetime, unscanned_is_sensitive: bool) -> None:
        self._view, self._facts, self._now, self._sensitive = view, facts, now, unscanned_is_sensitive
        self._alike = Alike(view, facts, now, unscanned_is_sensitive)
        self._granted = {f"grant {grant.name}": grant for grant in view.grants.values()}
        self._groups: dict[_Group, list[tuple[str, str]]] = {}
        self._decisions: dict[_Group, list[tuple[str | None, Decision, Places]]] = {}
        for kind, name, subject in principals(view, facts, now):
            group = self._group(subject)
            self._groups.setdefault(group, []).append((kind, name))
            if group not in self._decisions:
                self._decisions[group] = self._decided(subject, group[1])

    def at(self, place: FieldPath | None) -> Sequence[Access]:
        """Everybody known who could read the place; the dataset where it is None."""
        accesses: list[Access] = []
        for group, decided in self._decisions.items():
            ways = self._ways(place, decided)
            accesses += [replace(way, kind=kind, subject=name) for kind, name in self._groups[group] for way in ways]
        return sorted(accesses, key=lambda a: (a.kind != "user", a.kind, a.subject, a.purpose or ""))

    def clear_users(self, place: FieldPath) -> set[str]:
        """Users who see values of a place unmasked, in some rows at least; as `at` has them, without the rest of it."""
        return {
            name
            for group, decided in self._decisions.items()
            if any(not way.masked for way in self._ways(place, decided))
            for kind, name in self._groups[group]
            if kind == "user"
        }

    def _group(self, subject: Subject) -> _Group:
        active = (g for g in self._view.grants_of(subject) if is_active(g, self._now))
        return self._alike.kind(subject), tuple(self._view.stated(active))

    def _decided(self, subject: Subject, stated: Sequence[str]) -> list[tuple[str | None, Decision, Places]]:
        """What is decided without a purpose, and with each that they may state, where that opens anything."""
        grants = self._alike.granted(subject)
        decisions = (
            (purpose, self._view.decide(subject, self._facts, purpose, self._now, self._sensitive, grants))
            for purpose in (None, *stated)
        )
        return [(p, each, Places(each.columns)) for p, each in decisions if each.effect is Effect.ALLOW]

    def _ways(self, place: FieldPath | None, decided: Iterable[tuple[str | None, Decision, Places]]) -> list[Access]:
        seen: set[tuple[object, ...]] = set()
        ways = []
        for purpose, decision, places in decided:
            access = self._access(place, purpose, decision, places)
            if access is None:
                continue
            what = (access.masked, access.mask, access.rows, access.via, access.clear_when)
            if what not in seen:
                seen.add(what)
                ways.append(access)
        return ways

    def _access(
        self, place: FieldPath | None, purpose: str | None, decision: Decision, places: Places
    ) -> Access | None:
        """What a decision opens of a place; None for nothing."""
        at_place = decision.columns if place is None else places.deciding(place)
        columns = [c for c in at_place if c.effect is Effect.ALLOW]
        if not columns and (place is not None or decision.columns):
            return None
        masked = [c for c in columns if c.mask is not None]
        via = dict.fromkeys(
            "owner" if r.kind == "owner" else f"{r.kind} {r.name}"
            for r in (itertools.chain.from_iterable(c.reasons for c in columns) if columns else decision.reasons)
            if r.kind in ("role", "owner", "grant") and r.name != "rows"
        )
        ways = tuple(_way(by, self._granted.get(by), self._view.purposes) for by in via)
        return Access(
            kind="",
            subject="",
            via=tuple(via),
            masked=bool(columns) and len(masked) == len(columns),
            mask=str(masked[0].mask.type) if masked and masked[0].mask else None,
            until=min((way.until for way in ways if way.until is not None), default=None),
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


def principals(view: View, facts: DatasetFacts, now: datetime) -> Iterable[tuple[str, str, Subject]]:
    """(kind, name, subject) of everybody known who could have access to a dataset."""
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


def require_known(facts: DatasetFacts, place: FieldPath, parameter: str) -> None:
    """Raises NotFound for a place that no field is or holds: of a mistyped name it would read as if nobody had access."""
    paths = [FieldPath.parse(each.path) for each in facts.fields]
    if not any(path.contains(place) or place.contains(path) for path in paths):
        raise NotFound(
            f"{facts.reference} has no field {place} that is known; the dataset's schema lists them.",
            details={"field": parameter, "dataset": facts.reference},
        )
