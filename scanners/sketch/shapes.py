"""Which fields occur together, and which field distinguishes the kinds of record in a topic.

A record's shape is the set of its paths, outside arrays and maps. A topic that has too many is kept as a fair sample of
shapes: those with the smallest hashes, which is the same set in whatever order sketches are merged. Runs in Spark.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from scanners.containers.text_forms import DATA_KEY, text_form

MAX_SHAPES = 256
MAX_VALUES = 256
MAX_CANDIDATES = 32
MIN_SEEN = 3
"""A discriminator's value is named only when this many records have it."""

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_.:/-]{0,63}\Z")
_TELLING = re.compile(
    r"(?:^|[_.-])(?:type|kind|event|action|op|operation|schema|name|class|category|source|sensor)\Z", re.I
)

MASK = 2**64 - 1
"""The bits of a shape's hash."""

SUBJECT = "subject"
"""Means the registered schema of a record where a path is expected."""

Path = tuple[str, ...]
Shapes = dict[int, list[Any]]  # hash -> [count, [paths]]


def add_shapes(shapes: Shapes, codes: Sequence[int], paths_of: Any) -> None:
    """Count the shapes of a batch, the low 64 bits of `codes`; `paths_of(row)` gives the sorted paths of a record, asked once
    per new shape."""
    for whole, count in ({codes[0]: len(codes)} if alike(codes) else Counter(codes)).items():
        code = whole & MASK
        if code in shapes:
            shapes[code][0] += count
        elif len(shapes) < MAX_SHAPES or code < max(shapes):
            shapes[code] = [count, paths_of(codes.index(whole))]
            trim(shapes)


def alike(codes: Sequence[int]) -> bool:
    """Whether all are the same, as they mostly are; asking costs a sixth of counting them."""
    return bool(codes) and codes.count(codes[0]) == len(codes)


def trim(shapes: Shapes) -> None:
    """Keep the shapes with the smallest hashes. A shape that stays has been counted from its first record on."""
    if len(shapes) > MAX_SHAPES:
        for code in sorted(shapes)[MAX_SHAPES:]:
            del shapes[code]


def merge_shapes(mine: Shapes, theirs: Shapes) -> None:
    for code, (count, paths) in theirs.items():
        if code in mine:
            mine[code][0] += count
        else:
            mine[code] = [count, paths]
    trim(mine)


# --- discriminators ---------------------------------------------------------------------------------------------------

Table = dict[str, dict[int, int]] | None  # value -> shape -> count; None: too many values, or values that are data


class Discriminators:
    """For each field that might distinguish shapes: how often each of its values came with each shape.

    Only texts are looked at, and only short identifiers are counted, at most 256 of a field; a field with others is out
    for good. The names of registered schemas are not data, whatever they look like. All of it stays in Spark; what is
    sealed names at most one field and values that many records share.
    """

    def __init__(self) -> None:
        self.tables: dict[str, Table] = {}

    def admits(self, path: str, values: Collection[str]) -> bool:
        """Whether a field with these different values may be a discriminator; it is out for good when not."""
        if path in self.tables and self.tables[path] is None:
            return False
        if path != SUBJECT and (
            not all(map(_may_tell, values)) or (path not in self.tables and len(self.tables) >= MAX_CANDIDATES)
        ):
            self.tables[path] = None
            return False
        return True

    def add(self, path: str, pairs: Iterable[tuple[tuple[str, int], int]]) -> None:
        """Take in how often the values of a field that is admitted came with each shape: ((value, shape), count)."""
        table = self.tables.get(path) or {}
        for (value, code), count in pairs:
            row = table.setdefault(value, {})
            row[code] = row.get(code, 0) + count
        self.tables[path] = table if len(table) <= MAX_VALUES else None

    def ruled_out(self) -> set[str]:
        """Paths that cannot be a discriminator any more."""
        return {path for path, table in self.tables.items() if table is None}

    def merge(self, other: Discriminators) -> None:
        for path, theirs in other.tables.items():
            mine = self.tables.get(path, {})
            if mine is None or theirs is None:
                self.tables[path] = None
                continue
            for value, codes in theirs.items():
                row = mine.setdefault(value, {})
                for code, count in codes.items():
                    row[code] = row.get(code, 0) + count
            self.tables[path] = mine if len(mine) <= MAX_VALUES else None

    def pack(self) -> list[Any]:
        return [
            [p, None if t is None else [[v, sorted(c.items())] for v, c in sorted(t.items())]]
            for p, t in sorted(self.tables.items())
        ]

    @staticmethod
    def unpack(data: list[Any]) -> Discriminators:
        discriminators = Discriminators()
        discriminators.tables = {p: None if t is None else {v: dict(c) for v, c in t} for p, t in data}
        return discriminators


def _may_tell(value: str) -> bool:
    if value in ("true", "false"):
        return True
    return bool(_IDENTIFIER.match(value)) and not DATA_KEY.search(value) and not text_form(value)


def candidate(name: str, depth: int) -> bool:
    """Whether a field may be a discriminator: any at the top, further down only one with a name such as `type`."""
    return depth == 1 or (depth == 2 and bool(_TELLING.search(name)))


def best(tables: Mapping[str, Table], group: Mapping[int, int], barred: Iterable[str]) -> str | None:
    """The path whose values explain the shapes, or None.

    `group` maps a shape's hash to the shape it counts as. A field distinguishes shapes when nine records in ten have the
    value that the other records of their shape have, and not because one value is everywhere; shapes of one record prove
    nothing. Of several fields the one with most information about the shapes wins, then the one with a name such as
    `type`, then the one nearest to the top.
    """
    barred = set(barred)
    candidates: list[tuple[float, bool, int, str]] = []
    for path, table in tables.items():
        if not table or len(table) < 2 or path in barred:
            continue
        by_shape: dict[int, Counter[str]] = defaultdict(Counter)
        for value, codes in table.items():
            for code, count in codes.items():
                if code in group:
                    by_shape[group[code]][value] += count
        values: Counter[str] = sum(by_shape.values(), Counter())
        total = sum(values.values())
        common = sum(count for count in values.values() if count >= MIN_SEEN)
        if len(values) < 2 or len(by_shape) < 2 or common < 0.8 * total:
            continue
        repeated = [counts for counts in by_shape.values() if sum(counts.values()) > 1]
        repeats = sum(sum(counts.values()) for counts in repeated)
        if repeats < max(10, 0.3 * total):
            continue
        right = sum(_foretold(counts) for counts in repeated) / repeats
        guess = max(values.values()) / total
        if right < 0.9 or right < guess + 0.5 * (1 - guess):
            continue
        joint = [count for counts in by_shape.values() for count in counts.values()]
        information = (
            _entropy(values.values()) + _entropy([sum(c.values()) for c in by_shape.values()]) - _entropy(joint)
        )
        candidates.append((round(information, 1), bool(_TELLING.search(path)), -path.count("."), path))
    return max(candidates)[3] if candidates else None


def _foretold(counts: Counter[str]) -> int:
    """Records of one shape whose value is the most common one among the others of that shape."""
    top = counts.most_common(2)
    most = top[0][1]
    second = top[1][1] if len(top) > 1 else 0
    return most if most - 1 >= second and most > 1 else 0


def _entropy(counts: Iterable[int]) -> float:
    counts = list(counts)
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c)


def by_value(table: Mapping[str, Mapping[int, int]], group: Mapping[int, int]) -> dict[str, dict[int, int]]:
    """value -> shape -> count, over the shapes that are kept."""
    answer: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for value, codes in table.items():
        for code, count in codes.items():
            if code in group:
                answer[value][group[code]] += count
    return answer
