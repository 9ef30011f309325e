"""What changed between two schemas, and whether readers and old data survive it. Pure.

A scan sees a sample. What it did not see is called gone only when the sample was large enough to have shown it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from catalog.datasets.departures import Departure, departures_of
from catalog.datasets.departures import carried_over as carried_departures
from catalog.envelopes import payload_first, unlisted
from catalog.first_seen import earliest, first_of, with_earliest
from catalog.model import FieldProfile, SchemaVersion, Shape
from catalog.paths import FieldPath, StepKind

PRESENCE_MOVED = 0.1
"""A field's presence must move by more than this share to make a new version, and by more than chance explains."""
_SHAPE_COUNTS = 0.05  # a shape in fewer of the records comes and goes with the sample
_SURE = 0.01  # "it would have been seen" when the chance of missing it is below this
_Z = 2.576  # standard errors that chance exceeds in one of a hundred comparisons, as _SURE
_ALWAYS = 0.999

_WIDER = {
    "int32": {"int64", "integer", "decimal", "double"},
    "int64": {"integer", "decimal", "double"},
    "integer": {"decimal"},
    "uuid": {"string"},
    "string": {"binary"},
    "binary": {"string"},
}
"""What a reader of other types takes: Avro's promotions (int, long, float, double; string and bytes), and the numbers of
JSON, of which each is a decimal. Source: "Schema Resolution" in the Avro 1.12 specification."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference.

    change      added, removed, type, null, presence, departs (of a field); format, shape (of the records, no path)
    how         type: widened (old data still reads), narrowed, changed; presence: now optional, now required, moved;
                null: now nullable, never null now; departs: the reason
    first_seen  {time, partition, offset} of the first record of the scan that shows it; None where one record cannot
                show it (a field that is gone, a share that moved)
    """

    change: str
    path: str | None
    before: Any = None
    after: Any = None
    how: str | None = None
    first_seen: Mapping[str, Any] | None = None

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
    # What an envelope describes its payload with is no field of either, once it is known for that.
    described = unlisted(old) | unlisted(new)
    before = {f.path: f for f in old.fields if f.path not in described}
    after = {f.path: f for f in new.fields if f.path not in described}
    changes: list[Change] = []
    if _formats(old) != _formats(new):
        changes.append(
            Change("format", None, dict(old.format), dict(new.format), first_seen=_format_first(old, new, after))
        )
    for path in sorted(before.keys() | after.keys()):
        was, now = before.get(path), after.get(path)
        if was is None and now is not None:
            changes.append(Change("added", path, None, _summary(now), first_seen=first_of(now)))
        elif now is None and was is not None:
            changes.append(Change("removed", path, _summary(was), None))
        elif was is not None and now is not None:
            changes.extend(_field_changes(was, now, both_whole=old.window.complete and new.window.complete))
    both = before.keys() & after.keys()
    changes += [_shape(shape, before, after) for shape in _main_shapes(new.shapes, old.shapes, both)]
    changes += [_shape_gone(shape) for shape in _main_shapes(old.shapes, new.shapes, both)]
    known = {d.key for d in departures_of(old)}
    changes += [_departs(d) for d in departures_of(new) if d.key not in known]
    return tuple(changes)


def _formats(schema: SchemaVersion) -> dict[str, Any]:
    """The formats of the parts by what a record is, not by what it is packed in: a sample may miss the few that are."""
    formats: dict[str, Any] = dict(schema.format)
    for name in [name for name in formats if name.endswith(".options")]:
        options = {option: value for option, value in json.loads(formats.pop(name)).items() if option != "packed"}
        if options:
            formats[name] = options
    return formats


def _field_changes(was: FieldProfile, now: FieldProfile, both_whole: bool) -> Iterable[Change]:
    old, new = type_names(was), type_names(now)
    if old != new:
        how = "widened" if _covers(new, old) else "narrowed" if _covers(old, new) else "changed"
        fresh = new - old
        yield Change("type", was.path, sorted(old), sorted(new), how, first_of(now, fresh) if fresh else None)
    nulls = _nulls_moved(was, now, both_whole)
    if nulls:
        first = first_of(now, ["null"]) if now.null_share else None
        yield Change("null", was.path, round(was.null_share, 4), round(now.null_share, 4), nulls, first)
    moved = _presence_moved(was, now, both_whole)
    if moved:
        yield Change("presence", was.path, round(was.presence, 4), round(now.presence, 4), moved)


def _nulls_moved(was: FieldProfile, now: FieldProfile, both_whole: bool) -> str | None:
    """Whether nulls came or went, when the other sample would have shown one."""
    if was.null_share == 0 < now.null_share and (both_whole or would_show(now.null_share, was.count)):
        return "now nullable"
    if now.null_share == 0 < was.null_share and (both_whole or would_show(was.null_share, now.count)):
        return "never null now"
    return None


def _presence_moved(was: FieldProfile, now: FieldProfile, both_whole: bool) -> str | None:
    """How the presence moved; None for what the luck of a sample explains.

    More than a tenth, and more than 2.576 standard errors of the difference of two shares. Or across "always there":
    when the records without it are so many that the other sample would have shown one.
    """
    if was.presence >= _ALWAYS > now.presence and (both_whole or would_show(1 - now.presence, _tries(was))):
        return "now optional"
    if now.presence >= _ALWAYS > was.presence and (both_whole or would_show(1 - was.presence, _tries(now))):
        return "now required"
    step = abs(was.presence - now.presence)
    return "moved" if step > PRESENCE_MOVED and (both_whole or step > _Z * _error(was, now)) else None


def _error(was: FieldProfile, now: FieldProfile) -> float:
    """Standard error of the difference of two shares, pooled."""
    n, m = max(1, _tries(was)), max(1, _tries(now))
    share = (was.presence * n + now.presence * m) / (n + m)
    return math.sqrt(max(0.0, share * (1 - share)) * (1 / n + 1 / m))


def _tries(profile: FieldProfile) -> int:
    """How many parents were looked at for the field."""
    return round(profile.count / profile.presence) if profile.presence else 0


def _main_shapes(these: Iterable[Shape], those: Iterable[Shape], paths: Collection[str]) -> list[Shape]:
    """The shapes of one side, seen often enough to count, that the other side lacks. Compared by the paths both know:
    a field that came or went is told as such, not again as a change of every shape that has it."""
    common = frozenset(paths)
    other = {frozenset(shape.paths) & common for shape in those}
    return [s for s in these if s.share >= _SHAPE_COUNTS and frozenset(s.paths) & common not in other]


def _shape(shape: Shape, before: Mapping[str, FieldProfile], after: Mapping[str, FieldProfile]) -> Change:
    fresh = [after[path] for path in shape.paths if path not in before and path in after]
    return Change("shape", None, None, _shape_summary(shape), "new", earliest(first_of(p) for p in fresh))


def _shape_gone(shape: Shape) -> Change:
    return Change("shape", None, _shape_summary(shape), None, "gone")


def _shape_summary(shape: Shape) -> dict[str, Any]:
    return {
        "share": round(shape.share, 4),
        "fields": len(shape.paths),
        "when": dict(shape.when) if shape.when else None,
    }


def _format_first(
    old: SchemaVersion, new: SchemaVersion, after: Mapping[str, FieldProfile]
) -> Mapping[str, Any] | None:
    """Where a part was first seen in the format it has now."""
    places = []
    for part, name in new.format.items():
        if old.format.get(part) != name and part in after:
            places.append(after[part].details.get("formats_first_seen", {}).get(name))
    return earliest(places)


def _departs(departure: Departure) -> Change:
    details = {"source": departure.source, "expected": departure.expected, "count": departure.count}
    return Change("departs", departure.path, None, details, departure.why, departure.first)


def type_names(profile: FieldProfile) -> frozenset[str]:
    """The types that occur; null says nothing of a type."""
    return frozenset(name for name, share in profile.types.items() if share > 0 and name != "null")


def _summary(profile: FieldProfile) -> dict[str, Any]:
    return {"types": sorted(type_names(profile)), "presence": round(profile.presence, 4)}


def compatibility(changes: Iterable[Change]) -> Compatibility:
    """Judged as a registry judges two Avro schemas: by what a reader would notice that needs every field which is always
    there, with its types. A field that may be absent is one with a default; a change of the format breaks both ways.
    What lies inside an alternative that came or went (`tags` was a text, and may be an array now) is judged with it: a
    reader of both reads the old data. Shapes and departures do not count: each field of theirs does.
    """
    changes = list(changes)
    backward = forward = True
    came = {c.path for c in changes if c.change == "added"}
    gone = {c.path for c in changes if c.change == "removed"}
    types = {c.path: c for c in changes if c.change == "type"}
    changes = [
        c for c in changes
        if not (c.change == "added" and _alternative(c.path, types, came=True))
        and not (c.change == "removed" and _alternative(c.path, types, came=False))
    ]  # fmt: skip
    for change in changes:
        match change.change:
            case "format":
                backward = forward = False
            case "added":
                backward &= change.after["presence"] < _ALWAYS or _in_one_of(change.path, came)
                backward, forward = (way and not _filling(change.path, came) for way in (backward, forward))
            case "removed":
                forward &= change.before["presence"] < _ALWAYS or _in_one_of(change.path, gone)
                backward, forward = (way and not _filling(change.path, gone) for way in (backward, forward))
            case "presence":
                backward &= not change.before < _ALWAYS <= change.after
                forward &= not change.after < _ALWAYS <= change.before
            case "null":
                backward &= change.after > 0
                forward &= change.before > 0
            case "type":
                backward &= _covers(change.after, change.before)
                forward &= _covers(change.before, change.after)
    return Compatibility(backward, forward)


def _parent(path: str | None) -> FieldPath | None:
    return FieldPath.parse(path).parent if path else None


_HOLDER = {
    StepKind.FIELD: "object", StepKind.ELEMENTS: "array", StepKind.VALUES: "map", StepKind.MAP_KEY: "map",
    StepKind.KEYS: "map",
}  # fmt: skip


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
    """What stands in something that itself came or went is judged with that."""
    parent = _parent(path)
    return parent is not None and str(parent) in others


def _filling(path: str | None, others: Collection[str | None]) -> bool:
    """The elements of an array, the values of a map: where they come or go alone, the other side knows it as empty, and
    an array of nothing is of another type to Avro."""
    if path is None or _in_one_of(path, others):
        return False
    steps = FieldPath.parse(path).steps
    return bool(steps) and steps[-1].kind in (StepKind.ELEMENTS, StepKind.VALUES)


def _covers(reader: Iterable[str], written: Iterable[str]) -> bool:
    """True when a reader of these types can take everything written in those."""
    reads = set(reader)
    return all(name in reads or _WIDER.get(name, set()) & reads for name in written)


def carry_over(old: SchemaVersion, new: SchemaVersion) -> SchemaVersion:
    """The new profile, with what the old one held and the new sample was too small to have shown.

    A complete window (every retained record was read) carries nothing over but where things were first seen.
    """
    known_fields = {f.path: f for f in old.fields}
    fields = [with_earliest(known_fields[f.path], f) if f.path in known_fields else f for f in new.fields]
    if new.window.complete and new.window.records:
        return replace(new, fields=tuple(fields))
    records = new.window.records
    present = {f.path for f in new.fields} | unlisted(new)
    fields = [_with_rare_types(known_fields[f.path], f) if f.path in known_fields else f for f in fields]
    for profile in old.fields:
        if profile.path not in present and not would_show(_share(profile, old), records):
            fields.append(profile)
    shapes = list(new.shapes)
    known = {frozenset(shape.paths) for shape in new.shapes}
    shapes += [s for s in old.shapes if frozenset(s.paths) not in known and not would_show(s.share, records)]
    form = {**old.format, **new.format} if records else dict(old.format)
    envelopes = new.envelopes if records else old.envelopes
    rare = [d for d in carried_departures(old, new) if not would_show(d["count"] / max(1, old.window.records), records)]
    return replace(
        new,
        fields=payload_first(sorted(fields, key=lambda f: f.path), envelopes),
        shapes=tuple(shapes),
        format=form,
        problems=(*new.problems, *rare),
        envelopes=envelopes,
    )


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
