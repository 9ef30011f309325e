"""The columns of a decision: drafts per group of fields, then one `ColumnDecision` a field.

An answer for all fields depends on few things of the asker (see `Asking.key`), so it is kept with the plan under
exactly those. The texts in it name no user, and everything that it was made from stands in its key or in the plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from catalog.paths import FieldPath
from policies import conditions
from policies.asking import Asking, Hits
from policies.compiled import Plan
from policies.conditions import Condition
from policies.model import ColumnDecision, Effect, Reason
from policies.outcome import Draft, Outcome, finish

MAX_NAMED_FIELDS = 20
"""How many fields a gap names one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What an asker sees of every field.

    any_open      one field at least is opened, so the dataset is
    rows          the rows that grants open, where nothing else does
    used          names of the grants the answer rests on
    reasons       why the dataset is open; where it is not: why no field is
    gaps          what could not be decided, and how to mend it
    """

    columns: tuple[ColumnDecision, ...]
    any_open: bool
    rows: Condition
    used: frozenset[str]
    reasons: tuple[Reason, ...]
    gaps: tuple[str, ...]


def columns(plan: Plan, asking: Asking, known: Condition) -> Columns:
    """Decide every field, in rows that satisfy `known` already."""
    key = (asking.key(plan), known)
    kept = plan.answers.get(key)
    if isinstance(kept, Columns):
        return kept
    made = _Fields(plan, asking).decide(known)
    plan.keep(key, made)
    return made


class _Fields:
    def __init__(self, plan: Plan, asking: Asking) -> None:
        self.plan, self.asking = plan, asking
        self.hits = self._hits()
        cells = {self._cell(position) for position in self.hits}
        hit_in: dict[int, int] = defaultdict(int)
        for position in self.hits:
            hit_in[plan.group_of[position]] += 1
        cells |= {(n, frozenset()) for n, g in enumerate(plan.groups) if len(g.members) > hit_in[n]}
        self.drafts = {(n, hits): asking.draft(plan.groups[n], hits) for n, hits in sorted(cells, key=_cell_order)}

    def decide(self, known: Condition) -> Columns:
        opened = [d for d in self.drafts.values() if d.opens is not None]
        rows = conditions.any_of({d.opens for d in opened if d.opens is not None})
        known = conditions.both(known, rows)
        if not opened:
            reasons = dict.fromkeys(r for d in self.drafts.values() for r in d.reasons)
            return Columns((), False, rows, frozenset(), tuple(reasons)[:MAX_NAMED_FIELDS], ())
        outcomes = {cell: finish(draft, known) for cell, draft in self.drafts.items()}
        opening = dict.fromkeys(r for d in opened for r in d.reasons if r.kind in ("role", "owner", "grant"))
        return Columns(
            self._columns(outcomes),
            True,
            rows,
            frozenset().union(*(d.used for d in opened)),
            tuple(opening),
            tuple(self._gaps()),
        )

    def _columns(self, outcomes: Mapping[tuple[int, Hits], Outcome]) -> tuple[ColumnDecision, ...]:
        made: list[ColumnDecision | None] = [None] * len(self.plan.paths)
        for number, group in enumerate(self.plan.groups):
            outcome = outcomes.get((number, frozenset()))
            if outcome is None:
                continue  # every field of the group is reached by a path
            key = (number, outcome.key())
            same = self.plan.group_columns.get(key)
            if same is None:
                same = tuple(self._column(position, outcome) for position in group.members)
                self.plan.keep_group(key, same)
            for position, column in zip(group.members, same, strict=True):
                made[position] = column
        for position in self.hits:
            made[position] = self._column(position, outcomes[self._cell(position)])
        return tuple(column for column in made if column is not None)

    def _column(self, position: int, outcome: Outcome) -> ColumnDecision:
        reasons = outcome.reasons
        if outcome.effect is Effect.ALLOW:
            reasons = (*self.plan.evidence[position], *reasons)
        return ColumnDecision(self.plan.paths[position], outcome.effect, outcome.mask, outcome.clear_when, reasons)

    def _cell(self, position: int) -> tuple[int, Hits]:
        return self.plan.group_of[position], self.hits.get(position, frozenset())

    def _hits(self) -> Mapping[int, Hits]:
        """Fields that a path of a grant or a role reaches; all others are alike within their group."""
        selectors: list[tuple[str, int, FieldPath]] = [
            *(("fields", i, p) for i, u in enumerate(self.asking.usable) for p in u.fields.paths),
            *(("unmask", i, p) for i, u in enumerate(self.asking.usable) for p in u.unmask.paths),
            *(("standing", i, p) for i, (_, p) in enumerate(self.asking.standing) if p is not None),
        ]
        found: dict[int, set[tuple[str, int]]] = defaultdict(set)
        for kind, number, path in selectors:
            for position in self.plan.within(path):
                found[position].add((kind, number))
        return {position: frozenset(which) for position, which in found.items()}

    def _gaps(self) -> Iterable[str]:
        reference = self.plan.facts.reference
        drafts: Mapping[tuple[int, Hits], Draft] = self.drafts
        hidden = [
            self.plan.paths[position]
            for group in self.plan.groups
            if group.unscanned
            for position in group.members
            if drafts[self._cell(position)].unscanned
        ]
        for path in hidden[:MAX_NAMED_FIELDS]:
            yield (
                f"{path} of {reference} has neither been scanned nor declared, so it is hidden;"
                " scan the dataset, or declare the field's tags (an empty list if it holds nothing personal)."
            )
        if len(hidden) > MAX_NAMED_FIELDS:
            yield f"{len(hidden) - MAX_NAMED_FIELDS:,} more fields of {reference} are hidden likewise."


def _cell_order(cell: tuple[int, Hits]) -> tuple[int, list[tuple[str, int]]]:
    return cell[0], sorted(cell[1])
