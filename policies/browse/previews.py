"""Records small enough for a page: long texts and lists of a large one are cut, and it is marked. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping

PREVIEW_BYTES = 32_000
"""A record whose JSON is longer is shown in parts, until it is asked for by itself."""
_STEPS = ((2_000, 50, 200), (300, 10, 60), (60, 3, 20))
"""(characters of a text, elements of a list, fields of an object) that are kept, tried until the record is small."""


def json_bytes(value: object) -> int:
    """Length of a JSON-ready value, written without spaces."""
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str).encode("utf-8", "replace"))


def preview(parts: Mapping[str, object], size: int) -> tuple[dict[str, object], bool]:
    """The parts of a record, and whether something was cut. `size`: bytes of all of them as JSON."""
    if size <= PREVIEW_BYTES:
        return dict(parts), False
    cut: dict[str, object] = {}
    for texts, items, fields in _STEPS:
        cut = {name: _cut(value, texts, items, fields, 0) for name, value in parts.items()}
        if json_bytes(cut) <= PREVIEW_BYTES:
            break
    return cut, True


def _cut(value: object, texts: int, items: int, fields: int, depth: int) -> object:
    if isinstance(value, str):
        return value if len(value) <= texts else value[:texts] + "…"
    if isinstance(value, list):
        if depth > 8:
            return []
        return [_cut(each, texts, items, fields, depth + 1) for each in value[:items]]
    if isinstance(value, dict):
        if depth > 8:
            return {}
        pairs = list(value.items())[:fields]
        return {name[:texts]: _cut(each, texts, items, fields, depth + 1) for name, each in pairs}
    return value
