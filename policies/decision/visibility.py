"""What may a person know of a dataset: that it exists, its schema, its personal data, its lineage? Pure: no I/O.

- Who holds one of OFFICERS knows of everything: what these permissions open names every dataset. Owners know all of theirs,
  admins and stewards of a domain all of its datasets.
- Who holds an active grant on a dataset knows that it exists, and its schema.
- Else every `Visibility` document that matches and names an aspect counts: the person must be in the audience of
  each of them, in whatever order they were declared. So a further document never opens what another closes.
- Where none names an aspect, the setting decides. Open: everybody knows. Closed: who may read of it, by a role.
- Nobody knows the schema or the lineage of a dataset that they do not know of, nor the personal data of fields they do not
  know of.
- For an agent nothing but the datasets of its token exists, and of these it knows what its person knows.
- A document that cannot be read may be about any dataset: until it can, it closes all of them but to the above.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from catalog.entities import is_personal
from catalog.model import PERSONAL_DATA_TAG
from policies.decision.agents import reaches
from policies.decision.domains import Domain, powers, powers_on
from policies.matching import Who, dataset_matches, is_active, resolve
from policies.model import Agent, Grant, Role, Subject, SubjectMatch

OFFICERS = frozenset({"manage", "review", "report:read", "audit:read", "decide"})
"""Permissions whose holders know of every dataset, with all there is to know."""
OPERATORS = frozenset({"scan"})
"""Permissions whose holders know that every dataset exists, and its schema: they read all of them."""
_NO_CLUSTER = "kafka://"
"""How the reference of a topic begins whose cluster is not declared."""
DOMAIN_TAG = "domain."
"""How the tag of a domain begins: a dataset of the domain sales has the tag domain.sales."""


class Aspect(StrEnum):
    """One thing that may be known of a dataset."""

    EXISTENCE = "existence"
    SCHEMA = "schema"
    EVIDENCE = "evidence"
    LINEAGE = "lineage"


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may know: everyone, or these people. Owners always may."""

    everyone: bool = False
    people: SubjectMatch = field(default_factory=SubjectMatch)

    def holds(self, who: Who) -> bool:
        return self.everyone or who.among(self.people)


@dataclass(frozen=True, slots=True)
class VisibilityRule:
    """A document of kind Visibility. One entry of `datasets`, `tags` or `owners` that fits is enough to match.

    audiences  aspect -> who may know; an aspect that is absent is left to other documents and the setting
    problem    why the stored document cannot be read; then it matches everything, and its audiences are empty
    """

    name: str
    datasets: tuple[str, ...] = ()
    tags: frozenset[str] = frozenset()
    owners: SubjectMatch = field(default_factory=SubjectMatch)
    audiences: Mapping[Aspect, Audience] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """What of a dataset decides who may know of it.

    reference  `CLUSTER/TOPIC`, or `NAMESPACE/NAME` of one that lineage alone knows
    tags       of the dataset, of its terms and of its fields
    """

    reference: str
    owners: SubjectMatch = field(default_factory=SubjectMatch)
    tags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class DatasetKnowledge:
    """What one person may know of one dataset."""

    existence: bool = True
    schema: bool = True
    evidence: bool = True
    lineage: bool = True

    def of(self, aspect: Aspect) -> bool:
        return bool(getattr(self, aspect.value))


ALL = DatasetKnowledge()
NOTHING = DatasetKnowledge(False, False, False, False)


@dataclass(frozen=True, slots=True)
class Rules:
    """All declared documents, ready for many decisions. `closed`: what nobody names is not for everyone.

    Documents that name one dataset are found by it; only those with patterns, tags or owners are tried one by one.
    """

    rules: tuple[VisibilityRule, ...] = ()
    closed: bool = False
    _exact: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    _others: tuple[int, ...] = ()

    @staticmethod
    def of(rules: Iterable[VisibilityRule], closed: bool = False) -> Rules:
        listed = tuple(rules)
        exact: dict[str, list[int]] = {}
        others = []
        for number, rule in enumerate(listed):
            plain = not rule.problem and not rule.tags and not _names_anybody(rule.owners)
            if plain and not any("*" in pattern for pattern in rule.datasets):
                for reference in dict.fromkeys(rule.datasets):
                    exact.setdefault(reference, []).append(number)
            else:
                others.append(number)
        return Rules(listed, closed, {name: tuple(results) for name, results in exact.items()}, tuple(others))

    @property
    def hide_nothing(self) -> bool:
        """Whether everybody knows everything, so that nobody has to be asked."""
        return not self.closed and not self.rules

    @property
    def by_tag(self) -> frozenset[str]:
        """The tags that documents match."""
        return frozenset().union(*(rule.tags for rule in self.rules))

    def matching(self, outline: Outline) -> Iterable[VisibilityRule]:
        for number in self._exact.get(outline.reference, ()):
            yield self.rules[number]
        for number in self._others:
            if _matches(self.rules[number], outline):
                yield self.rules[number]

    def loosely(self, outline: Outline) -> Iterable[VisibilityRule]:
        """Further documents that name a topic of no declared cluster by its name alone: its cluster may have been theirs, and
        is not declared any more. They close and never open."""
        if not outline.reference.startswith(_NO_CLUSTER):
            return
        name = outline.reference.removeprefix(_NO_CLUSTER).partition("/")[2]
        for rule in self.rules:
            ends = (each.partition("/")[2] for each in rule.datasets if "://" not in each and "/" in each)
            if any(dataset_matches(each, name) for each in ends) and not _matches(rule, outline):
                yield rule

    def touches(self, outline: Outline) -> bool:
        """Whether any document is about it."""
        return any(True for _ in self.matching(outline)) or any(True for _ in self.loosely(outline))


@dataclass(frozen=True, slots=True)
class Viewer:
    """A person before all datasets, at one moment. `grants`: those of theirs that are active; `domains`: all of them, `own`:
    those whose admin or steward they are; `agent`: which acts for them, None: they look themselves."""

    who: Who
    officer: bool = False
    operator: bool = False
    grants: tuple[Grant, ...] = ()
    domains: tuple[Domain, ...] = ()
    own: tuple[Domain, ...] = ()
    agent: Agent | None = None

    @staticmethod
    def of(
        subject: Subject,
        roles: Mapping[str, Role],
        permissions: Collection[str],
        grants: Iterable[Grant],
        now: datetime,
        domains: Iterable[Domain] = (),
    ) -> Viewer:
        who = resolve(subject, roles)
        active = tuple(each for each in grants if is_active(each, now) and who.among(each.subject))
        granted = frozenset(permissions)
        every = tuple(domains)
        own = tuple(each for each in every if powers(who, each))
        return Viewer(
            who=who,
            officer=bool(granted & OFFICERS),
            operator=bool(granted & OPERATORS),
            grants=active,
            domains=every,
            own=own,
            agent=subject.agent,
        )


def what_is_known(viewer: Viewer, outline: Outline, rules: Rules) -> DatasetKnowledge:
    """What the viewer may know of a dataset. Never raises."""
    if viewer.agent is not None and not reaches(viewer.agent, outline.reference):
        return NOTHING
    if viewer.officer or _owns(viewer.who, outline) or _of_domain(viewer, outline.reference):
        return ALL
    certain = _granted(viewer, outline) or viewer.operator
    audiences: dict[Aspect, list[Audience]] = {}
    unreadable = False
    for rule in rules.matching(outline):
        unreadable |= rule.problem is not None
        for aspect, audience in rule.audiences.items():
            audiences.setdefault(aspect, []).append(audience)
    further: dict[Aspect, list[Audience]] = {}
    for rule in rules.loosely(outline):
        for aspect, audience in rule.audiences.items():
            further.setdefault(aspect, []).append(audience)
    default = not rules.closed or certain or _may_read(viewer, outline)
    who = viewer.who

    def may(aspect: Aspect) -> bool:
        if unreadable:
            return False
        declared = audiences.get(aspect)
        if not all(audience.holds(who) for audience in further.get(aspect, ())):
            return False
        return default if declared is None else all(audience.holds(who) for audience in declared)

    existence = certain or may(Aspect.EXISTENCE)
    schema = certain or (existence and may(Aspect.SCHEMA))
    return DatasetKnowledge(existence, schema, schema and may(Aspect.EVIDENCE), existence and may(Aspect.LINEAGE))


def expanded(tags: Iterable[str]) -> frozenset[str]:
    """Tags, with PII where one is a kind of personal data."""
    listed = frozenset(tags)
    return listed | {PERSONAL_DATA_TAG} if any(map(is_personal, listed)) else listed


def _of_domain(viewer: Viewer, reference: str) -> bool:
    # Their own first, which are few: a list asks this of each dataset of the catalog.
    if not any(each.has(reference) for each in viewer.own):
        return False
    return bool(powers_on(viewer.who, reference, viewer.domains))


def _owns(who: Who, outline: Outline) -> bool:
    return who.user in outline.owners.users or not who.groups.isdisjoint(outline.owners.groups)


def _granted(viewer: Viewer, outline: Outline) -> bool:
    return any(dataset_matches(grant.dataset, outline.reference) for grant in viewer.grants)


def _may_read(viewer: Viewer, outline: Outline) -> bool:
    """Whether a role names the dataset. Rules that ask for a grant or a purpose, too, do not hide it: one has to know of a
    dataset to ask for it."""
    return any(
        (target.dataset is None or dataset_matches(target.dataset, outline.reference))
        and (target.tag is None or target.tag in outline.tags)
        for role in viewer.who.roles.values()
        if role is not None
        for target in role.read
    )


def _matches(rule: VisibilityRule, outline: Outline) -> bool:
    return (
        rule.problem is not None
        or any(dataset_matches(pattern, outline.reference) for pattern in rule.datasets)
        or not rule.tags.isdisjoint(outline.tags)
        or not rule.owners.users.isdisjoint(outline.owners.users)
        or not rule.owners.groups.isdisjoint(outline.owners.groups)
    )


def _names_anybody(match: SubjectMatch) -> bool:
    return bool(match.users or match.groups)
