"""The columns of a decision: what opens each kind of field at once, and each `ColumnDecision` when it is asked for.

A dataset may have ten thousand fields, and a query names a few of them. So a decision works on sets of fields, as bits:
what opens them and which grants count. What one field comes to is worked out by group when somebody looks at it.

An answer for all fields depends on few things of the asker (see `Asking.key`), so it is kept with the plan under
exactly those. The texts in it name no user, and everything that it was made from is in its key or in the plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from policies.decision import row_conditions
from policies.decision.column_outcome import Outcome, finish
from policies.decision.mask_applicability import positions
from policies.decision.policy_groups import Group, Kind
from policies.decision.policy_index import Plan
from policies.decision.row_conditions import Condition
from policies.decision.standing import Asking, Hits, Opening
from policies.model import ColumnDecision, Effect, Reason

MAX_NAMED_FIELDS = 20
"""How many fields a gap names one by one; the others are counted."""


@dataclass(frozen=True, slots=True)
class Columns:
    """What an asker sees of every field.

    any_open      one field at least is opened, so the dataset is
    rows          the rows that grants open, where nothing else does
    used          names of the grants the answer rests on
    reasons       why the dataset is open; where it is not: why no field is
    gaps          what could not be decided, and how to fix it
    """

    columns: Sequence[ColumnDecision]
    any_open: bool
    rows: Condition
    used: frozenset[str]
    reasons: tuple[Reason, ...]
    gaps: tuple[str, ...]


def columns(plan: Plan, asking: Asking, known: Condition) -> Columns:
    """Decide every field, in rows that satisfy `known` already."""
    key = (asking.key(plan), known)
    cached = plan.answers.get(key)
    if isinstance(cached, Columns):
        return cached
    decided = _decide(plan, asking, known)
    plan.keep(key, decided)
    return decided


class FieldDecisions(Sequence[ColumnDecision]):
    """The decision of each field, in the order of the plan; made when it is looked at. Equal to a tuple of the same."""

    def __init__(self, plan: Plan, asking: Asking, selectors: Sequence[_Selector], known: Condition) -> None:
        self._plan, self._asking, self._selectors, self._known = plan, asking, selectors, known
        self._outcomes: dict[tuple[int, Hits], Outcome] = {}
        self._made: dict[int, ColumnDecision] = {}

    def __len__(self) -> int:
        return len(self._plan.paths)

    @overload
    def __getitem__(self, at: int) -> ColumnDecision: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ColumnDecision]: ...
    def __getitem__(self, at: int | slice) -> ColumnDecision | Sequence[ColumnDecision]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        position = range(len(self))[at]
        decision = self._made.get(position)
        if decision is None:
            decision = self._made[position] = self._decide(position)
        return decision

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(self._plan.paths)

    def __repr__(self) -> str:
        return repr(tuple(self))

    def outcomes(self) -> Iterator[tuple[Outcome, int]]:
        """What the fields come to, and of how many: a few outcomes instead of ten thousand fields."""
        for number, group in enumerate(self._plan.groups):
            for hits, bits in _parts(group.bits, self._selectors).items():
                yield self._outcome(number, hits), bits.bit_count()

    def _outcome(self, group: int, hits: Hits) -> Outcome:
        outcome = self._outcomes.get((group, hits))
        if outcome is None:
            outcome = finish(self._asking.draft(self._plan.groups[group], hits), self._known)
            self._outcomes[group, hits] = outcome
        return outcome

    def _decide(self, position: int) -> ColumnDecision:
        hits: Hits = frozenset(s.name for s in self._selectors if s.bits >> position & 1)
        outcome = self._outcome(self._plan.group_of[position], hits)
        reasons = outcome.reasons
        if outcome.effect is Effect.ALLOW:
            reasons = (*self._plan.evidence[position], *reasons)
        return ColumnDecision(self._plan.paths[position], outcome.effect, outcome.mask, outcome.clear_when, reasons)


@dataclass(frozen=True, slots=True)
class _Selector:
    """A path of a grant or a role, and the fields it reaches; all others are alike within their kind."""

    name: tuple[str, int]
    bits: int


@dataclass(frozen=True, slots=True)
class _Block:
    """Fields of a kind that the same selectors reach."""

    kind: Kind
    bits: int
    opening: Opening


def _decide(plan: Plan, asking: Asking, known: Condition) -> Columns:
    selectors = _selectors(plan, asking)
    blocks = list(_blocks(plan, asking, selectors))
    opened = [b for b in blocks if b.opening.draft.opens is not None]
    rows = row_conditions.any_of({b.opening.draft.opens for b in opened if b.opening.draft.opens is not None})
    if not opened:
        closed = dict.fromkeys(r for b in blocks for r in b.opening.draft.reasons)
        return Columns(
            columns=(), any_open=False, rows=rows, used=frozenset(), reasons=tuple(closed)[:MAX_NAMED_FIELDS], gaps=()
        )
    hidden = sum(_lift(asking, block) for block in opened)  # blocks are disjoint
    drafts = [b.opening.draft for b in opened]
    reasons = dict.fromkeys(r for d in drafts for r in d.reasons if r.kind in ("role", "owner", "grant"))
    return Columns(
        columns=FieldDecisions(plan, asking, selectors, row_conditions.both(known, rows)),
        any_open=True,
        rows=rows,
        used=frozenset().union(*(d.used for d in drafts)),
        reasons=tuple(reasons),
        gaps=tuple(_gaps(plan, hidden)),
    )


def _selectors(plan: Plan, asking: Asking) -> list[_Selector]:
    paths = [
        *((("fields", i), p) for i, u in enumerate(asking.usable) for p in u.fields.paths),
        *((("unmask", i), p) for i, u in enumerate(asking.usable) for p in u.unmask.paths),
        *((("standing", i), p) for i, (_, p) in enumerate(asking.standing) if p is not None),
    ]
    return [_Selector(name, bits) for name, path in paths if (bits := plan.within(path))]


def _blocks(plan: Plan, asking: Asking, selectors: Sequence[_Selector]) -> Iterator[_Block]:
    for kind in plan.kinds:
        for hits, bits in _parts(kind.bits, selectors).items():
            yield _Block(kind, bits, asking.opening(kind, hits))


def _parts(fields: int, selectors: Sequence[_Selector]) -> dict[Hits, int]:
    """Some fields, as bits, split by which selectors reach them."""
    parts: dict[Hits, int] = {frozenset(): fields}
    for selector in selectors:
        if not selector.bits & fields:
            continue
        split: dict[Hits, int] = {}
        for hits, bits in parts.items():
            if inside := bits & selector.bits:
                split[hits | {selector.name}] = split.get(hits | {selector.name}, 0) | inside
            if outside := bits & ~selector.bits:
                split[hits] = split.get(hits, 0) | outside
        parts = split
    return parts


def _lift(asking: Asking, block: _Block) -> int:
    """Note the grants that lift masks of a block; which of its fields are hidden for not being scanned, as bits."""
    groups = block.kind.groups
    whole = block.bits == block.kind.bits
    hidden = 0
    if block.kind.unscanned and not asking.sees_unscanned:
        addressed = asking.stances.addressed & ~asking.compiled.of_domains
        for group in groups:
            hidden |= group.bits & block.bits if not group.mask_bits & addressed else 0
    asking.lift(block.opening, block.kind.mask_bits if whole else _masks(asking, block, groups), bool(hidden))
    return hidden


def _masks(asking: Asking, block: _Block, groups: Iterable[Group]) -> int:
    """Policies on the fields of a block, as bits; it stops at those that decide whether its grants lift any."""
    wanted = [asking.stances.applies] if block.opening.lifting else []
    wanted += [asking.stances.by_grant] if block.opening.covering else []
    wanted = [bits for bits in wanted if bits & block.kind.mask_bits]
    held_bits = 0
    for group in groups if wanted else ():
        if group.bits & block.bits:
            held_bits |= group.mask_bits
            if all(held_bits & bits for bits in wanted):
                break
    return held_bits


def _gaps(plan: Plan, hidden: int) -> Iterator[str]:
    reference, count = plan.facts.reference, hidden.bit_count()
    for position, _ in zip(positions(hidden), range(MAX_NAMED_FIELDS), strict=False):
        path = plan.paths[position]
        if position in plan.other_keys:
            yield (
                f"{path} of {reference}: keys that have neither been scanned nor declared are hidden, because another"
                " key of the map is masked or holds personal data; scan the dataset, declare a tag on the key, or name"
                f" {path} in a mask policy."
            )
        else:
            yield (
                f"{path} of {reference} has neither been scanned nor declared, so it is hidden;"
                " scan the dataset, or declare the field's tags (an empty list if it holds nothing personal)."
            )
    if count > MAX_NAMED_FIELDS:
        yield f"{count - MAX_NAMED_FIELDS:,} more fields of {reference} are hidden likewise."
