"""What a dataset's record keeps of its certification, deprecation, announcements and properties. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from catalog.declared.curation_specs import moment
from catalog.declared.dataset_specs import DatasetSpec

KEYS = ("certification", "deprecation", "announcements", "properties")
"""Keys of a Dataset's spec that are kept together, as they are written."""

Curation = Mapping[str, Any]


def curation(spec: DatasetSpec) -> dict[str, object]:
    """What a declared document states, without what it leaves out."""
    written = spec.model_dump(mode="json", by_alias=True, exclude_unset=True, include=set(KEYS))
    return {key: value for key, value in written.items() if value not in (None, [], {}) or is_mark(key, value)}


def is_mark(key: str, value: Any) -> bool:
    """`certification: {}` certifies, and `deprecation: {}` deprecates."""
    return key in ("certification", "deprecation") and value is not None


def is_certified(stated: Curation) -> bool:
    return "certification" in stated


def is_deprecated(stated: Curation) -> bool:
    return "deprecation" in stated


def announced(stated: Curation, at: datetime) -> list[Mapping[str, Any]]:
    """The announcements that are shown at a moment."""
    return [each for each in stated.get("announcements", ()) if _is_on(each, at)]


def _is_on(announcement: Mapping[str, Any], at: datetime) -> bool:
    begins, ends = announcement.get("from"), announcement.get("until")
    return (begins is None or moment(begins) <= at) and (ends is None or at < moment(ends))


def property_words(properties: Mapping[str, Any]) -> Iterator[str]:
    """`retention=gold`, by which search filters."""
    for name, value in properties.items():
        yield f"{name}={value_text(value)}"


def value_text(value: Any) -> str:
    """A property's value as people write it: true, not True."""
    return str(value).lower() if isinstance(value, bool) else str(value)
