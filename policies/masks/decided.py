"""The decisions of a dataset, looked up by place: those around a field, those inside it. Pure.

One look costs as many steps as the path has; a dataset may have ten thousand fields and each is looked up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from catalog.paths import FieldPath, StepKind
from policies.model import ColumnDecision
from policies.reach import ancestors, generalised


class Decided:
    def __init__(self, decisions: Sequence[ColumnDecision]) -> None:
        self._all = decisions
        self._at: dict[FieldPath, list[int]] = defaultdict(list)
        self._below: dict[FieldPath, list[int]] = defaultdict(list)
        self._headers: set[str] = set()
        self._map_keys: list[FieldPath] = []
        for number, decision in enumerate(decisions):
            path = FieldPath.parse(decision.path)
            self._at[path].append(number)
            for above in ancestors(path):
                if len(above.steps) < len(path.steps):
                    self._below[above].append(number)
            if path.root == "headers" and path.steps:
                self._headers.add(path.steps[0].name or "")
            if any(step.kind is StepKind.MAP_KEY for step in path.steps):
                self._map_keys.append(path)

    def around(self, path: FieldPath) -> list[ColumnDecision]:
        """Those on the place itself and on what it is part of."""
        return self._found(self._around(path))

    def inside(self, path: FieldPath) -> list[ColumnDecision]:
        """Those on something inside the place, further down."""
        return self._found(self._below.get(path, ()))

    def touching(self, path: FieldPath) -> list[ColumnDecision]:
        """Those around or inside, and those on one key where the place is all values of a map."""
        same = (n for p in self._map_keys if len(p.steps) == len(path.steps) and path.contains(p) for n in self._at[p])
        return self._found({*self._around(path), *self._below.get(path, ()), *same})

    def headers(self) -> list[str]:
        """The names of headers that anything was decided on, sorted."""
        return sorted(self._headers)

    def keys_below(self, path: FieldPath) -> list[str]:
        """The keys of the map at `path` that have rules of their own, sorted."""
        depth = len(path.steps)
        found = set()
        for p in self._map_keys:
            if len(p.steps) > depth and p.steps[depth].kind is StepKind.MAP_KEY:
                start = FieldPath(p.root, p.steps[:depth])
                if start.contains(path) or path.contains(start):
                    found.add(p.steps[depth].name or "")
        return sorted(found)

    def on_values(self, path: FieldPath) -> bool:
        """Whether anything was decided on the values of a map as such (`path` ends in {}), not only on keys of it."""
        if next(self._around(path), None) is not None:
            return True
        last = len(path.steps) - 1
        below = (FieldPath.parse(self._all[n].path) for n in self._below.get(path, ()))
        return any(p.steps[last] == path.steps[-1] for p in below)

    def _around(self, path: FieldPath) -> Iterator[int]:
        for length in range(len(path.steps) + 1):
            for prefix in generalised(FieldPath(path.root, path.steps[:length])):
                yield from self._at.get(prefix, ())

    def _found(self, numbers: Iterable[int]) -> list[ColumnDecision]:
        return [self._all[n] for n in sorted(set(numbers))]
