"""Who would gain and who would lose what, if these documents were applied. Nothing is written."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypedDict

from catalog.errors import NotFound
from policies.access.decision_service import DecisionSubject as Person
from policies.access.decision_service import decide_now, effect_of, subject_of
from policies.decision.mask_order import NULL, strictness
from policies.declared.state import GovernanceState, View
from policies.matching import dataset_matches, is_active
from policies.model import ColumnDecision, DatasetFacts, Decision, Effect, MaskType, Subject
from policies.plan import explain
from policies.ports import Clock, FactsSource
from policies.settings import PolicySettings
from policies.whatif.overlay import Proposed, actions, proposed_view
from policies.whatif.reversible import Reversible

MOST_CHANGES = 5000
_SECONDS = 20.0
"""A simulation that would take longer is cut, and reports that."""
_MOST = 1_000_000_000  # above every strictness
_CLEAR = 2 * _MOST

FactsAfter = Callable[[DatasetFacts], DatasetFacts]
"""What is known of a dataset once proposed Dataset documents hold."""


@dataclass(frozen=True, slots=True)
class Part:
    """The datasets that a reader gets an answer about. `has`: of a `CLUSTER/TOPIC`; `worded`: a decision of somebody else
    without what the reader may not know of."""

    has: Callable[[str], bool]
    worded: Callable[[DatasetFacts, Decision], Decision]


Direction = Literal["gain", "loss", "other"]


class Change(TypedDict):
    """What would show of a place in place of what shows now; `path` None: it is about which rows there are."""

    path: str | None
    change: Direction
    before: str
    after: str
    reasons: list[dict[str, str]]


class AccessChange(Change):
    """A change for one user, who states a purpose or none."""

    user: str
    dataset: str
    purpose: str | None


class Outcome(TypedDict):
    """What a simulation gives; `note`: why it ended early, `notes`: warnings of masks that those who choose values can undo."""

    changes: list[AccessChange]
    gains: int
    losses: int
    total: int
    truncated: bool
    note: str | None
    users: int
    datasets: int
    decisions: int
    documents: list[dict[str, str]]
    notes: list[str]


@dataclass(slots=True)
class _Result:
    """What a simulation has counted; `cut`: why it ended early."""

    changes: list[AccessChange] = field(default_factory=list)
    gains: int = 0
    losses: int = 0
    total: int = 0
    cut: str | None = None
    decided: int = 0
    people: set[str] = field(default_factory=set)
    datasets: int = 0

    def outcome(self, documents: list[dict[str, str]], notes: list[str]) -> Outcome:
        return {
            "changes": self.changes,
            "gains": self.gains,
            "losses": self.losses,
            "total": self.total,
            "truncated": self.total > len(self.changes) or self.cut is not None,
            "note": self.cut,
            "users": len(self.people),
            "datasets": self.datasets,
            "decisions": self.decided,
            "documents": documents,
            "notes": notes,
        }


class Simulation:
    """The service behind `POST /api/v1/policies/simulate`."""

    def __init__(
        self,
        state: GovernanceState,
        facts: FactsSource,
        references: Callable[[], Iterable[str]],
        clock: Clock,
        settings: PolicySettings | None = None,
    ) -> None:
        self._state, self._facts, self._references, self._clock = state, facts, references, clock
        self._settings = settings or PolicySettings()

    def simulate(
        self,
        proposed: Sequence[Proposed],
        *,
        user: str | None = None,
        dataset: str | None = None,
        limit: int = 1000,
        facts_after: FactsAfter = lambda facts: facts,
        part: Part | None = None,
    ) -> Outcome:
        """`dataset` may be a pattern. Users are those declared, owners and grantees, before and after, each without a
        purpose and with every purpose they may state. `part`: only these datasets, for a reader who may not know of all
        others. Raises InvalidInput for a document that would be refused.
        """
        before, after = self._state.view(), proposed_view(self._state, proposed)
        references = sorted(
            each
            for each in self._references()
            if (dataset is None or dataset_matches(dataset, each)) and (part is None or part.has(each))
        )
        result = _Result()
        until, now = time.monotonic() + _SECONDS, self._clock()
        changed = actions(self._state, proposed)
        new = {each["name"] for each in changed if each["kind"] == "Policy" and each["action"] in ("create", "change")}
        reversible = Reversible(after.policies, new, self._settings.unscanned_is_sensitive)
        for facts in self._known(references):
            then = facts_after(facts)
            reversible.add(then)
            people = sorted(_people(before, facts) | _people(after, then)) if user is None else [user]
            result.datasets += 1
            result.people.update(people)
            for name in people:
                if time.monotonic() > until:
                    result.cut = f"cut after {_SECONDS:g} seconds; ask for one dataset or one user"
                    break
                self._compare(result, (before, after), (facts, then), name, now, limit, part)
            if result.cut:
                break
        return result.outcome(changed, list(reversible.warnings()))

    def view(self, proposed: Sequence[Proposed]) -> View:
        """The declared view, with proposed documents over it. Raises InvalidInput."""
        return proposed_view(self._state, proposed) if proposed else self._state.view()

    def _known(self, references: Iterable[str]) -> Iterator[DatasetFacts]:
        for reference in references:
            try:
                yield self._facts.facts(reference)
            except NotFound:
                continue

    def _compare(
        self,
        result: _Result,
        views: tuple[View, View],
        facts: tuple[DatasetFacts, DatasetFacts],
        name: str,
        now: datetime,
        limit: int,
        part: Part | None,
    ) -> None:
        people = [subject_of(view, Person(name)) for view in views]
        stated = {p for view, (subject, _) in zip(views, people, strict=True) for p in _purposes(view, subject, now)}
        without: set[tuple[str | None, str, str]] = set()
        for purpose in (None, *sorted(stated)):
            decisions = [
                decide_now(view, subject, gone, fact, purpose, now, self._settings)
                for view, (subject, gone), fact in zip(views, people, facts, strict=True)
            ]
            if part is not None:
                decisions = [part.worded(fact, each) for fact, each in zip(facts, decisions, strict=True)]
            result.decided += 2
            for change in _changes(decisions[0], decisions[1], facts):
                key = (change["path"], change["before"], change["after"])
                if purpose is None:
                    without.add(key)
                elif key in without:
                    continue  # said already: it is so without a purpose too
                result.total += 1
                result.gains += change["change"] == "gain"
                result.losses += change["change"] == "loss"
                if len(result.changes) < min(limit, MOST_CHANGES):
                    result.changes.append({"user": name, "dataset": facts[0].reference, "purpose": purpose, **change})


def _people(view: View, facts: DatasetFacts) -> set[str]:
    groups = facts.owners.groups
    members = {m for name, group in view.groups.items() if name in groups for m in group.members}
    grantees = {u for g in view.grants.values() if dataset_matches(g.dataset, facts.reference) for u in g.subject.users}
    everyone = set(view.users) | {m for group in view.groups.values() for m in group.members}
    return everyone | members | grantees | facts.owners.users


def _purposes(view: View, subject: Subject, now: datetime) -> set[str]:
    return set(view.stated(g for g in view.grants_of(subject) if is_active(g, now)))


def _changes(before: Decision, after: Decision, facts: tuple[DatasetFacts, DatasetFacts]) -> Iterable[Change]:
    first, second = _shown(before, facts[0]), _shown(after, facts[1])
    for path in sorted(first.keys() | second.keys()):
        was, is_ = first.get(path), second.get(path)
        old, new = _words(was), _words(is_)
        if old == new:
            continue
        decision = is_ or was
        reasons = explain.reasons_json(decision.reasons) if decision is not None and decision.reasons else []
        reasons = reasons or explain.reasons_json(after.reasons if is_ is None or not is_.reasons else ())
        yield {
            "path": path,
            "change": _direction(was, is_),
            "before": old,
            "after": new,
            "reasons": reasons,
        }
    if before.effect is Effect.ALLOW and after.effect is Effect.ALLOW:
        old_rows, new_rows = _rows(before), _rows(after)
        if old_rows != new_rows:
            had, has = len(before.filters), len(after.filters)
            # Whether one condition leaves more rows than another is not decided here; only all against some is.
            direction: Direction = "loss" if had == 0 else "gain" if has == 0 else "other"
            reasons = [r for r in explain.reasons_json(after.reasons) if r["kind"] == "row-filter"]
            yield {"path": None, "change": direction, "before": old_rows, "after": new_rows, "reasons": reasons}


def _shown(decision: Decision, facts: DatasetFacts) -> Mapping[str, ColumnDecision | None]:
    """What is decided of every known field; None where the whole dataset is closed."""
    if decision.effect is Effect.DENY:
        return {f.path: None for f in facts.fields}
    return {c.path: c for c in decision.columns}


def _words(column: ColumnDecision | None) -> str:
    if column is None or column.effect is Effect.DENY:
        return "denied"
    if not explain.is_masked(column) or column.mask is None:
        return "clear"
    text = str(column.mask.type) if column.mask.type is not MaskType.CUSTOM else f"CUSTOM {column.mask.expression}"
    params = ", ".join(f"{k}={v}" for k, v in sorted(column.mask.params.items()))
    text += f" ({params})" if params else ""
    text += " (not scanned)" if effect_of(column) == "gap" else ""
    return text + (f"; unmasked where {column.clear_when}" if column.clear_when else "")


def _exposure(column: ColumnDecision | None) -> tuple[int, int, bool]:
    """(the least that shows, the most that shows, whether some rows are unmasked); a mask of known effect has one both."""
    if column is None or column.effect is Effect.DENY:
        return 0, 0, False
    if not explain.is_masked(column) or column.mask is None:
        return _CLEAR, _CLEAR, True
    hides = strictness(column.mask)
    least, most = (_shows(strictness(NULL)), _CLEAR) if hides is None else (_shows(hides), _shows(hides))
    return least, most, column.clear_when is not None


def _shows(hides: int | None) -> int:
    return 1 + _MOST - (hides or 0)


def _direction(before: ColumnDecision | None, after: ColumnDecision | None) -> Direction:
    """gain, loss, or other where one thing shows more and another less, or it cannot be compared."""
    old, new = _exposure(before), _exposure(after)
    if before is not None and after is not None and before.mask is not None and before.mask == after.mask:
        old, new = (0, 0, old[2]), (0, 0, new[2])  # the same mask, of an expression too: rows alone differ
    if old == new:
        return "other"
    if new[0] >= old[1] and new[2] >= old[2]:
        return "gain"
    return "loss" if new[1] <= old[0] and new[2] <= old[2] else "other"


def _rows(decision: Decision) -> str:
    return (
        "all rows" if not decision.filters else "rows where " + " and ".join(f"({f.where})" for f in decision.filters)
    )
