"""What changed between two schemas. Pure.

A scan sees a sample. What it did not see is called gone only when the sample was large enough to have shown it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.datasets.departures import Departure, departures_of
from catalog.envelopes import unlisted
from catalog.first_seen import earliest, first_of
from catalog.model import FieldProfile, SchemaVersion, Shape

PRESENCE_MOVED = 0.1
"""A field's presence must move by more than this share to make a new version, and by more than chance explains."""
_SHAPE_COUNTS = 0.05  # a shape in fewer of the records comes and goes with the sample
_SURE = 0.01  # "it would have been seen" when the chance of missing it is below this
_Z = 2.576  # standard errors that chance exceeds in one of a hundred comparisons, as _SURE
ALWAYS = 0.999  # a field with at least this presence is always there

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

    def to_json(self) -> dict[str, object]:
        return {
            "change": self.change,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "how": self.how,
            "firstSeen": self.first_seen,
        }


def differences(old: SchemaVersion, new: SchemaVersion) -> tuple[Change, ...]:
    """Every difference that makes a new version, ordered by path; empty when the two are equal."""
    # What an envelope describes its payload with is not a field of either, once it is known for that.
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


def _formats(schema: SchemaVersion) -> dict[str, object]:
    """The formats of the parts by what most records are: a sample may miss the few that are packed, or of another format."""
    formats: dict[str, object] = {}
    for name, text in schema.format.items():
        if not name.endswith(".options"):
            formats[name] = text
        elif options := {
            option: value for option, value in json.loads(text).items() if option not in ("packed", "mixed")
        }:
            formats[name] = options
    return formats


def _field_changes(was: FieldProfile, now: FieldProfile, both_whole: bool) -> Iterable[Change]:
    old, new = type_names(was), type_names(now)
    if old != new:
        how = "widened" if covers(new, old) else "narrowed" if covers(old, new) else "changed"
        fresh = new - old
        yield Change(
            change="type",
            path=was.path,
            before=sorted(old),
            after=sorted(new),
            how=how,
            first_seen=first_of(now, fresh) if fresh else None,
        )
    nulls = _nulls_moved(was, now, both_whole)
    if nulls:
        first = first_of(now, ["null"]) if now.null_share else None
        yield Change(
            change="null",
            path=was.path,
            before=round(was.null_share, 4),
            after=round(now.null_share, 4),
            how=nulls,
            first_seen=first,
        )
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
    if was.presence >= ALWAYS > now.presence and (both_whole or would_show(1 - now.presence, _tries(was))):
        return "now optional"
    if now.presence >= ALWAYS > was.presence and (both_whole or would_show(1 - was.presence, _tries(now))):
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
    a field that came or went is reported as such, not again as a change of every shape that has it."""
    common = frozenset(paths)
    other = {frozenset(shape.paths) & common for shape in those}
    return [s for s in these if s.share >= _SHAPE_COUNTS and frozenset(s.paths) & common not in other]


def _shape(shape: Shape, before: Mapping[str, FieldProfile], after: Mapping[str, FieldProfile]) -> Change:
    fresh = [after[path] for path in shape.paths if path not in before and path in after]
    return Change(
        change="shape",
        path=None,
        before=None,
        after=_shape_summary(shape),
        how="new",
        first_seen=earliest(first_of(p) for p in fresh),
    )


def _shape_gone(shape: Shape) -> Change:
    return Change("shape", None, _shape_summary(shape), None, "gone")


def _shape_summary(shape: Shape) -> dict[str, object]:
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
            places.append(after[part].details.get("formatsFirstSeen", {}).get(name))
    return earliest(places)


def _departs(departure: Departure) -> Change:
    details = {"source": departure.source, "expected": departure.expected, "count": departure.count}
    return Change(
        change="departs", path=departure.path, before=None, after=details, how=departure.why, first_seen=departure.first
    )


def type_names(profile: FieldProfile) -> frozenset[str]:
    """The types that occur; null is not counted as one."""
    return frozenset(name for name, share in profile.types.items() if share > 0 and name != "null")


def _summary(profile: FieldProfile) -> dict[str, object]:
    return {"types": sorted(type_names(profile)), "presence": round(profile.presence, 4)}


def covers(reader: Iterable[str], written: Iterable[str]) -> bool:
    """True when a reader of these types can take everything written in those."""
    reads = set(reader)
    return all(name in reads or _WIDER.get(name, set()) & reads for name in written)


def would_show(share: float, tries: int) -> bool:
    """True when something in this share of the records would almost surely turn up in so many tries."""
    return bool((1 - min(1.0, share)) ** tries < _SURE) if tries else False
