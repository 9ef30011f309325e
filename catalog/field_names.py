"""The fields of a dataset, by the ways in which producers of lineage write them.

Spark and Flink join names with dots and leave out what is an array or a map: `children.iban` is `value.children[].iban`,
`items.value.sku` is `value.items{}.sku`. Engines that do not mind case report `IBAN` for `iban`.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from catalog.errors import InvalidInput
from catalog.paths import FieldPath, Step, StepKind

_INDEXED = re.compile(r"(?P<name>[^\[\]]+)(?P<marks>(?:\[(?:\d+|\*)?\])+)", re.S)
"""`children[0]`: an element by its number."""
_MARK = ""
"""A part that is a mark: an array's or a map's, whichever."""
_PLACES = {
    StepKind.ELEMENTS: ((_MARK,), ("element",), ("_element",), ("list", "element")),
    StepKind.VALUES: ((_MARK,), ("value",), ("_value",), ("key_value", "value")),
    StepKind.KEYS: (("key",), ("_key",), ("key_value", "key")),
}
"""What engines write for the inside of an array or a map, where they write anything."""
_MOST_PARTS = 100


class FieldNames:
    """The fields of one dataset. Equal where the fields are."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._fits: dict[str, str] = {}
        self._by_ends: dict[tuple[str, str, str], list[FieldPath]] = defaultdict(list)
        """Root, first name and last step in lower case; the last is empty for a mark."""
        for text in sorted(self._paths):
            path = FieldPath.parse(text)
            if path.steps:
                first, last = path.steps[0].name or "", path.steps[-1].name or ""
                self._by_ends[path.root, first.casefold(), last.casefold()].append(path)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FieldNames) and self._paths == other._paths

    def __hash__(self) -> int:
        return hash(self._paths)

    def fitting(self, path: str) -> str:
        """The path of the one field that a reported path means; the reported path where none fits, or several do.

        Names in the same case come before others, and a path of the same form before one with other marks.
        """
        if path in self._paths:
            return path
        fit = self._fits.get(path)
        if fit is None:
            fit = self._fits[path] = self._only(path)
        return fit

    def _only(self, path: str) -> str:
        try:
            wanted = FieldPath.parse(path)
        except InvalidInput:
            return path
        parts = tuple(_parts(wanted.steps))
        if not parts or len(parts) > _MOST_PARTS:
            return path
        folded = tuple(part.casefold() for part in parts)
        ends = dict.fromkeys((folded[-1], _MARK))
        near = [each for last in ends for each in self._by_ends.get((wanted.root, folded[0], last), ())]
        for fitting in (
            [each for each in near if _fits(each.steps, parts, False)],
            [each for each in near if str(each).casefold() == path.casefold()],
            [each for each in near if _fits(each.steps, folded, True)],
        ):
            if fitting:
                return str(fitting[0]) if len(fitting) == 1 else path
        return path


def _parts(steps: Iterable[Step]) -> Iterator[str]:
    for step in steps:
        if step.name is None:
            yield "key" if step.kind is StepKind.KEYS else _MARK
            continue
        indexed = _INDEXED.fullmatch(step.name)
        yield indexed["name"] if indexed else step.name
        if indexed:
            yield from (_MARK for _ in range(indexed["marks"].count("[")))


def _fits(steps: Sequence[Step], parts: Sequence[str], folded: bool) -> bool:
    """Whether the parts of a reported path are these steps. Marks may be left out where a name follows."""
    if not steps:
        return not parts
    step, rest = steps[0], steps[1:]
    if step.name is not None:
        name = step.name.casefold() if folded else step.name
        return bool(parts) and parts[0] == name and _fits(rest, parts[1:], folded)
    for place in _PLACES[step.kind]:
        if tuple(parts[: len(place)]) == place and _fits(rest, parts[len(place) :], folded):
            return True
    return any(each.name is not None for each in rest) and _fits(rest, parts, folded)
