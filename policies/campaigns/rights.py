"""Which rights there are now: grants, roles and groups that people hold, owners of datasets; each with its sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from policies.access.sessions import gone_because
from policies.campaigns.model import Kind, Right
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import View
from policies.effective.people import Given
from policies.matching import dataset_matches, is_active, resolve
from policies.model import DatasetFacts, Grant, Subject
from policies.ports import Clock

PROVIDER = "identity provider"
BUILT_IN = "built in"


class Rights:
    """The rights of one moment. `given`: what providers give people whose sessions continue."""

    def __init__(self, view: View, given: Given, clock: Clock) -> None:
        self._view, self._given, self._now = view, given, clock()

    @property
    def people(self) -> list[str]:
        """Everybody known who may sign in, by name."""
        return [name for name in sorted({ADMIN_USER, *self._view.people, *self._given}) if self._there(name)]

    # --- one by one, as `Ending` and a look behind a decision need them -----------------------------------------------

    def now(self, right: Right, owners: DatasetFacts | None = None) -> Right | None:
        """The same right as it is now; None when the holder does not have it any more. `owners`: of the dataset it names."""
        match right.kind:
            case Kind.GRANT:
                grant = self._view.grants.get(right.name)
                mine = self.grants([grant]) if grant is not None else ()
                return next((each for each in mine if each.holder == right.holder), None)
            case Kind.ROLE:
                return self.role(right.person or "", right.name)
            case Kind.GROUP:
                return self.group(right.person or "", right.name)
            case Kind.OWNER:
                owned = self.owners(owners) if owners is not None else ()
                return next((each for each in owned if each.person == right.person), None)

    def role(self, person: str, role: str) -> Right | None:
        """A role that a person holds by name, not by a group."""
        sources = list(self._role_sources(person, role)) if self._there(person) else []
        if not sources:
            return None
        here = any(each.startswith(("User ", "ServiceAccount ")) for each in sources)
        return _marked(Right(Kind.ROLE, role, person, sources=tuple(sources), here=here), self._carried([role]))

    def group(self, person: str, group: str) -> Right | None:
        """A membership."""
        sources = list(self._group_sources(person, group)) if self._there(person) else []
        if not sources:
            return None
        here = any(each.startswith(("User ", "ServiceAccount ", "Group ")) for each in sources)
        declared = self._view.groups.get(group)
        right = Right(Kind.GROUP, group, person, sources=tuple(sources), here=here)
        return _marked(right, self._carried(declared.roles if declared is not None else ()))

    def grants(self, grants: Iterable[Grant]) -> Iterator[Right]:
        """Those of these grants that are active, or will be, once for each holder."""
        for grant in grants:
            coming = replace(grant, valid_from=min(grant.valid_from, self._now))
            if not is_active(coming, self._now):
                continue
            right = Right(
                Kind.GRANT,
                grant.name,
                dataset=grant.dataset,
                purpose=grant.purpose,
                since=grant.valid_from,
                until=grant.valid_to,
                sources=(f"Grant {grant.name}",),
            )
            right = _marked(right, [repr(grant.fields), repr(grant.unmask), grant.rows, repr(sorted(grant.sources))])
            for user in sorted(grant.subject.users):
                if self._there(user):
                    yield replace(right, person=user)
            for group in sorted(grant.subject.groups):
                yield replace(right, group=group)
            for role in sorted(grant.subject.roles):
                yield replace(right, role=role)

    def owners(self, facts: DatasetFacts) -> Iterator[Right]:
        """The people who are named as owners of a dataset."""
        for user in sorted(facts.owners.users):
            if self._there(user):
                yield _marked(
                    Right(
                        Kind.OWNER,
                        facts.reference,
                        user,
                        dataset=facts.reference,
                        sources=(f"Dataset {facts.reference}",),
                        here=False,
                    ),
                    [],
                )

    # --- all of them --------------------------------------------------------------------------------------------------

    def all_grants(self) -> Iterator[Right]:
        """By name of the grant."""
        return self.grants(grant for _, grant in sorted(self._view.grants.items()))

    def memberships(self, roles: Collection[str], groups: Collection[str], people: Iterable[str]) -> Iterator[Right]:
        """Who of these people holds one of these roles by name, or is in one of these groups."""
        for person in people:
            subjects = self._subjects(person)
            names = frozenset().union(*(each.roles for each in subjects))
            for role in sorted(names & set(roles)):
                right = self.role(person, role)
                if right is not None:
                    yield right
            member = frozenset().union(*(each.groups for each in subjects))
            for group in sorted(member & set(groups)):
                right = self.group(person, group)
                if right is not None:
                    yield right

    def _subjects(self, person: str) -> list[Subject]:
        """A person as declared, and with the rights of each session."""
        built_in = frozenset({"admin"}) if person == ADMIN_USER else frozenset()
        return [
            self._view.subject(person, roles=built_in),
            *(self._view.subject(person, each.groups, each.roles) for each in self._given.get(person, ())),
        ]

    def _there(self, person: str) -> bool:
        return bool(person) and gone_because(self._view, person) is None

    def _role_sources(self, person: str, role: str) -> Iterator[str]:
        for kind, specs in (("User", self._view.users), ("ServiceAccount", self._view.services)):
            spec = specs.get(person)
            if spec is not None and role in spec.roles:
                yield f"{kind} {person}"
        if role in self._view.given_by_directory(person).roles:
            yield "directory"
        if any(role in each.roles for each in self._given.get(person, ())):
            yield PROVIDER
        if person == ADMIN_USER and role == "admin":
            yield BUILT_IN

    def _group_sources(self, person: str, group: str) -> Iterator[str]:
        for kind, specs in (("User", self._view.users), ("ServiceAccount", self._view.services)):
            spec = specs.get(person)
            if spec is not None and group in spec.groups:
                yield f"{kind} {person}"
        if group in self._view.listed_in(person):
            yield f"Group {group}"
        if group in self._view.given_by_directory(person).groups:
            yield "directory"
        if any(group in each.groups for each in self._given.get(person, ())):
            yield PROVIDER

    def _carried(self, roles: Iterable[str]) -> list[str]:
        """What roles give, inherited ones too, in an order that does not change."""
        with_inherited = resolve(Subject("", roles=frozenset(roles)), self._view.roles).roles
        return [
            repr((name, role.read, role.row_filters, sorted(role.permissions), role.sees_unscanned, role.inherits))
            if role is not None
            else name
            for name, role in sorted(with_inherited.items(), key=lambda each: each[0])
        ]


def _marked(right: Right, gives: Iterable[str | None]) -> Right:
    """The right with its fingerprint, of its sources, its terms and what it gives."""
    parts = [
        str(right.kind),
        right.name,
        right.dataset,
        right.purpose,
        str(right.until),
        *sorted(right.sources),
        *gives,
    ]
    return replace(right, fingerprint=hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32])


def about(pattern: str, references: Iterable[str]) -> list[str]:
    """The datasets that a grant's pattern names."""
    return [each for each in references if dataset_matches(pattern, each)]
