"""What is wrong with the rules of a contract before any scan: they contradict each other, or no scan can decide them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from catalog.contracts.bounds import Interval
from catalog.contracts.rules import Contract, Promise, Rule, RuleKind
from catalog.errors import InvalidInput
from catalog.paths import FieldPath

_BOUNDED = (RuleKind.RANGE, RuleKind.LENGTH, RuleKind.NULLS, RuleKind.ROW_COUNT)
_NUMBERS = (*_BOUNDED, RuleKind.SQL)
_COMPARED = (*_BOUNDED, RuleKind.TYPE, RuleKind.VALUES, RuleKind.RECORD_TYPES)
_MOST_ALIKE = 100
"""Rules of one kind at one place: each is compared with each."""
_CONTAINERS = {"object", "map", "array"}


def require_consistent(contract: Contract) -> None:
    """Raises InvalidInput with one sentence where rules of a contract cannot hold together."""
    seen: set[str] = set()
    for promise in contract.promises:
        if promise.dataset in seen:
            raise InvalidInput(f"{promise.dataset} is in two schema objects; describe each dataset once.")
        seen.add(promise.dataset)
        for sentence in _contradictions(promise):
            raise InvalidInput(f"{promise.dataset}: {sentence}")


def never_decided(contract: Contract) -> list[str]:
    """A sentence for each rule that no scan can decide."""
    return [
        f"{promise.dataset}: the rule {rule.id} stays undecided: {rule.never}."
        for promise in contract.promises
        for rule in promise.rules
        if rule.never is not None
    ]


def _contradictions(promise: Promise) -> Iterator[str]:
    by_place: dict[tuple[str | None, RuleKind], list[Rule]] = {}
    for rule in promise.rules:
        by_place.setdefault((rule.path, rule.kind), []).append(rule)
        yield from _alone(rule)
    for (place, kind), rules in by_place.items():
        if kind in _COMPARED and len(rules) > _MOST_ALIKE:
            yield f"{place or 'the topic'} has {len(rules):,} rules of the kind {kind}; {_MOST_ALIKE} are the most."
            return
        for one, other in combinations(rules if kind in _COMPARED else (), 2):
            if _exclude(one, other):
                yield f"the rules {one.id} and {other.id} contradict each other, so no record keeps both."
    types = {rule.path: set(rule.params["types"]) for rule in promise.rules if rule.kind is RuleKind.TYPE}
    for place in dict.fromkeys(rule.path for rule in promise.rules if rule.path):
        above = FieldPath.parse(place).parent
        parent = types.get(str(above)) if above is not None else None
        if parent is not None and not parent & _CONTAINERS:
            yield f"{above} is {' or '.join(sorted(parent))}, so {place} cannot be in it."
    for path, names in types.items():
        if (path, RuleKind.RANGE) in by_place and names <= {"string", "boolean", "uuid", *_CONTAINERS}:
            yield f"{path} is {' or '.join(sorted(names))}, so it has no smallest and largest number."
    for path, _ in [key for key in by_place if key[1] is RuleKind.REQUIRED]:
        for rule in by_place.get((path, RuleKind.NULLS), ()):
            bounds = Interval.from_params(rule.params)
            if not bounds.holds(0):
                yield f"{path} is required, so the rule {rule.id} cannot hold: it wants nulls."


def _alone(rule: Rule) -> Iterator[str]:
    if rule.kind in _NUMBERS and Interval.from_params(rule.params).is_empty:
        yield f"no number keeps the rule {rule.id}: {rule.text}."
    if rule.kind is RuleKind.PATTERN:
        try:
            re.compile(rule.params["pattern"])
        except (re.error, OverflowError, RecursionError) as error:
            yield f"the pattern of the rule {rule.id} cannot be read: {error}."
    if rule.kind in (RuleKind.VALUES, RuleKind.RECORD_TYPES) and not rule.params["values"]:
        yield f"the rule {rule.id} allows no value at all."


def _exclude(one: Rule, other: Rule) -> bool:
    if one.kind is RuleKind.TYPE:
        return not set(one.params["types"]) & set(other.params["types"])
    if one.kind in (RuleKind.VALUES, RuleKind.RECORD_TYPES):
        return not set(one.params["values"]) & set(other.params["values"])
    if one.kind in _BOUNDED and one.params.get("percent") == other.params.get("percent"):
        first, second = Interval.from_params(one.params), Interval.from_params(other.params)
        if first.outside or second.outside:
            return False
        return _apart(first, second) or _apart(second, first)
    return False


def _apart(lower: Interval, upper: Interval) -> bool:
    if lower.high is None or upper.low is None:
        return False
    return lower.high < upper.low or (lower.high == upper.low and (lower.high_open or upper.low_open))
