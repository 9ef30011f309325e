"""Values of one path grouped, so that each group is taken in at once: objects by their keys, values by their type."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any


def by_keys(
    values: Sequence[dict[str, object]], rows: Sequence[int]
) -> Mapping[tuple[str, ...], tuple[Sequence[dict[str, object]], Sequence[int]]]:
    """Objects with the same keys in the same order, with their records."""
    keyed = list(map(tuple, values))
    if keyed.count(keyed[0]) == len(keyed):
        return {keyed[0]: (values, rows)}
    groups: dict[tuple[str, ...], tuple[list[dict[str, object]], list[int]]] = defaultdict(lambda: ([], []))
    for keys, value, row in zip(keyed, values, rows, strict=True):
        group = groups[keys]
        group[0].append(value)
        group[1].append(row)
    return groups


def by_type(values: Sequence[Any], rows: Sequence[int]) -> dict[type, tuple[list[Any], list[int]]]:
    """Values of the same type, with their records."""
    parts: dict[type, tuple[list[Any], list[int]]] = defaultdict(lambda: ([], []))
    for value, row in zip(values, rows, strict=True):
        part = parts[type(value)]
        part[0].append(value)
        part[1].append(row)
    return parts
