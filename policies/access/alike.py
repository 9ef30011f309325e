"""People who are alike to every rule about a dataset share one decision. Pure.

A decision depends on few things of a subject: the roles that open or filter the dataset, the names that owners, policies and
grants mention. Ten thousand people differ in a few dozen such ways, so one of each kind is decided on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from policies.declared.state import View
from policies.matching import Who, dataset_matches, is_active, resolve
from policies.model import DatasetFacts, Grant, Role, Subject, SubjectMatch


@dataclass(frozen=True, slots=True)
class Kind:
    """All of a subject that the decision on a dataset can depend on; `user` None: no rule names them."""

    user: str | None
    groups: frozenset[str]
    roles: frozenset[str]
    problems: tuple[str, ...]


@dataclass(slots=True)
class _Names:
    """The users, groups and roles that rules about a dataset mention."""

    users: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    roles: set[str] = field(default_factory=set)

    def add(self, match: SubjectMatch) -> None:
        self.users |= match.users
        self.groups |= match.groups
        self.roles |= match.roles


class Alike:
    """Which subjects are the same to the rules about one dataset, at one moment."""

    def __init__(
        self,
        view: View,
        facts: DatasetFacts,
        now: datetime,
        unscanned_is_sensitive: bool = True,
        grants: Iterable[Grant] | None = None,
    ) -> None:
        """`grants`: those that may be about the dataset, where the caller knows them; else all are looked at."""
        self._roles, self._view = view.roles, view
        every = list(with_sources(facts))
        references = {each.reference for each in every}
        self.grants: list[Grant] = [
            g
            for g in (view.grants.values() if grants is None else grants)
            if (
                g.dataset in references or ("*" in g.dataset and any(dataset_matches(g.dataset, r) for r in references))
            )
            and is_active(g, now)
        ]
        names = _Names()
        for each in every:
            names.add(each.owners)
        for each in every:
            plan = view.policies.plan(each, unscanned_is_sensitive)
            for match in plan.subjects(view.policies):
                names.add(match)
        for grant in self.grants:
            names.add(grant.subject)
        names.roles |= {name for name, role in view.roles.items() if _matters(role, every, view)}
        self._names = names
        self._resolved: dict[frozenset[str], Who] = {}
        self._by: dict[tuple[str, str], list[Grant]] = defaultdict(list)
        for grant in self.grants:
            for kind, named in (
                ("user", grant.subject.users),
                ("group", grant.subject.groups),
                ("role", grant.subject.roles),
            ):
                for name in named:
                    self._by[kind, name].append(grant)

    def kind(self, subject: Subject) -> Kind:
        """Subjects of one kind get the same decision for every purpose, but for texts that name the subject."""
        who = self._who(subject)
        names = self._names
        return Kind(
            subject.user if subject.user in names.users else None,
            frozenset(subject.groups & names.groups),
            frozenset(name for name in who.roles if name in names.roles),
            who.problems,
        )

    def granted(self, subject: Subject) -> list[Grant]:
        """The subject's grants that are active and about the dataset, or about a source of it; without repeats."""
        keys = [("user", subject.user), *(("group", g) for g in subject.groups)]
        keys += [("role", r) for r in self._who(subject).roles]
        return list({g.name: g for key in keys for g in self._by.get(key, ())}.values())

    def purposes(self, subject: Subject) -> Sequence[str | None]:
        """None (no purpose stated), then those that their grants here carry or cover, as many as show every different answer.

        Any other purpose opens nothing: none of their grants is used when it is stated.
        """
        return (None, *self._view.stated(self.granted(subject)))

    def _who(self, subject: Subject) -> Who:
        who = self._resolved.get(subject.roles)
        if who is None:
            who = self._resolved[subject.roles] = resolve(subject, self._roles)
        return who


def _matters(role: Role, every: Iterable[DatasetFacts], view: View) -> bool:
    if role.problem or role.sees_unscanned or any(name not in view.roles for name in role.inherits):
        return True
    patterns = [t.dataset for t in role.read] + [f.dataset for f in role.row_filters]
    return any(p is None or dataset_matches(p, each.reference) for p in patterns for each in every)


def with_sources(facts: DatasetFacts) -> Iterator[DatasetFacts]:
    """A dataset, and all that it is made of: views between, and topics. A grant on each of them may open it."""
    yield facts
    for source in facts.sources:
        if source.facts is not None:
            yield from with_sources(source.facts)
