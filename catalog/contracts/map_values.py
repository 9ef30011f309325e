"""One field of a map where the records look like an object, and an object's fields where they look like a map. Pure.

Whether an object of JSON is a map is read off its keys, so that few records of a map look like an object with some fields.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from catalog.first_seen import earliest
from catalog.model import FieldProfile
from catalog.paths import FieldPath, StepKind


def value_of_map(path: FieldPath, fields: Mapping[str, FieldProfile]) -> FieldProfile | None:
    """The profile of a path inside a map's values, joined from the fields that the object has instead; None without any."""
    alike = [profile for profile in fields.values() if _is_alike(path, profile.field_path)]
    return _joined(str(path), alike) if alike else None


def is_inside_map(path: FieldPath, fields: Mapping[str, FieldProfile]) -> bool:
    """Whether the path is of a field of an object that looks like a map, which has keys in place of fields."""
    above = path.parent
    while above is not None:
        if (profile := fields.get(str(above))) is not None:
            return "map" in profile.types and str(above.values()) in fields
        above = above.parent
    return False


def _is_alike(path: FieldPath, other: FieldPath) -> bool:
    """Whether they differ in nothing but values of maps here that are fields there."""
    if path.root != other.root or len(path.steps) != len(other.steps):
        return False
    pairs = list(zip(path.steps, other.steps, strict=True))
    return any(mine != its for mine, its in pairs) and all(
        mine == its or (mine.kind is StepKind.VALUES and its.kind is StepKind.FIELD) for mine, its in pairs
    )


def _joined(path: str, alike: Sequence[FieldProfile]) -> FieldProfile:
    """All of them as one: shares by their counts, sizes from the least to the most, the first places of all."""
    count = sum(each.count for each in alike)

    def share(parts: Iterable[tuple[int, float]]) -> float:
        return sum(many * part for many, part in parts) / count

    types = {name: share((each.count, each.types.get(name, 0.0)) for each in alike) for name in _names(alike, "types")}
    lengths = [each.lengths for each in alike if each.lengths is not None]
    return FieldProfile(
        path,
        types,
        count,
        presence=1.0,
        null_share=share((each.count, each.null_share) for each in alike),
        lengths=(min(low for low, _ in lengths), max(high for _, high in lengths)) if lengths else None,
        details=_details(alike, share),
    )


def _names(alike: Sequence[FieldProfile], attribute: str) -> list[str]:
    return sorted({name for each in alike for name in getattr(each, attribute)})


def _details(alike: Sequence[FieldProfile], share: Any) -> dict[str, object]:
    details: dict[str, object] = {}
    magnitudes = [each.details["magnitude"] for each in alike if each.details.get("magnitude")]
    if magnitudes:
        details["magnitude"] = [min(low for low, _ in magnitudes), max(high for _, high in magnitudes)]
    details |= {name: True for name in ("negative", "notFinite") if any(each.details.get(name) for each in alike)}
    forms = sorted({form for each in alike for form in each.details.get("formats") or {}})
    if forms:
        details["formats"] = {
            form: share((each.count, (each.details.get("formats") or {}).get(form, 0.0)) for each in alike)
            for form in forms
        }
    if first := earliest(each.details.get("firstSeen") for each in alike):
        details["firstSeen"] = first
    places = {
        name: earliest((each.details.get("typesFirstSeen") or {}).get(name) for each in alike)
        for name in _names(alike, "types")
    }
    if seen := {name: place for name, place in places.items() if place}:
        details["typesFirstSeen"] = seen
    return details
