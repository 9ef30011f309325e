"""Which datasets a review is about, and what of them a right opens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from catalog.entities import is_personal, tag_matches
from catalog.errors import NotFound
from catalog.model import PERSONAL_DATA_TAG
from policies.campaigns.model import Kind, Right
from policies.campaigns.rights import about
from policies.declared.campaign_specs import ReviewScopeSpec
from policies.declared.state import View
from policies.matching import dataset_matches, resolve
from policies.model import UNSCANNED_TAG, DatasetFacts, Role, Subject
from policies.personal_data import is_personal_dataset
from policies.ports import FactsSource
from policies.spellings import name_key


@dataclass
class Scope:
    """The datasets of a review at one moment. `unread`: datasets whose facts could not be read."""

    spec: ReviewScopeSpec
    facts: Mapping[str, DatasetFacts]
    view: View
    unread: Sequence[str] = ()
    _of_roles: dict[str, frozenset[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.people = {name_key(each) for each in self.spec.people}
        self.any_dataset = not (self.spec.datasets or self.spec.tags or self.spec.domains)

    def opened(self, right: Right) -> frozenset[str]:
        """The datasets in scope that a right is about."""
        match right.kind:
            case Kind.GRANT:
                return frozenset(about(right.dataset or "", self.facts))
            case Kind.OWNER:
                return frozenset({right.name} & self.facts.keys())
            case Kind.ROLE:
                return self.of_role(right.name)
            case Kind.GROUP:
                declared = self.view.groups.get(right.name)
                roles = declared.roles if declared is not None else ()
                owned = (r for r, each in self.facts.items() if right.name in each.owners.groups)
                return frozenset(owned).union(*(self.of_role(role) for role in roles))

    def of_role(self, name: str) -> frozenset[str]:
        """The datasets in scope that a role reads, by what it inherits too."""
        datasets = self._of_roles.get(name)
        if datasets is None:
            roles = resolve(Subject("", roles=frozenset({name})), self.view.roles).roles.values()
            datasets = frozenset(
                reference
                for reference, each in self.facts.items()
                if any(role is not None and _reads(role, reference, each) for role in roles)
            )
            self._of_roles[name] = datasets
        return datasets

    def roles(self) -> frozenset[str]:
        """Roles whose members are reviewed: those that the scope names, or that read a dataset of it."""
        roles = frozenset(name for name in self.view.roles if self._names_role(name))
        if self.any_dataset:  # what carries permissions alone is reviewed too
            return roles
        return frozenset(name for name in roles if self.of_role(name))

    def groups(self, roles: frozenset[str]) -> frozenset[str]:
        """Groups whose members are reviewed: those that give one of these roles."""
        return frozenset(name for name, group in self.view.groups.items() if roles & set(group.roles))

    def holds(self, right: Right, opened: frozenset[str]) -> bool:
        """Whether a right is reviewed."""
        if self.people and (right.person is None or name_key(right.person) not in self.people):
            return False
        if right.kind is Kind.GRANT:
            if self.spec.roles and not (right.role is not None and self._names_role(right.role)):
                return False
            # A grant on a dataset that the catalog does not know yet opens it once it does.
            return (
                bool(opened) or (self.any_dataset and not self.spec.roles) or self._names_pattern(right.dataset or "")
            )
        return bool(opened) or (self.any_dataset and right.kind in (Kind.ROLE, Kind.GROUP))

    def _names_role(self, name: str) -> bool:
        return not self.spec.roles or any(dataset_matches(each, name) for each in self.spec.roles)

    def _names_pattern(self, dataset: str) -> bool:
        """A grant's pattern as text fits the scope's datasets, where these alone are its scope."""
        only_names = self.spec.datasets and not (self.spec.tags or self.spec.domains or self.spec.roles)
        return bool(only_names) and any(dataset_matches(each, dataset) for each in self.spec.datasets)


def find(
    spec: ReviewScopeSpec, view: View, source: FactsSource, references: Callable[[], Iterable[str]], sensitive: bool
) -> Scope:
    """Look through all datasets. `sensitive`: a field that no scan has looked at counts as personal data."""
    datasets: dict[str, DatasetFacts] = {}
    unread: list[str] = []
    for reference in sorted(references()):
        if spec.datasets and not any(dataset_matches(each, reference) for each in spec.datasets):
            continue
        try:
            facts = source.facts(reference)
        except NotFound:
            unread.append(reference)
            continue
        tagged = not spec.tags or any(_has_tag(facts, each, sensitive) for each in spec.tags)
        if tagged and (not spec.domains or any(f"domain.{each}" in facts.tags for each in spec.domains)):
            datasets[reference] = facts
    return Scope(spec, datasets, view, unread)


def personal_tags(facts: DatasetFacts) -> list[str]:
    """Kinds of personal data in a dataset, sorted."""
    return sorted({tag for each in facts.fields for tag in each.tags if is_personal(tag) and tag != UNSCANNED_TAG})


def _has_tag(facts: DatasetFacts, tag: str, sensitive: bool) -> bool:
    if tag in facts.tags or any(tag_matches(tag, each) for one in facts.fields for each in one.tags):
        return True
    if tag != PERSONAL_DATA_TAG:
        return False
    return any(map(is_personal_dataset, facts.tags)) or (sensitive and any(not f.classified for f in facts.fields))


def _reads(role: Role, reference: str, facts: DatasetFacts) -> bool:
    return any(
        (target.dataset is None or dataset_matches(target.dataset, reference))
        and (target.tag is None or target.tag in facts.tags)
        and (target.dataset is not None or target.tag is not None)
        for target in role.read
    )
