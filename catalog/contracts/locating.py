"""At which records a rule is broken: halves of a look are profiled and judged by the same code until one record is left. Pure.

For rules that one record alone can break. A place that cannot be found is left out; the breach is reported without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Protocol

from catalog.contracts.bounds import Interval
from catalog.contracts.checking import check_rule
from catalog.contracts.observed import Observed
from catalog.contracts.rules import Result, Rule, RuleKind, State
from catalog.model import SchemaVersion

_ALONE = {
    RuleKind.TYPE,
    RuleKind.REQUIRED,
    RuleKind.PRESENCE,
    RuleKind.NULLS,
    RuleKind.RANGE,
    RuleKind.LENGTH,
    RuleKind.FORM,
    RuleKind.FORMAT,
    RuleKind.CLOSED,
}
"""Rules that one record can break."""
MOST_LOCATED = 20
"""Broken rules of a look whose places are searched for: each costs as much as profiling it twice."""


class Look(Protocol):
    """Records in order of time, as a check of new records has them."""

    @property
    def schema(self) -> SchemaVersion:
        """The profile of all of them."""

    def __len__(self) -> int: ...

    def part(self, start: int, end: int) -> SchemaVersion:
        """The profile of some of them."""

    def place(self, number: int) -> Mapping[str, Any]:
        """{time, partition, offset} of one."""


def located(rule: Rule, result: Result, seen: Observed, look: Look) -> Result:
    """A broken rule with the first and the last record that broke it, where one record can."""
    if rule.kind not in _ALONE or not len(look):
        return result
    alone = _of_one(rule)

    def breaks(start: int, end: int) -> bool:
        schema = look.part(start, end)
        if rule.kind is RuleKind.FORMAT:
            return _has_other_format(schema) or check_rule(alone, replace(seen, schema=schema)).state is State.BROKEN
        return check_rule(alone, replace(seen, schema=schema)).state is State.BROKEN

    first = _first(breaks, 0, len(look))
    if first is None:
        return result
    last = _last(breaks, first, len(look))
    return replace(result, first=dict(look.place(first)), last=dict(look.place(last if last is not None else first)))


def _of_one(rule: Rule) -> Rule:
    """The rule that a single record breaks: a share that is promised of many is of one all or nothing."""
    if rule.kind is RuleKind.PRESENCE:
        return replace(rule, params={"least": 1.0})
    if rule.kind is RuleKind.NULLS:
        return replace(rule, params=Interval(0, 0).to_params())
    return rule


def _first(breaks: Callable[[int, int], bool], start: int, end: int) -> int | None:
    """The first record that breaks it, where one is among them."""
    while end - start > 1:
        middle = (start + end) // 2
        if breaks(start, middle):
            end = middle
        else:
            start = middle
    return start if breaks(start, end) else None


def _last(breaks: Callable[[int, int], bool], start: int, end: int) -> int | None:
    while end - start > 1:
        middle = (start + end) // 2
        if breaks(middle, end):
            start = middle
        else:
            end = middle
    return start if breaks(start, end) else None


def _has_other_format(schema: SchemaVersion) -> bool:
    """Whether some values have another format than most."""
    return any(each.get("reason") == "several_formats" and each.get("part") == "value" for each in schema.problems)
