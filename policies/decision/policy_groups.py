"""A dataset's fields in groups for which the same policies hold."""

from __future__ import annotations

import functools
import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from catalog.entities import is_personal
from catalog.model import PERSONAL_DATA_TAG
from catalog.paths import FieldPath
from policies.decision.mask_applicability import bits_of
from policies.personal_data import is_personal_dataset
from policies.reach import PlannedField, Reach


@dataclass(frozen=True, slots=True)
class Bound:
    """A policy and why it is about the fields of a group: `tag EMAIL_ADDRESS`, `path value.url`."""

    index: int
    why: str


@dataclass(slots=True)
class Group:
    """Fields for which the same holds, for every subject. `members` are positions in the plan, `bits` the same as bits;
    `mask_bits`: which policies are in `masks`."""

    masks: tuple[Bound, ...]
    access: tuple[Bound, ...]
    tags: tuple[str, ...]
    unscanned: bool
    members: list[int] = field(default_factory=list)
    bits: int = 0
    mask_bits: int = 0


@dataclass(slots=True)
class Kind:
    """Groups that the same roles, ownership and grants open: they differ in masks alone."""

    access: tuple[Bound, ...]
    tags: tuple[str, ...]
    unscanned: bool
    groups: list[Group] = field(default_factory=list)
    bits: int = 0
    mask_bits: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """One policy about a dataset: the whole of it, or one path; and, when a tag is named too, only fields with it."""

    index: int
    pattern: str
    path: FieldPath | None
    tag: str | None
    text: str = ""


@dataclass(frozen=True, slots=True)
class OneDataset:
    """The policies about one dataset. by_tag: tag -> indexes of the policies that name it alone."""

    places: tuple[Place, ...]
    by_tag: Mapping[str, Sequence[int]]


def grouped(
    fields: list[PlannedField], masks: OneDataset, access: OneDataset, reach: Reach, dataset_tags: frozenset[str]
) -> tuple[tuple[Group, ...], tuple[int, ...]]:
    """The groups, and of each field which one it is in."""
    bound_masks = bind(fields, masks, reach, dataset_tags)
    bound_access = bind(fields, access, reach, dataset_tags)
    groups: dict[tuple[tuple[Bound, ...], tuple[Bound, ...], tuple[str, ...], bool], int] = {}
    result: list[Group] = []
    group_of = []
    for position, each in enumerate(fields):
        tags = tuple(sorted(each.tags))
        key = (bound_masks[position], bound_access[position], tags, each.unscanned)
        number = groups.setdefault(key, len(result))
        if number == len(result):
            result.append(Group(*key))
        result[number].members.append(position)
        group_of.append(number)
    return tuple(result), tuple(group_of)


def kinds_of(groups: tuple[Group, ...], fields: int) -> tuple[Kind, ...]:
    """Groups by what opens them; writes the bits of each group. `fields`: how many there are."""
    kinds: dict[tuple[tuple[Bound, ...], tuple[str, ...], bool], Kind] = {}
    for group in groups:
        group.bits = bits_of(group.members, fields)
        group.mask_bits = functools.reduce(operator.or_, (1 << b.index for b in group.masks), 0)
        key = (group.access, group.tags, group.unscanned)
        kind = kinds.setdefault(key, Kind(*key))
        kind.groups.append(group)
        kind.bits |= group.bits
        kind.mask_bits |= group.mask_bits
    return tuple(kinds.values())


def _policy_tags(of: PlannedField, dataset_tags: frozenset[str]) -> dict[str, str]:
    """Every tag a policy may name for a field, with the words for it. A tag on the dataset holds for every field."""
    if not of.tags and not dataset_tags:
        return {}
    words = {tag: f"tag {tag} of the dataset" for tag in sorted(dataset_tags)}
    words |= {tag: f"tag {tag}" for tag in of.tags}
    personal = [t for t in of.tags if is_personal(t)] or [t for t in sorted(dataset_tags) if is_personal_dataset(t)]
    if personal and PERSONAL_DATA_TAG not in words:
        words[PERSONAL_DATA_TAG] = f"{PERSONAL_DATA_TAG}, by {words[personal[0]]}"
    return words


def bind(
    fields: list[PlannedField], of: OneDataset, reach: Reach, dataset_tags: frozenset[str]
) -> list[tuple[Bound, ...]]:
    """The policies that are about each field, by their indexes, rising."""
    tags_of = [_policy_tags(f, dataset_tags) for f in fields]
    reasons: list[dict[int, str]] = [{} for _ in fields]
    for position, tags in enumerate(tags_of):
        for tag, why in tags.items():
            for index in of.by_tag.get(tag, ()):
                reasons[position].setdefault(index, why)
    for place in of.places:
        why = f"path {place.text} of {place.pattern}" if place.path else f"dataset {place.pattern}"
        for position in range(len(fields)) if place.path is None else reach.of(place.path):
            if place.tag is None or place.tag in tags_of[position]:
                reasons[position].setdefault(place.index, why)
    return [tuple(Bound(index, each[index]) for index in sorted(each)) if each else () for each in reasons]
