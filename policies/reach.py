"""Which fields a path reaches: containers, map keys, and names in any case."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from catalog.errors import InvalidInput
from catalog.paths import VALUES, FieldPath, Step, StepKind
from policies.matching import folded
from policies.model import UNSCANNED_TAG

MAX_ADDED = 100_000
"""Fields made of single keys of maps, for one dataset."""


@dataclass(slots=True)
class PlannedField:
    """A field with the tags it carries or inherits, tag -> evidence in words. other_keys: the keys of a map that no other
    field is of, beside one with something to hide (`decision.unknown_keys`)."""

    text: str
    path: FieldPath
    tags: dict[str, str]
    unscanned: bool
    other_keys: bool = False


class Reach:
    """Which fields a path of a policy reaches: those inside it; else the one it is in."""

    def __init__(self, fields: list[PlannedField]) -> None:
        self._fields = fields
        self._added = 0

    @cached_property
    def _inside(self) -> dict[FieldPath, list[int]]:
        """Made when a path is asked for first: most policies name tags, and most datasets are asked for no path."""
        return by_ancestor([folded(f.path) for f in self._fields])

    @cached_property
    def _at(self) -> dict[FieldPath, list[int]]:
        at: dict[FieldPath, list[int]] = defaultdict(list)
        for position, each in enumerate(self._fields):
            at[folded(each.path)].append(position)
        return at

    def of(self, path: FieldPath) -> Sequence[int]:
        return self._inside.get(path) or self._around(path)

    def _around(self, path: FieldPath) -> list[int]:
        """Fields the path is in. The mask of a part then holds for the whole: a part cannot be separated there.

        Where one key of a map is a field of its own, the map's other values (`{}`) are left alone.
        """
        positions: list[int] = []
        for length in range(len(path.steps)):
            prefixes = generalised(FieldPath(path.root, path.steps[:length]))
            positions += next((at for prefix in prefixes if (at := self._at.get(prefix))), [])
        return positions

    def add_map_key(self, path: FieldPath | None) -> None:
        """Where a path names one key of a map, make fields of that key of all that is known of `{}`, at any depth.

        Raises InvalidInput where that makes more fields than anybody could look at.
        """
        for length, step in enumerate(path.steps if path is not None else (), start=1):
            if path is None or step.kind is not StepKind.MAP_KEY:
                continue
            over = FieldPath(path.root, (*folded(path).steps[: length - 1], VALUES))
            inside = {p for g in generalised(over) for p in self._inside.get(g, ())}
            for position in sorted(inside):
                self._add(self._fields[position], length - 1, step)

    def _add(self, values: PlannedField, at: int, step: Step) -> None:
        steps = values.path.steps
        if steps[at] != VALUES:
            return
        path = FieldPath(values.path.root, (*steps[:at], step, *steps[at + 1 :]))
        if folded(path) in self._at:
            return
        if self._added >= MAX_ADDED:
            raise InvalidInput(
                f"the rules on single keys of maps come to more than {MAX_ADDED:,} fields; take some out."
            )
        self._added += 1
        position, at_path, inside = len(self._fields), self._at, self._inside  # both made before the field is there
        self._fields.append(PlannedField(str(path), path, dict(values.tags), values.unscanned))
        at_path[folded(path)].append(position)
        for ancestor in ancestors(folded(path)):
            inside.setdefault(ancestor, []).append(position)


def inherit(fields: list[PlannedField]) -> None:
    """A tag on a container holds for what is inside it."""
    tagged: dict[FieldPath, list[tuple[str, dict[str, str]]]] = defaultdict(list)
    for each in fields:
        if each.tags:
            tagged[folded(each.path)].append((each.text, dict(each.tags)))
    lengths = sorted({len(path.steps) for path in tagged})
    for each in fields if tagged else ():
        own = folded(each.path)
        for ancestor in ancestors(own, lengths):
            for above, tags in tagged.get(ancestor, ()) if ancestor != own else ():
                for tag, evidence in tags.items():
                    if tag != UNSCANNED_TAG:
                        each.tags.setdefault(tag, f"of {above}: {evidence}" if evidence else f"of {above}")


def by_ancestor(paths: Sequence[FieldPath]) -> dict[FieldPath, list[int]]:
    """Every place -> the positions of the paths at it or inside it."""
    positions: dict[FieldPath, list[int]] = defaultdict(list)
    for position, path in enumerate(paths):
        for ancestor in ancestors(path):
            positions[ancestor].append(position)
    return dict(positions)


def ancestors(path: FieldPath, lengths: Sequence[int] | None = None) -> Iterator[FieldPath]:
    """Every path that contains this one, itself included. `lengths`: only those of so many steps, rising."""
    for length in range(len(path.steps) + 1) if lengths is None else lengths:
        if length > len(path.steps):
            return
        yield from generalised(FieldPath(path.root, path.steps[:length]))


def generalised(path: FieldPath) -> Iterator[FieldPath]:
    """The path, and the same with any of its map keys as `{}`."""
    if all(s.kind is not StepKind.MAP_KEY for s in path.steps):
        yield path
        return
    choices = [(s, VALUES) if s.kind is StepKind.MAP_KEY else (s,) for s in path.steps]
    for steps in itertools.product(*choices):
        yield FieldPath(path.root, steps)
