"""Policies made ready for deciding: looked up by tag and dataset, and laid out over a dataset's fields.

Nothing here knows a subject. `Compiled` is made once per version of the policies; `Compiled.plan` lays them over one
dataset and groups its fields by what can hold for them, so that a decision looks at groups (tens), not at fields (ten
thousand). Plans are kept for the very `DatasetFacts` object they were made from: a source of facts should give the
same object while they have not changed.
"""

from __future__ import annotations

import functools
import itertools
import operator
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from catalog.entities import is_personal
from catalog.errors import InvalidInput
from catalog.model import PERSONAL_DATA_TAG
from catalog.paths import FieldPath, StepKind
from policies.decision.mask_applicability import StanceIndex, Stances, bits_of, positions
from policies.decision.policy_groups import OneDataset, Place, bind, grouped, kinds_of
from policies.decision.unknown_keys import mark_unknown_keys
from policies.matching import Who, dataset_matches, folded
from policies.model import (
    UNSCANNED_TAG,
    AccessPolicy,
    DatasetFacts,
    MaskPolicy,
    MaskType,
    Policy,
    Reason,
    RowPolicy,
    SubjectMatch,
    Target,
)
from policies.personal_data import is_personal_dataset
from policies.reach import PlannedField, Reach, by_ancestor, inherit

MAX_PLANNED_FIELDS = 500_000
"""Fields in all kept plans together, at about 1 KB each; the longest unused plans go first."""


MAX_KEPT_COLUMNS = 200_000
"""Columns in the kept answers of one dataset, at about 150 bytes each."""

MAX_KEPT_REACHES = 1024
"""Paths of grants and roles of which it is kept which fields of a dataset they reach; a bit a field."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A policy that cannot be read, and the datasets it may be about (a pattern; None = any). They are denied."""

    dataset: str | None
    text: str


class Compiled:
    """A set of policies with its indexes. Immutable but for the plans it remembers; safe between threads."""

    def __init__(self, policies: Iterable[Policy] = (), problems: Iterable[Problem] = (), version: int = 0) -> None:
        listed = list(policies)
        self.version = version
        self.masks = tuple(p for p in listed if isinstance(p, MaskPolicy))
        self.access = tuple(p for p in listed if isinstance(p, AccessPolicy))
        self.rows = tuple(p for p in listed if isinstance(p, RowPolicy))
        self.problems = (*problems, *itertools.chain.from_iterable(map(_unreadable, listed)))
        self.mask_index = _Index([p.match for p in self.masks])
        self.access_index = _Index([p.match for p in self.access])
        self._stances = StanceIndex(self.masks)
        self.of_domains = bits_of((i for i, p in enumerate(self.masks) if p.domain is not None), len(self.masks) + 1)
        """Mask policies that admins of domains declared, as bits."""
        self.purposes = frozenset(_purposes(listed))
        """Every purpose that a policy names."""
        self._plans: OrderedDict[tuple[int, bool], Plan] = OrderedDict()
        self._planned = 0
        """Fields of all kept plans: counted along, as to add them up for each new plan is quadratic in datasets."""
        self._lock = threading.Lock()

    def hides(self, index: int) -> bool:
        """Whether a mask policy hides anything."""
        return self.masks[index].mask.type is not MaskType.MASK_NONE

    def stances(self, who: Who, path: Sequence[str]) -> Stances:
        """Which mask policies apply to a subject. `path`: the stated purpose and those that cover it."""
        return self._stances.of(who, path)

    def plan(self, facts: DatasetFacts, unscanned_is_sensitive: bool = True) -> Plan:
        """The policies laid over a dataset."""
        key = (id(facts), unscanned_is_sensitive)
        with self._lock:
            cached = self._plans.get(key)
            # A plan holds its facts, so while it is kept no other object can get the same id.
            if cached is not None and cached.facts is facts:
                self._plans.move_to_end(key)
                return cached
        plan = Plan(self, facts, unscanned_is_sensitive)
        with self._lock:
            before = self._plans.pop(key, None)
            self._plans[key] = plan
            self._planned += len(plan.paths) - (len(before.paths) if before is not None else 0)
            while len(self._plans) > 1 and self._planned > MAX_PLANNED_FIELDS:
                self._planned -= len(self._plans.popitem(last=False)[1].paths)
        return plan


class Plan:
    """One dataset under one set of policies. `paths`: the columns, in the order of the facts, then added map keys."""

    def __init__(self, compiled: Compiled, facts: DatasetFacts, unscanned_is_sensitive: bool) -> None:
        self.facts = facts
        self.problems = tuple(
            p.text for p in compiled.problems if p.dataset is None or dataset_matches(p.dataset, facts.reference)
        )
        self.unreadable: list[str] = []
        fields = list(self._read(facts, unscanned_is_sensitive))
        reach = Reach(fields)
        masks = compiled.mask_index.of(facts.reference)
        access = compiled.access_index.of(facts.reference)
        keyed = [f.path for f in fields if any(s.kind is StepKind.MAP_KEY for s in f.path.steps)]
        named = (FieldPath.parse(p.text) for p in (*masks.places, *access.places) if p.path is not None)
        for path in sorted({*keyed, *named}):
            reach.add_map_key(path)
        inherit(fields)
        if unscanned_is_sensitive and any(s.kind is StepKind.MAP_KEY for f in fields for s in f.path.steps):
            mark_unknown_keys(fields, bind(fields, masks, reach, facts.tags), compiled.hides)
        self.paths = tuple(f.text for f in fields)
        self._fields = fields
        self._exact: dict[FieldPath, list[int]] | None = None
        self.other_keys = frozenset(n for n, f in enumerate(fields) if f.other_keys)
        """The columns that are the keys of a map that no other column is of, beside one with something to hide."""
        self.groups, self.group_of = grouped(fields, masks, access, reach, facts.tags)
        self.kinds = kinds_of(self.groups, len(fields))
        self.mask_bits = functools.reduce(operator.or_, (k.mask_bits for k in self.kinds), 0)
        self.asks_for_grants = any(g.access for g in self.groups)
        self.answers: dict[object, object] = {}
        self._within: dict[FieldPath, int] = {}
        row_tags = set(facts.tags).union(*(f.tags for f in fields))
        if any(map(is_personal, itertools.chain.from_iterable(f.tags for f in fields))) or any(
            map(is_personal_dataset, facts.tags)
        ):
            row_tags.add(PERSONAL_DATA_TAG)
        self.rows = tuple(
            p for p in compiled.rows if any(_about_rows(target, facts.reference, row_tags) for target in p.match)
        )

    @functools.cached_property
    def evidence(self) -> tuple[tuple[Reason, ...], ...]:
        """Why each column has its tags."""
        return tuple(
            tuple(Reason("tag", tag, f"{tag}: {text}" if text else tag) for tag, text in sorted(f.tags.items()))
            if f.tags
            else ()
            for f in self._fields
        )

    def _read(self, facts: DatasetFacts, unscanned_is_sensitive: bool) -> Iterator[PlannedField]:
        for field_facts in facts.fields:
            try:
                path = FieldPath.parse(field_facts.path)
            except InvalidInput as error:
                self.unreadable.append(error.message)
                continue
            unscanned = unscanned_is_sensitive and not field_facts.classified
            tags = dict(field_facts.tags)
            if unscanned:
                tags.setdefault(UNSCANNED_TAG, "neither scanned nor declared")
            yield PlannedField(field_facts.path, path, tags, unscanned)

    def masked(self, compiled: Compiled) -> list[str]:
        """The columns of which a mask policy hides something from anybody."""
        hiding = [any(compiled.hides(bound.index) for bound in group.masks) for group in self.groups]
        return [path for path, number in zip(self.paths, self.group_of, strict=True) if hiding[number]]

    def subjects(self, compiled: Compiled) -> Iterator[SubjectMatch]:
        """Whom the policies about the dataset name, and whom they except."""
        for index in positions(self.mask_bits):
            yield compiled.masks[index].subjects
            yield compiled.masks[index].exempt
        for policy in self.rows:
            yield policy.subjects
            yield policy.exempt

    def keep(self, key: object, answer: object) -> None:
        """Remember an answer; few where there are many fields. The whole memory is dropped when it is full."""
        if len(self.answers) >= max(8, MAX_KEPT_COLUMNS // max(1, len(self.paths))):
            self.answers.clear()
        self.answers[key] = answer

    def within(self, path: FieldPath) -> int:
        """The fields at this place or inside it, as bits of their positions."""
        bits = self._within.get(path)
        if bits is None:
            if self._exact is None:
                self._exact = by_ancestor([f.path for f in self._fields])
            bits = bits_of(self._exact.get(path, ()), len(self.paths))
            if len(self._within) >= MAX_KEPT_REACHES:
                self._within.clear()
            self._within[path] = bits
        return bits


class _Index:
    """Which policies are about a tag or a dataset."""

    def __init__(self, matches: Sequence[tuple[Target, ...]]) -> None:
        self._tags: dict[str, list[int]] = defaultdict(list)
        self._exact: dict[str, list[Place]] = defaultdict(list)
        self._patterns: list[Place] = []
        for index, targets in enumerate(matches):
            for target in targets:
                try:
                    path = folded(FieldPath.parse(target.path)) if target.path is not None else None
                except InvalidInput:
                    continue  # its datasets are denied, see `_unreadable`
                if target.tag is not None and target.dataset is None and path is None:
                    self._tags[target.tag].append(index)
                    continue
                place = Place(index, target.dataset or "*", path, target.tag, target.path or "")
                (self._patterns if "*" in place.pattern else self._exact[place.pattern]).append(place)

    def of(self, reference: str) -> OneDataset:
        patterns = (p for p in self._patterns if dataset_matches(p.pattern, reference))
        return OneDataset((*self._exact.get(reference, ()), *patterns), self._tags)


def _about_rows(target: Target, reference: str, tags: set[str]) -> bool:
    """True when a row policy's target is about the dataset: a tag counts on the dataset or on any field of it."""
    return (target.dataset is None or dataset_matches(target.dataset, reference)) and (
        target.tag is None or target.tag in tags
    )


def _purposes(policies: Iterable[Policy]) -> Iterator[str]:
    for policy in policies:
        if isinstance(policy, AccessPolicy):
            yield from policy.purposes
        else:
            yield from policy.exempt.purposes | policy.subjects.purposes


def _unreadable(policy: Policy) -> Iterator[Problem]:
    for target in policy.match:
        if target.path is not None:
            try:
                FieldPath.parse(target.path)
            except InvalidInput as error:
                yield Problem(target.dataset, f"Policy {policy.name} cannot be read: {error.message}")
