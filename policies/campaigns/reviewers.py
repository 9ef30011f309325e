"""Who decides an item: named people, owners, somebody else where these would decide on their own right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from policies.campaigns.model import ReviewerSet, Right
from policies.campaigns.people import KnownPeople
from policies.declared.campaign_specs import ReviewersSpec
from policies.declared.spec_parts import PeopleSpec
from policies.declared.state import View
from policies.matching import resolve
from policies.model import DatasetFacts, Subject, SubjectMatch
from policies.spellings import name_key
from policies.workflow import NOBODY, Approvers

MOST_NAMED = 50
"""Names of reviewers that a set lists."""


class Reviewing:
    """Which people decide which right. What it gives is a rule, which is applied to the people of each later moment."""

    def __init__(self, spec: ReviewersSpec, view: View, people: KnownPeople, facts: Mapping[str, DatasetFacts]) -> None:
        self._spec, self._view, self._people, self._facts = spec, view, people, facts
        self._named = _match(spec)

    def of(self, right: Right, opened: Iterable[DatasetFacts]) -> ReviewerSet:
        """The people who decide a right that opens these datasets; never its holder alone."""
        holders = self._people.holders(right)
        first = self._first(list(opened))
        there = self._in(first)
        if can := there - holders:
            return _with(first, can)
        if self._view.providers and self._by_groups(first) and not there:
            others = self._instead(holders, "as none of these has signed in")
            both = _joined(first.match.people, others.match.people)
            match = replace(first.match, people=both)
            return replace(others, match=match, why=f"{first.why}, or {others.why}", datasets=first.datasets)
        return self._instead(holders, "in place of its holder" if there else "as nobody else is known")

    def _instead(self, holders: frozenset[str], instead: str) -> ReviewerSet:
        """The fallback, else those who manage."""
        if self._spec.fallback is not None:
            match = _match(self._spec.fallback)
            if can := self._people.of(match) - holders:
                return _with(ReviewerSet(Approvers(people=match), f"{_words(match)}, {instead}"), can)
        can = self._people.managers - holders
        words = f"those who manage, {instead}" if can else "nobody: only its holder manages"
        return _with(ReviewerSet(Approvers(), words, managers=True), can)

    def _first(self, opened: list[DatasetFacts]) -> ReviewerSet:
        """Who is named, and the owners where these decide and there are any."""
        words = [_words(self._named)] if self._named != NOBODY else []
        reviewers = ReviewerSet(Approvers(people=self._named), ", ".join(words))
        if not self._spec.owners or not opened:
            return reviewers
        # Who owns all of them alone may judge what opens all of them.
        one = len(opened) == 1
        owners_words = f"the owners of {opened[0].reference}" if one else f"who owns all {len(opened)} datasets"
        datasets = tuple(sorted(each.reference for each in opened))
        owned = ReviewerSet(Approvers(owners=True), owners_words, datasets=datasets)
        if not self._in(owned) and not (self._view.providers and self._by_groups(owned)):
            return reviewers
        return replace(owned, match=Approvers(owners=True, people=self._named), why=", ".join([owners_words, *words]))

    def _in(self, reviewers: ReviewerSet) -> frozenset[str]:
        return self._people.reviewers(reviewers, lambda each: self._facts[each].owners)

    def _by_groups(self, reviewers: ReviewerSet) -> bool:
        """Whether the set means groups or roles, which only a provider may know."""
        people = reviewers.match.people
        owners = [self._facts[each].owners for each in reviewers.datasets]
        return bool(people.groups or people.roles or (len(owners) == 1 and (owners[0].groups or owners[0].roles)))


def holds(subject: Subject, right: Right, view: View) -> bool:
    """Whether the right is the subject's own, by a group or role too. Capitals do not matter."""
    if right.person is not None:
        return name_key(right.person) == name_key(subject.user)
    if right.group is not None:
        return right.group in subject.groups
    return right.role in resolve(subject, view.roles).roles


def _with(reviewers: ReviewerSet, people: Iterable[str]) -> ReviewerSet:
    return replace(reviewers, users=tuple(sorted(people)[:MOST_NAMED]))


def _joined(one: SubjectMatch, other: SubjectMatch) -> SubjectMatch:
    return SubjectMatch(users=one.users | other.users, groups=one.groups | other.groups, roles=one.roles | other.roles)


def _match(spec: PeopleSpec) -> SubjectMatch:
    return SubjectMatch(users=frozenset(spec.users), groups=frozenset(spec.groups), roles=frozenset(spec.roles))


def _words(match: SubjectMatch) -> str:
    kinds = (("", match.users), ("group ", match.groups), ("role ", match.roles))
    return ", ".join(f"{kind}{name}" for kind, names in kinds for name in sorted(names))
