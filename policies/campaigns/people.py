"""The people of one moment: who is in a group, holds a role, manages, is a reviewer; and whether somebody is one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from catalog.errors import NotFound
from policies.access.sessions import gone_because
from policies.campaigns.model import ReviewerSet, Right
from policies.declared.builtin import ADMIN_USER
from policies.declared.state import View
from policies.effective.people import Given
from policies.matching import resolve
from policies.model import Subject, SubjectMatch
from policies.ports import FactsSource
from policies.spellings import name_key
from policies.workflow import NOBODY

OwnersOf = Callable[[str], SubjectMatch]
"""`CLUSTER/TOPIC` -> who owns it."""


@dataclass
class Owners:
    """The owners of datasets as they are now; each is read once, so make one for one piece of work."""

    source: FactsSource
    _known: dict[str, SubjectMatch] = field(default_factory=dict)

    def __call__(self, reference: str) -> SubjectMatch:
        """Nobody, for a dataset that is gone."""
        if reference not in self._known:
            try:
                self._known[reference] = self.source.facts(reference).owners
            except NotFound:
                self._known[reference] = NOBODY
        return self._known[reference]


class KnownPeople:
    """Everybody known. `names`: who may sign in; `given`: what providers give those whose sessions continue."""

    def __init__(self, view: View, given: Given, names: Iterable[str]) -> None:
        self._view = view
        self.names = frozenset(names)
        self._by: dict[tuple[str, str], set[str]] = defaultdict(set)
        managers: set[str] = set()
        for name in self.names:
            built_in = frozenset({"admin"}) if name == ADMIN_USER else frozenset()
            subjects = [
                view.subject(name, roles=built_in), *(view.subject(name, g.groups, g.roles) for g in given.get(name, ()))
            ]  # fmt: skip
            for subject in subjects:
                for group in subject.groups:
                    self._by["group", group].add(name)
                for role in resolve(subject, view.roles).roles:
                    self._by["role", role].add(name)
                if manages(subject, view):
                    managers.add(name)
        self.managers = frozenset(managers)
        self._matches: dict[SubjectMatch, frozenset[str]] = {}

    def of(self, match: SubjectMatch) -> frozenset[str]:
        """Whom a match means."""
        people = self._matches.get(match)
        if people is None:
            members = (self._by.get((kind, name), set()) for kind, names in
                       (("group", match.groups), ("role", match.roles)) for name in names)  # fmt: skip
            # Who is named may be known to an identity provider alone, so only who is gone does not count.
            named = frozenset(name for name in match.users if gone_because(self._view, name) is None)
            people = self._matches[match] = named | frozenset().union(*members)
        return people

    def reviewers(self, reviewers: ReviewerSet, owners: OwnersOf) -> frozenset[str]:
        """Who is in a set of reviewers."""
        people = self.of(reviewers.match.people) | (self.managers if reviewers.managers else frozenset())
        if reviewers.match.owners and reviewers.datasets:
            people |= frozenset.intersection(*(self.of(owners(each)) for each in reviewers.datasets))
        return people

    def holders(self, right: Right) -> frozenset[str]:
        """Whose own a right is, by a group or role too. Capitals do not matter."""
        if right.person is not None:
            key = name_key(right.person)
            return frozenset(name for name in self.names if name_key(name) == key)
        return self.of(SubjectMatch(
            groups=frozenset({right.group} - {None}), roles=frozenset({right.role} - {None})  # type: ignore[arg-type]
        ))  # fmt: skip


def is_reviewer(subject: Subject, reviewers: ReviewerSet, view: View, owners: OwnersOf) -> bool:
    """Whether a subject is in a set of reviewers now: by name, group or role, as an owner of all its datasets, or as one
    who manages."""
    who = resolve(subject, view.roles)
    if who.among(reviewers.match.people) or (reviewers.managers and manages(subject, view)):
        return True
    of_owners = reviewers.match.owners and bool(reviewers.datasets)
    return of_owners and all(who.among(owners(each)) for each in reviewers.datasets)


def manages(subject: Subject, view: View) -> bool:
    """Whether one of the subject's roles carries `manage`."""
    roles = resolve(subject, view.roles).roles.values()
    return any(role is not None and "manage" in role.permissions for role in roles)
