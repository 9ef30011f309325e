"""Who decides an item: named people, owners, somebody else where these would decide on their own right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from policies.access.sessions import gone_because
from policies.campaigns.model import ReviewerSet, Right
from policies.campaigns.rights import Rights
from policies.declared.builtin import ADMIN_USER
from policies.declared.campaign_specs import ReviewersSpec
from policies.declared.person_names import name_key
from policies.declared.spec_parts import PeopleSpec
from policies.declared.state import View
from policies.effective.people import Given
from policies.matching import resolve
from policies.model import DatasetFacts, Subject, SubjectMatch
from policies.workflow import NOBODY, Approvers

MOST_NAMED = 50
"""Names of reviewers that a set lists."""


class Reviewing:
    """Who decides which right, by what is declared at one moment."""

    def __init__(self, spec: ReviewersSpec, view: View, given: Given, rights: Rights) -> None:
        self._spec, self._view = spec, view
        self._named = _match(spec)
        self._alive = frozenset(rights.people)
        self._by: dict[tuple[str, str], set[str]] = defaultdict(set)
        managers: set[str] = set()
        for name in rights.people:
            built_in = frozenset({"admin"}) if name == ADMIN_USER else frozenset()
            subjects = [
                view.subject(name, roles=built_in), *(view.subject(name, g.groups, g.roles) for g in given.get(name, ()))
            ]  # fmt: skip
            for subject in subjects:
                roles = resolve(subject, view.roles).roles
                for group in subject.groups:
                    self._by["group", group].add(name)
                for role in roles:
                    self._by["role", role].add(name)
                if any(role is not None and "manage" in role.permissions for role in roles.values()):
                    managers.add(name)
        self._managers = frozenset(managers)
        self._known: dict[SubjectMatch, frozenset[str]] = {}

    def of(self, right: Right, opened: Iterable[DatasetFacts]) -> ReviewerSet:
        """The people who decide a right that opens these datasets; never its holder alone."""
        holders = self._holders(right)
        match, why = self._first(list(opened))
        if can := self._people(match) - holders:
            return _set(match, why, can)
        if self._view.providers and (match.groups or match.roles) and not self._people(match):
            others = self._instead(holders, "as none of these has signed in")
            return _set(_joined(match, others.match.people), f"{why}, or {others.why}", others.users)
        return self._instead(holders, "in place of its holder" if self._people(match) else "as nobody else is known")

    def _instead(self, holders: frozenset[str], instead: str) -> ReviewerSet:
        """The fallback, else those who manage."""
        if self._spec.fallback is not None:
            match = _match(self._spec.fallback)
            if can := self._people(match) - holders:
                return _set(match, f"{_words(match)}, {instead}", can)
        can = self._managers - holders
        words = f"those who manage, {instead}" if can else "nobody: only its holder manages"
        return _set(SubjectMatch(users=can), words, can)

    def _first(self, opened: list[DatasetFacts]) -> tuple[SubjectMatch, str]:
        named, words = self._named, [_words(self._named)] if self._named != NOBODY else []
        if not self._spec.owners or not opened:
            return named, ", ".join(words)
        if len(opened) == 1:
            owners = opened[0].owners
            owners_words = f"the owners of {opened[0].reference}"
        else:  # who owns all of them alone may judge what opens all of them
            every = frozenset.intersection(*(self._people(facts.owners) for facts in opened))
            owners, owners_words = SubjectMatch(users=every), f"who owns all {len(opened)} datasets"
        if not self._people(owners) and not (self._view.providers and owners.groups):
            return named, ", ".join(words)
        return _joined(named, owners), ", ".join([owners_words, *words])

    def _holders(self, right: Right) -> frozenset[str]:
        if right.person is not None:
            key = name_key(right.person)
            return frozenset(name for name in self._alive if name_key(name) == key)
        return self._people(SubjectMatch(
            groups=frozenset({right.group} - {None}), roles=frozenset({right.role} - {None})  # type: ignore[arg-type]
        ))  # fmt: skip

    def _people(self, match: SubjectMatch) -> frozenset[str]:
        known = self._known.get(match)
        if known is None:
            members = (self._by.get((kind, name), set()) for kind, names in
                       (("group", match.groups), ("role", match.roles)) for name in names)  # fmt: skip
            # Who is named may be known to an identity provider alone, so only who is gone does not count.
            named = frozenset(name for name in match.users if gone_because(self._view, name) is None)
            known = self._known[match] = named | frozenset().union(*members)
        return known


def holds(subject: Subject, right: Right, view: View) -> bool:
    """Whether the right is the subject's own, by a group or role too. Capitals do not matter."""
    if right.person is not None:
        return name_key(right.person) == name_key(subject.user)
    if right.group is not None:
        return right.group in subject.groups
    return right.role in resolve(subject, view.roles).roles


def _set(match: SubjectMatch, why: str, people: Iterable[str]) -> ReviewerSet:
    return ReviewerSet(Approvers(people=match), why, tuple(sorted(people)[:MOST_NAMED]))


def _joined(one: SubjectMatch, other: SubjectMatch) -> SubjectMatch:
    return SubjectMatch(
        users=one.users | other.users, groups=one.groups | other.groups, roles=one.roles | other.roles
    )  # fmt: skip


def _match(spec: PeopleSpec) -> SubjectMatch:
    return SubjectMatch(users=frozenset(spec.users), groups=frozenset(spec.groups), roles=frozenset(spec.roles))


def _words(match: SubjectMatch) -> str:
    named = (("", match.users), ("group ", match.groups), ("role ", match.roles))
    return ", ".join(f"{kind}{name}" for kind, names in named for name in sorted(names))
