"""What changed between two schemas, and whether readers and old data survive it. Pure.

A scan sees a sample. What it did not see is called gone only when the sample was large enough to have shown it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from typing import Any

from catalog.model import FieldProfile, SchemaVersion, Shape

PRESENCE_MOVED = 0.1
"""A field's presence must move by more than this share to make a new version."""
_SHAPE_COUNTS = 0.05  # a shape in fewer of the records comes and goes with the sample
_SURE = 0.01  # "it would have been seen" when the chance of missing it is below this
_ALWAYS = 0.999

_WIDER = {
    "int32": {"int64", "integer", "decimal", "double"},
    "int64": {"integer", "decimal"},
    "integer": {"decimal"},
    "date": {"string"},
    "timestamp": {"string"},
    "uuid": {"string"},
}


@dataclass(frozen=True, slots=True)
class Change:
    """One difference. `change`: added, removed, type, presence; or format, shapes, which have no path."""

    change: str
    path: str | None
    before: Any = None
    after: Any = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Compatibility:
    """backward: a reader of the new schema can read the old data; forward: a reader of the old one the new data."""

    backward: bool
    forward: bool

    @property
    def full(self) -> bool:
        return self.backward and self.forward

    def to_json(self) -> dict[str, Any]:
        return {"backward": self.backward, "forward": self.forward, "full": self.full}


def differences(old: SchemaVersion, new: SchemaVersion) -> tuple[Change, ...]:
    """Every difference that makes a new version, ordered by path; empty when the two say the same."""
    before = {f.path: f for f in old.fields}
    after = {f.path: f for f in new.fields}
    changes: list[Change] = []
    if dict(old.format) != dict(new.format):
        changes.append(Change("format", None, dict(old.format), dict(new.format)))
    for path in sorted(before.keys() | after.keys()):
        was, now = before.get(path), after.get(path)
        if was is None and now is not None:
            changes.append(Change("added", path, None, _summary(now)))
        elif now is None and was is not None:
            changes.append(Change("removed", path, _summary(was), None))
        elif was is not None and now is not None:
            changes.extend(_field_changes(was, now))
    shapes_before, shapes_after = _main_shapes(old.shapes, new.shapes), _main_shapes(new.shapes, old.shapes)
    if shapes_before or shapes_after:
        changes.append(Change("shapes", None, len(shapes_before), len(shapes_after)))
    return tuple(changes)


def _field_changes(was: FieldProfile, now: FieldProfile) -> Iterable[Change]:
    if type_names(was) != type_names(now):
        yield Change("type", was.path, sorted(type_names(was)), sorted(type_names(now)))
    if abs(was.presence - now.presence) > PRESENCE_MOVED:
        yield Change("presence", was.path, round(was.presence, 4), round(now.presence, 4))


def _main_shapes(these: Iterable[Shape], those: Iterable[Shape]) -> list[Shape]:
    """The shapes of one side, seen often enough to count, that the other side lacks."""
    other = {frozenset(shape.paths) for shape in those}
    return [shape for shape in these if shape.share >= _SHAPE_COUNTS and frozenset(shape.paths) not in other]


def type_names(profile: FieldProfile) -> frozenset[str]:
    """The types that occur; null says nothing of a type."""
    return frozenset(name for name, share in profile.types.items() if share > 0 and name != "null")


def _summary(profile: FieldProfile) -> dict[str, Any]:
    return {"types": sorted(type_names(profile)), "presence": round(profile.presence, 4)}


def compatibility(changes: Iterable[Change]) -> Compatibility:
    """Judged simply: by what a reader that needs every always-present field, with its types, would notice."""
    backward = forward = True
    for change in changes:
        match change.change:
            case "format":
                backward = forward = False
            case "added":
                backward &= change.after["presence"] < _ALWAYS
            case "removed":
                forward &= change.before["presence"] < _ALWAYS
            case "presence":
                backward &= not change.before < _ALWAYS <= change.after
                forward &= not change.after < _ALWAYS <= change.before
            case "type":
                backward &= _covers(change.after, change.before)
                forward &= _covers(change.before, change.after)
    return Compatibility(backward, forward)


def _covers(reader: Iterable[str], written: Iterable[str]) -> bool:
    """True when a reader of these types can take everything written in those."""
    reads = set(reader)
    return all(name in reads or _WIDER.get(name, set()) & reads for name in written)


def carry_over(old: SchemaVersion, new: SchemaVersion) -> SchemaVersion:
    """The new profile, with what the old one held and the new sample was too small to have shown.

    A complete window (every retained record was read) carries nothing over.
    """
    if new.window.complete and new.window.records:
        return new
    records = new.window.records
    known_fields = {f.path: f for f in old.fields}
    present = {f.path for f in new.fields}
    fields = [_with_rare_types(known_fields[f.path], f) if f.path in known_fields else f for f in new.fields]
    for profile in old.fields:
        if profile.path not in present and not would_show(_share(profile, old), records):
            fields.append(profile)
    shapes = list(new.shapes)
    known = {frozenset(shape.paths) for shape in new.shapes}
    shapes += [s for s in old.shapes if frozenset(s.paths) not in known and not would_show(s.share, records)]
    form = {**old.format, **new.format} if records else dict(old.format)
    return replace(new, fields=tuple(sorted(fields, key=lambda f: f.path)), shapes=tuple(shapes), format=form)


def _share(profile: FieldProfile, schema: SchemaVersion) -> float:
    """Share of the records that hold the field, its parents' absence counted."""
    return min(1.0, profile.count / schema.window.records) if schema.window.records else profile.presence


def _with_rare_types(before: FieldProfile, now: FieldProfile) -> FieldProfile:
    rare = {
        name: share
        for name, share in before.types.items()
        if now.types.get(name, 0) == 0 and share > 0 and name != "null" and not would_show(share, now.count)
    }
    if not rare:
        return now
    kept = 1 - min(1.0, sum(rare.values()))
    return replace(now, types={**{name: share * kept for name, share in now.types.items()}, **rare})


def would_show(share: float, tries: int) -> bool:
    """True when something in this share of the records would almost surely turn up in so many tries."""
    return bool((1 - min(1.0, share)) ** tries < _SURE) if tries else False
