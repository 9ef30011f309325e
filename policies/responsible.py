"""Who answers for a dataset: one rule for notifications, incidents, questions, the inbox and the pages. Pure.

Owners of the dataset itself, else those of its data products, else the stewards of its domain, else the owners that its
cluster names. To answer for a dataset gives no right: only the dataset's own owners read it and decide on access to it. Else
a person who puts a dataset without owners into a product would decide who reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from policies.decision.domains import Domain
from policies.model import SubjectMatch
from policies.workflow import NOBODY

Source = Literal["dataset", "product", "domain", "cluster", "nobody"]


@dataclass(frozen=True, slots=True)
class Responsible:
    """People, by what they answer for it, and the name of that: a product, a domain, a cluster."""

    people: SubjectMatch = NOBODY
    source: Source = "nobody"
    name: str = ""

    @property
    def names(self) -> list[str]:
        """Users, and groups as group:NAME."""
        return [*sorted(self.people.users), *(f"group:{each}" for each in sorted(self.people.groups))]


Responsibility = Callable[[str, SubjectMatch], Responsible]
"""`CLUSTER/TOPIC`, its own owners -> who answers for it."""


def own_owners(reference: str, owners: SubjectMatch) -> Responsible:
    """By the dataset alone."""
    return Responsible(owners, "dataset", reference) if owners != NOBODY else Responsible()


@dataclass(frozen=True, slots=True)
class Fallbacks:
    """Who answers for datasets that have no owners of their own.

    products  `CLUSTER/TOPIC` -> the products it is in, each with its owners
    clusters  name of a cluster -> the owners that it names
    """

    products: Mapping[str, Sequence[tuple[str, SubjectMatch]]] = field(default_factory=dict)
    clusters: Mapping[str, SubjectMatch] = field(default_factory=dict)

    def responsible(self, reference: str, owners: SubjectMatch, domains: Iterable[Domain]) -> Responsible:
        """Nobody, with the source `nobody`, where none of them names anybody."""
        if owners != NOBODY:
            return Responsible(owners, "dataset", reference)
        owned = [(name, people) for name, people in self.products.get(reference, ()) if people != NOBODY]
        if owned:
            return Responsible(joined(people for _, people in owned), "product", ", ".join(name for name, _ in owned))
        claiming = [each for each in domains if each.has(reference)]
        if len(claiming) == 1:
            of = claiming[0]
            people = of.admins if of.stewards == NOBODY else of.stewards
            if people != NOBODY:
                return Responsible(people, "domain", of.name)
        cluster = reference.partition("/")[0]
        people = self.clusters.get(cluster, NOBODY)
        return Responsible(people, "cluster", cluster) if people != NOBODY else Responsible()


def joined(people: Iterable[SubjectMatch]) -> SubjectMatch:
    """Everybody of several."""
    listed = list(people)
    return SubjectMatch(
        users=frozenset().union(*(each.users for each in listed)),
        groups=frozenset().union(*(each.groups for each in listed)),
    )


def written(owners: Iterable[Mapping[str, Any]]) -> SubjectMatch:
    """Owners of a declared document: {user} or {group} each."""
    listed = list(owners)
    return SubjectMatch(
        users=frozenset(str(each["user"]) for each in listed if each.get("user")),
        groups=frozenset(str(each["group"]) for each in listed if each.get("group")),
    )
