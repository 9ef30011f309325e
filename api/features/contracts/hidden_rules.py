"""Rules that were decided by other datasets, as a reader sees them who may not read those: not decided, and without their names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.visibility.sight import Sight, reads_whole, shows_figures
from catalog.contracts.rules import OTHER_DATASET, Result, Rule, RuleKind, State, state_of
from catalog.contracts.service import PromiseState
from catalog.records import DatasetRecord
from policies.decision.visibility import DatasetKnowledge

WHY = "it is about a dataset that is not in the catalog, or that you may not read whole"

RecordOf = Callable[[str], DatasetRecord | None]


@dataclass(frozen=True, slots=True)
class OtherDatasets:
    """What one reader may know of the datasets beside the one that a contract is about."""

    record: RecordOf
    known: Callable[[DatasetRecord | None], DatasetKnowledge]
    sight: Callable[[DatasetRecord], Sight]

    def cut(self, state: PromiseState) -> tuple[PromiseState, frozenset[str]]:
        """The promise as its reader may see it; and the ids of rules that they may not know the state of."""
        hidden = {rule.id for rule in state.promise.rules if not self._shows(rule, state)}
        if not hidden:
            return state, frozenset()
        rules = tuple(_neutral(each) if each.id in hidden else each for each in state.promise.rules)
        unknown: Mapping[str, Any] = Result(State.UNDECIDED, WHY).to_json()
        results = {id: unknown if id in hidden else each for id, each in state.results.items()}
        worst = state_of([State(each["state"]) for each in results.values()])
        return replace(state, promise=replace(state.promise, rules=rules), results=results, state=worst), frozenset(
            hidden
        )

    def _shows(self, rule: Rule, state: PromiseState) -> bool:
        return all(self._reads(dataset, paths) for dataset, paths in _others(rule, state))

    def _reads(self, dataset: str, paths: Sequence[str] | None) -> bool:
        record = self.record(dataset)
        known = self.known(record)
        if not known.existence or not known.schema:
            return False
        if record is None:
            return True
        sight = self.sight(record)
        return reads_whole(sight) if paths is None else all(shows_figures(sight, path) for path in paths)


def _others(rule: Rule, state: PromiseState) -> Iterator[tuple[str, Sequence[str] | None]]:
    """(dataset, paths) that the rule is about beside its own; paths None: any."""
    if rule.kind is RuleKind.REFERENCE:
        yield rule.params["dataset"], rule.params["to"]
    else:
        yield from ((dataset, None) for dataset in state.results[rule.id].get("reads") or ())


def _neutral(rule: Rule) -> Rule:
    return replace(rule, text=rule.open_text, never=None)


def of_removed_reference(text: str) -> bool:
    """Whether a breach is of a reference that the contract has no more: which dataset it was about is not known."""
    return text.endswith(OTHER_DATASET)
