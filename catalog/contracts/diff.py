"""What changed between two versions of a contract, and which changes break who relies on it. Pure.

A reader relies on what is promised: a promise that is gone, or is weaker than before, breaks the reader. A promise that is
new or stronger breaks nobody who reads; a producer that does not keep it is found by the checks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from catalog.contracts.bounds import Interval, of_misses
from catalog.contracts.rules import Contract, Rule, RuleKind
from catalog.contracts.types import beyond

_BOUNDED = (RuleKind.RANGE, RuleKind.LENGTH, RuleKind.NULLS, RuleKind.ROW_COUNT)
_LARGER_IS_STRONGER = {
    RuleKind.PRESENCE: "least",
    RuleKind.RATE: "perSecond",
    RuleKind.RETENTION: "seconds",
}


class Effect(StrEnum):
    BREAKS = "breaks"
    COMPATIBLE = "compatible"


@dataclass(frozen=True, slots=True)
class ContractChange:
    """One difference. `before` and `after` are sentences; None for a rule that came or went."""

    effect: Effect
    dataset: str
    rule: str
    path: str | None
    before: str | None
    after: str | None
    why: str

    def to_json(self) -> dict[str, str | None]:
        return {
            "effect": str(self.effect),
            "dataset": self.dataset,
            "rule": self.rule,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "why": self.why,
        }


def contract_changes(old: Contract, new: Contract) -> list[ContractChange]:
    """Every difference in what is promised, breaking ones first; empty for two that promise the same."""
    before = {promise.dataset: promise for promise in old.promises}
    after = {promise.dataset: promise for promise in new.promises}
    changes: list[ContractChange] = []
    for dataset in sorted(before.keys() | after.keys()):
        was, now = before.get(dataset), after.get(dataset)
        if was is None or now is None:
            gone = now is None
            effect = Effect.BREAKS if gone else Effect.COMPATIBLE
            why = "nothing is promised of the dataset any more" if gone else "the dataset is promised now"
            changes.append(ContractChange(effect, dataset, "dataset", None, None, None, why))
            continue
        changes += _rules(dataset, {r.id: r for r in was.rules}, {r.id: r for r in now.rules})
    if old.is_promised and not new.is_promised:
        why = f"the contract is {new.status}, so nothing of it is promised any more"
        changes.append(ContractChange(Effect.BREAKS, "", "status", None, old.status, new.status, why))
    return sorted(changes, key=lambda c: (c.effect is not Effect.BREAKS, c.dataset, c.rule))


def _rules(dataset: str, before: Mapping[str, Rule], after: Mapping[str, Rule]) -> Iterator[ContractChange]:
    for id in sorted(before.keys() | after.keys()):
        was, now = before.get(id), after.get(id)
        if was is None and now is not None:
            why = "it is promised now"
            yield ContractChange(Effect.COMPATIBLE, dataset, id, now.path, None, now.text, why)
        elif now is None and was is not None:
            why = "it is not promised any more"
            yield ContractChange(Effect.BREAKS, dataset, id, was.path, was.text, None, why)
        elif was is not None and now is not None and (was.kind, was.params) != (now.kind, now.params):
            effect, why = _moved(was, now)
            yield ContractChange(effect, dataset, id, now.path, was.text, now.text, why)


def _moved(was: Rule, now: Rule) -> tuple[Effect, str]:
    if _at_least(was, now):
        return Effect.COMPATIBLE, "it promises more than before"
    return Effect.BREAKS, "it promises less than before, or something else"


def _at_least(was: Rule, now: Rule) -> bool:
    """Whether everything that keeps the new rule keeps the old one too."""
    if was.kind is not now.kind:
        return False
    if was.kind is RuleKind.TYPE:
        return not beyond(now.params["types"], was.params["types"])
    if was.kind in (RuleKind.VALUES, RuleKind.RECORD_TYPES):
        return set(now.params["values"]) <= set(was.params["values"]) and _misses_no_more(was, now)
    if was.kind is RuleKind.UNIQUE:
        return _misses_no_more(was, now)
    if was.kind is RuleKind.CLOSED:
        return set(now.params["paths"]) <= set(was.params["paths"])
    if was.kind is RuleKind.FRESHNESS:
        return bool(now.params["seconds"] <= was.params["seconds"])
    if was.kind is RuleKind.SQL and was.params["query"] == now.params["query"]:
        return _within(Interval.from_params(now.params), Interval.from_params(was.params))
    if name := _LARGER_IS_STRONGER.get(was.kind):
        return bool(now.params[name] >= was.params[name])
    if was.kind in _BOUNDED and was.params.get("percent") == now.params.get("percent"):
        return _within(Interval.from_params(now.params), Interval.from_params(was.params))
    return False


def _misses_no_more(was: Rule, now: Rule) -> bool:
    """Whether values may miss the new rule only as often as the old one. None at all is 0 records and 0 percent."""
    before, after = of_misses(was.params), of_misses(now.params)
    if after == Interval(0, 0):
        return before.holds(0)
    return bool(was.params.get("percent")) is bool(now.params.get("percent")) and _within(after, before)


def _within(inner: Interval, outer: Interval) -> bool:
    if inner.outside or outer.outside:
        return inner == outer
    low = outer.low is None or (
        inner.low is not None
        and (inner.low > outer.low or (inner.low == outer.low and inner.low_open >= outer.low_open))
    )
    high = outer.high is None or (
        inner.high is not None
        and (inner.high < outer.high or (inner.high == outer.high and inner.high_open >= outer.high_open))
    )
    return low and high
