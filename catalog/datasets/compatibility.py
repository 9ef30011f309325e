"""Whether readers of one schema can read data of another, judged by what changed between the two. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from catalog.datasets.diff import ALWAYS, Change, covers
from catalog.paths import FieldPath, StepKind


@dataclass(frozen=True, slots=True)
class Compatibility:
    """backward: a reader of the new schema can read the old data; forward: a reader of the old one the new data."""

    backward: bool
    forward: bool

    @property
    def full(self) -> bool:
        return self.backward and self.forward

    def to_json(self) -> dict[str, bool]:
        return {"backward": self.backward, "forward": self.forward, "full": self.full}


def compatibility(changes: Iterable[Change]) -> Compatibility:
    """Judged as a registry judges two Avro schemas: by what a reader would notice that needs every field which is always
    there, with its types. A field that may be absent is one with a default; a change of the format breaks both ways.
    A place inside an alternative that came or went (`tags` was a text, and may be an array now) is judged with it: a
    reader of both reads the old data. Shapes and departures do not count: each of their fields does.
    """
    changes = list(changes)
    backward = forward = True
    came = {c.path for c in changes if c.change == "added"}
    gone = {c.path for c in changes if c.change == "removed"}
    types = {c.path: c for c in changes if c.change == "type"}
    changes = [
        c
        for c in changes
        if not (c.change == "added" and _alternative(c.path, types, came=True))
        and not (c.change == "removed" and _alternative(c.path, types, came=False))
    ]
    for change in changes:
        match change.change:
            case "format":
                backward = forward = False
            case "added":
                backward &= change.after["presence"] < ALWAYS or _in_one_of(change.path, came)
                backward, forward = (way and not _filling(change.path, came) for way in (backward, forward))
            case "removed":
                forward &= change.before["presence"] < ALWAYS or _in_one_of(change.path, gone)
                backward, forward = (way and not _filling(change.path, gone) for way in (backward, forward))
            case "presence":
                backward &= not change.before < ALWAYS <= change.after
                forward &= not change.after < ALWAYS <= change.before
            case "null":
                backward &= change.after > 0
                forward &= change.before > 0
            case "type":
                backward &= covers(change.after, change.before)
                forward &= covers(change.before, change.after)
    return Compatibility(backward, forward)


def _parent(path: str | None) -> FieldPath | None:
    return FieldPath.parse(path).parent if path else None


_HOLDER = {
    StepKind.FIELD: "object",
    StepKind.ELEMENTS: "array",
    StepKind.VALUES: "map",
    StepKind.MAP_KEY: "map",
    StepKind.KEYS: "map",
}


def _alternative(path: str | None, types: Mapping[str | None, Change], came: bool) -> bool:
    """Whether a place is inside an object, array or map that its parent did not hold on the other side."""
    parent = _parent(path)
    change = types.get(str(parent)) if parent is not None else None
    if path is None or change is None:
        return False
    holder = _HOLDER[FieldPath.parse(path).steps[-1].kind]
    with_it, without = (change.after, change.before) if came else (change.before, change.after)
    return holder in with_it and holder not in without


def _in_one_of(path: str | None, others: Collection[str | None]) -> bool:
    """Whether a place is inside something that itself came or went, and is judged with that."""
    parent = _parent(path)
    return parent is not None and str(parent) in others


def _filling(path: str | None, others: Collection[str | None]) -> bool:
    """The elements of an array, the values of a map: where they come or go alone, the other side knows it as empty, and
    an array of nothing is of another type to Avro."""
    if path is None or _in_one_of(path, others):
        return False
    steps = FieldPath.parse(path).steps
    return bool(steps) and steps[-1].kind in (StepKind.ELEMENTS, StepKind.VALUES)
