"""Where something was first seen: {time, partition, offset}, as profiles keep it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict

from catalog.model import FieldProfile

First = Mapping[str, Any]


class RecordPlace(TypedDict):
    """Where a record is. `time`: RFC 3339."""

    time: str | None
    partition: int
    offset: int


def earliest(places: Iterable[First | None]) -> First | None:
    """The first of some places, by Kafka's time, then partition and offset; None of none."""
    return min((p for p in places if p), key=_order, default=None)


def _order(place: First) -> tuple[str, int, int]:
    return str(place.get("time") or ""), int(place.get("partition", 0)), int(place.get("offset", 0))


def first_of(profile: FieldProfile, types: Collection[str] | None = None) -> First | None:
    """Where the field was first seen, or the first of some of its types."""
    if types is not None:
        by_type = profile.details.get("typesFirstSeen") or {}
        first_of_types = earliest(by_type.get(name) for name in types)
        if first_of_types is not None:
            return first_of_types
    first: First | None = profile.details.get("firstSeen")
    return first


def with_earliest(before: FieldProfile, now: FieldProfile) -> FieldProfile:
    """What was seen earlier stays the first sight, though the newer sample began later. A topic that was created again
    has other offsets at other times, so times decide."""
    details = dict(now.details)
    first = earliest([first_of(before), first_of(now)])
    if first is not None:
        details["firstSeen"] = first
    for name in ("typesFirstSeen", "formatsFirstSeen"):
        old, new = before.details.get(name) or {}, details.get(name) or {}
        if new:
            details[name] = {key: earliest([old.get(key), place]) for key, place in new.items()}
    return replace(now, details=details) if details != dict(now.details) else now
