"""What a token of an agent takes away from what its person may see. Pure: nothing here opens anything.

- The decision on an agent is the decision on its person at the same moment, for the token's purpose, with further masks.
- A dataset that the token does not name is denied, and nobody knows of it (`policies.decision.visibility`).
- `masked_only`: each field that holds personal data, was not looked at, or is in a mask policy about anybody shows masked: by the
  strictest of these masks and that of the person. No exception and no grant lifts one. Of a stream view the fields of its
  sources count, too.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import overload

from catalog.entities import is_personal, tag_matches
from catalog.errors import NotAllowed
from catalog.paths import FieldPath
from policies.decision.mask_order import NULL, strictest
from policies.decision.policy_groups import Group
from policies.decision.policy_index import Compiled, Plan
from policies.masks.registry import shows_equality
from policies.matching import dataset_matches
from policies.model import (
    UNSCANNED_TAG,
    Agent,
    ColumnDecision,
    DatasetFacts,
    Decision,
    Effect,
    Mask,
    MaskPolicy,
    MaskType,
    Reason,
    Subject,
)
from policies.personal_data import is_personal_dataset

Planned = Callable[[DatasetFacts], Plan]
"""The policies laid over a dataset."""
_HIDDEN = Mask(MaskType.MASK)


def reaches(agent: Agent, reference: str) -> bool:
    """Whether the token names a dataset, `CLUSTER/TOPIC`."""
    return any(dataset_matches(each, reference) for each in agent.datasets)


def stated_purpose(subject: Subject, purpose: str | None) -> str | None:
    """The purpose that counts: that of the agent's token, where an agent acts. Raises NotAllowed for another one."""
    agent = subject.agent
    if agent is None:
        return purpose
    if purpose is not None and purpose != agent.purpose:
        raise NotAllowed(
            f"The token of agent {agent.name} is for the purpose {agent.purpose!r} alone; leave the purpose out.",
            details={"purpose": agent.purpose, "reasons": ["agent: another purpose"]},
        )
    return agent.purpose


def require_person(subject: Subject, deed: str) -> None:
    """Raises NotAllowed where an agent acts. `deed`: what a person does alone, as in "approves requests"."""
    if subject.agent is not None:
        raise NotAllowed(
            f"Agent {subject.agent.name} acts with a token of its own, and no agent {deed}; {subject.user} does so themselves.",
            details={"reasons": ["agent"]},
        )


def require_unmasking(subject: Subject, marks: str) -> None:
    """Raises NotAllowed for an agent of `masked_only` that changes `marks`, as tags, on which masks depend."""
    agent = subject.agent
    if agent is not None and agent.masked_only:
        raise NotAllowed(
            f"The token of agent {agent.name} shows masked values only, so it changes no {marks} that masks depend on;"
            f" {subject.user} does so without it.",
            details={"reasons": ["agent: masked values only"]},
        )


def may_unmask(tags: Collection[str], path: str | None, facts: DatasetFacts, masks: Iterable[MaskPolicy]) -> bool:
    """Whether tags that are added may show more. A mask policy is about one of them, and may be weaker than the mask so far; or
    no scan looked at the field yet, and a tag ends its mask. `path` None: of the dataset itself."""
    named = {target.tag for policy in masks for target in policy.match if target.tag is not None}
    if any(tag_matches(each, tag) for each in named for tag in tags):
        return True
    if path is None or not tags:
        return False
    place = FieldPath.parse(path)
    near = [each.classified for each in facts.fields if _touch(place, FieldPath.parse(each.path))]
    return not near or not all(near)


def concerns(agent: Agent, pattern: str) -> bool:
    """Whether a dataset, or a pattern of them, has to do with the datasets of the token."""
    return any(dataset_matches(each, pattern) or dataset_matches(pattern, each) for each in agent.datasets)


def most_rows(subject: Subject, most: int) -> int:
    """The most rows of one answer, within the agent's token where one acts."""
    return most if subject.agent is None else min(most, subject.agent.rows)


def refusal(agent: Agent, reference: str, purpose: str | None) -> Reason | None:
    """Why the token opens nothing of a dataset for a purpose; None where it leaves that to the person's rights."""
    if not reaches(agent, reference):
        return Reason("agent", agent.name, f"The token of agent {agent.name} does not name {reference}.")
    if purpose is not None and purpose != agent.purpose:
        return Reason(
            "agent", agent.name, f"The token of agent {agent.name} is for the purpose {agent.purpose!r} alone."
        )
    return None


def masked(decision: Decision, agent: Agent, facts: DatasetFacts, compiled: Compiled, planned: Planned) -> Decision:
    """A person's decision with the masks of `masked_only`. `planned`: the same policies over the facts, and over sources."""
    if decision.effect is not Effect.ALLOW:
        return decision
    plan = planned(facts)
    floors = _Floors(plan, compiled)
    of_sources = list(_of_sources(facts, compiled, planned))
    columns = _MaskedColumns(decision.columns, agent, plan, floors, of_sources)
    return replace(decision, columns=columns)


class _Floors:
    """The least masks of each field of a plan, for everybody."""

    def __init__(self, plan: Plan, compiled: Compiled) -> None:
        self._plan, self._compiled = plan, compiled
        self._of_group: dict[int, tuple[Mask, ...]] = {}

    def at(self, position: int) -> tuple[Mask, ...]:
        number = self._plan.group_of[position]
        masks = self._of_group.get(number)
        if masks is None:
            masks = tuple(_masks_of(self._plan.groups[number], self._compiled))
            if not masks and any(map(is_personal_dataset, self._plan.facts.tags)):
                masks = (_HIDDEN,)
            self._of_group[number] = masks
        return masks


def _masks_of(group: Group, compiled: Compiled) -> Iterator[Mask]:
    """The masks of fields that are alike to all policies."""
    data_kind = min((t for t in group.tags if t != UNSCANNED_TAG and is_personal(t)), default="")
    hidden = False
    for bound in group.masks:
        mask = compiled.masks[bound.index].mask
        if mask.type is not MaskType.MASK_NONE:
            hidden = True
            yield replace(mask, kind=data_kind) if shows_equality(mask.type) else mask
    if group.unscanned:
        yield NULL
    elif data_kind and not hidden:
        yield _HIDDEN


def _of_sources(
    facts: DatasetFacts, compiled: Compiled, planned: Planned
) -> Iterator[tuple[FieldPath, tuple[Mask, ...]]]:
    """Places in a view's rows, and what the fields of the sources there are masked by; those of views below, too."""
    for source in facts.sources:
        if source.facts is None:  # what its rows hold is not known
            yield from ((FieldPath(root), (NULL,)) for root in ("key", "value", "headers"))
            continue
        plan = planned(source.facts)
        floors = _Floors(plan, compiled)
        paths = [FieldPath.parse(path) for path in plan.paths]
        below = list(_of_sources(source.facts, compiled, planned))
        for each in source.fields:
            place = FieldPath.parse(each.path)
            masks = [m for n, path in enumerate(paths) if _touch(place, path) for m in floors.at(n)]
            masks += [m for path, of in below if _touch(place, path) for m in of]
            if masks:
                yield FieldPath.parse(each.at), tuple(masks)


def _touch(one: FieldPath, other: FieldPath) -> bool:
    return one.contains(other) or other.contains(one)


class _MaskedColumns(Sequence[ColumnDecision]):
    """The columns of a person's decision, each masked when it is looked at."""

    def __init__(
        self,
        columns: Sequence[ColumnDecision],
        agent: Agent,
        plan: Plan,
        floors: _Floors,
        of_sources: Sequence[tuple[FieldPath, tuple[Mask, ...]]],
    ) -> None:
        self._columns, self._agent, self._plan, self._floors = columns, agent, plan, floors
        self._of_sources = of_sources
        self._positions: Mapping[str, int] = {path: n for n, path in enumerate(plan.paths)}
        self._made: dict[int, ColumnDecision] = {}

    def __len__(self) -> int:
        return len(self._columns)

    @overload
    def __getitem__(self, at: int) -> ColumnDecision: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[ColumnDecision]: ...
    def __getitem__(self, at: int | slice) -> ColumnDecision | Sequence[ColumnDecision]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        number = range(len(self))[at]
        column = self._made.get(number)
        if column is None:
            column = self._made[number] = self._masked(self._columns[number])
        return column

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash((self._plan.paths, self._agent))

    def __repr__(self) -> str:
        return repr(tuple(self))

    def _masked(self, column: ColumnDecision) -> ColumnDecision:
        if column.effect is not Effect.ALLOW:
            return column
        masks = list(self._floors.at(self._positions[column.path]))
        if self._of_sources:
            place = FieldPath.parse(column.path)
            masks += [mask for path, of in self._of_sources if _touch(place, path) for mask in of]
        if not masks:
            return column
        mask = strictest([*([column.mask] if column.mask is not None else []), *masks])
        text = f"{mask.type}: the token of agent {self._agent.name} shows no unmasked values."
        reason = Reason("agent", self._agent.name, text)
        return replace(column, mask=mask, clear_when=None, reasons=(*column.reasons, reason))
