"""Domains: teams with admins and stewards of their own. What may somebody do with a dataset by its domain? Pure: no I/O.

A dataset belongs to the one domain whose patterns match its `CLUSTER/TOPIC`, or to none. Rights of a domain hold for its
datasets alone, beside the permissions of roles, which hold everywhere. Where it cannot be proven that something is within a
domain, it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from policies.matching import Who, dataset_matches
from policies.model import SubjectMatch

ANY = "*"


class Power(StrEnum):
    """What somebody may do with one dataset. The first five are permissions that a role may carry for every dataset."""

    REVIEW = "review"
    SCAN = "scan"
    REPORT = "report:read"
    AUDIT = "audit:read"
    DECIDE = "decide"
    EDIT = "edit"
    """Change its description, owners, tags, terms and notes on fields."""
    APPROVE = "approve"
    """Decide on access as its owners do, and end grants."""
    CERTIFY = "certify"
    """Start access reviews of it, decide in them, close them."""
    DECLARE = "declare"
    """Declare policies and who may know of it, and see what they would change."""

    def __repr__(self) -> str:
        """As messages quote a permission: 'report:read'."""
        return repr(self.value)


ADMIN = frozenset(Power)
STEWARD = frozenset({Power.EDIT, Power.REVIEW, Power.REPORT, Power.SCAN})
SCOPES: Mapping[Power, str] = {
    Power.EDIT: "manage",
    Power.APPROVE: "request",
    Power.DECLARE: "manage",
    Power.CERTIFY: "manage",
}
"""The scope of a limited token that a power needs, where it is not its own name."""
NO_POWERS: frozenset[Power] = frozenset()


@dataclass(frozen=True, slots=True)
class Domain:
    """`datasets`: patterns of `CLUSTER/TOPIC`. `admins`, `stewards`: users and groups."""

    name: str
    datasets: tuple[str, ...] = ()
    admins: SubjectMatch = field(default_factory=SubjectMatch)
    stewards: SubjectMatch = field(default_factory=SubjectMatch)
    _begins: tuple[str, ...] = field(init=False, repr=False, compare=False)
    """What the patterns begin with: spares trying them on most datasets of a large catalog."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_begins", tuple({each.partition(ANY)[0] for each in self.datasets}))

    def has(self, reference: str) -> bool:
        """Whether a dataset belongs to the domain."""
        return reference.startswith(self._begins) and any(dataset_matches(each, reference) for each in self.datasets)

    def has_all(self, pattern: str) -> bool:
        """Whether every dataset that a pattern matches, now or later, belongs to the domain: one pattern of the domain
        covers it. False for what several of its patterns cover together."""
        return any(covers(own, pattern) for own in self.datasets)


def powers(who: Who, domain: Domain) -> frozenset[Power]:
    """What somebody may do with the datasets of a domain by being its admin or steward."""
    if who.among(domain.admins):
        return ADMIN
    return STEWARD if who.among(domain.stewards) else NO_POWERS


def powers_on(who: Who, reference: str, domains: Iterable[Domain]) -> frozenset[Power]:
    """What somebody may do with one dataset by its domain. Of a dataset that two domains claim, which no apply allows:
    nothing."""
    claiming = [domain for domain in domains if domain.has(reference)]
    return powers(who, claiming[0]) if len(claiming) == 1 else NO_POWERS


@dataclass(frozen=True, slots=True)
class Reach:
    """The datasets for which somebody has a power by their domains. `own`: domains that give it; `others`: all the others."""

    own: tuple[Domain, ...] = ()
    others: tuple[Domain, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.own)

    def has(self, reference: str) -> bool:
        """Whether one domain alone has the dataset, and gives the power."""
        # Their own first, which are few: a list asks this of each dataset of the catalog.
        return sum(each.has(reference) for each in self.own) == 1 and not any(
            each.has(reference) for each in self.others
        )

    def has_all(self, pattern: str) -> bool:
        """Whether every dataset that a pattern matches, now or later, is within reach."""
        mine = [each for each in self.own if each.has_all(pattern)]
        rest = (each for each in (*self.own, *self.others) if each not in mine)
        return len(mine) == 1 and not any(
            in_both(other, pattern) is not None for each in rest for other in each.datasets
        )

    def of(self, name: str) -> Reach:
        """By one domain alone; nothing where that gives no power."""
        own = tuple(each for each in self.own if each.name == name)
        return Reach(own, tuple(each for each in (*self.own, *self.others) if each not in own))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(sorted(each.name for each in self.own))


def reach(who: Who, domains: Iterable[Domain], power: Power, scopes: frozenset[str] | None = None) -> Reach:
    """For which datasets somebody has a power by being admin or steward. `scopes`: of a limited token."""
    every = tuple(domains)
    own = tuple(each for each in every if power in within_scopes(powers(who, each), scopes))
    return Reach(own, tuple(each for each in every if each not in own))


def within_scopes(given: frozenset[Power], scopes: frozenset[str] | None) -> frozenset[Power]:
    """Powers that a token may be used for; None: it is not limited."""
    if scopes is None:
        return given
    return frozenset(each for each in given if SCOPES.get(each, each.value) in scopes)


def covers(wide: str, narrow: str) -> bool:
    """Whether every text that `narrow` matches is matched by `wide`; `*` in both is any text.

    A letter that `wide` does not have can be matched by its `*` alone, and what is matched by that is so by any text. So
    `wide` covers `narrow` exactly where it matches `narrow` with that letter for each `*`.
    """
    letter = next(each for each in map(chr, range(0xE000, 0xF8FF)) if each not in wide)
    return dataset_matches(wide, narrow.replace(ANY, letter))


def in_both(one: str, other: str) -> str | None:
    """A text that both patterns match; None where there is none."""
    if not _may_meet(one, other):
        return None
    # meets[i][j]: whether one[i:] and other[j:] match a common text
    meets = [[False] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i in range(len(one), -1, -1):
        for j in range(len(other), -1, -1):
            meets[i][j] = (i == len(one) and j == len(other)) or any(
                meets[k][m] for k, m, _ in _steps(one, i, other, j)
            )
    if not meets[0][0]:
        return None
    text, i, j = "", 0, 0
    while i < len(one) or j < len(other):
        i, j, letter = next(step for step in _steps(one, i, other, j) if meets[step[0]][step[1]])
        text += letter
    return text


def _steps(one: str, i: int, other: str, j: int) -> list[tuple[int, int, str]]:
    """Where two patterns are after a letter of a common text, or after a `*` ended, with that letter."""
    left, right = one[i : i + 1], other[j : j + 1]
    steps = []
    if left == ANY:
        steps.append((i + 1, j, ""))
        if right and right != ANY:
            steps.append((i, j + 1, right))
    if right == ANY:
        steps.append((i, j + 1, ""))
        if left and left != ANY:
            steps.append((i + 1, j, left))
    if left and left == right and left != ANY:
        steps.append((i + 1, j + 1, left))
    return steps


def _may_meet(one: str, other: str) -> bool:
    """False where one is a name that the other does not match, or their beginnings differ: spares the table for most."""
    if ANY not in other:
        return dataset_matches(one, other)
    if ANY not in one:
        return dataset_matches(other, one)
    first, second = one.partition(ANY)[0], other.partition(ANY)[0]
    return first.startswith(second) or second.startswith(first)


def overlap(one: Domain, other: Domain) -> tuple[str, str, str] | None:
    """A pattern of each of two domains that match a common dataset, and that dataset; None where they are apart."""
    for left in one.datasets:
        for right in other.datasets:
            if (common := in_both(left, right)) is not None:
                return left, right, common
    return None
