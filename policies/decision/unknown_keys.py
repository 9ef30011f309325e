"""Keys of a map that nobody has scanned or declared, beside keys that are masked or hold personal data. Pure.

Where one key of a map holds something to hide, the field of all values (`value.tags{}`) means the keys that no field
is known of. A scan looked at the values of some of them, never at the next key that a producer invents. So it counts as
unscanned, as a new field does: hidden, unless a policy names it or the subject sees unscanned fields.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from catalog.entities import is_personal
from catalog.paths import VALUES, FieldPath, StepKind
from policies.decision.policy_groups import Bound
from policies.matching import folded
from policies.model import UNSCANNED_TAG
from policies.reach import PlannedField, generalised

_EVIDENCE = "keys of the map that are not known"


def mark_unknown_keys(
    fields: Sequence[PlannedField], masks: Sequence[tuple[Bound, ...]], hides: Callable[[int], bool]
) -> bool:
    """Make the values of such maps unscanned. Whether any was.

    masks  of each field, the mask policies that are about it; hides: whether a policy, by its index, hides anything
    """
    maps = set(_maps_with_hidden_keys(fields, masks, hides))
    around = {g for path in maps for g in generalised(path)}
    marked = False
    for field in fields if maps else ():
        if any(of in around or not maps.isdisjoint(generalised(of)) for of in _maps_of_all_values(field.path)):
            field.tags.setdefault(UNSCANNED_TAG, _EVIDENCE)
            field.unscanned = field.other_keys = marked = True
    return marked


def _maps_with_hidden_keys(
    fields: Sequence[PlannedField], masks: Sequence[tuple[Bound, ...]], hides: Callable[[int], bool]
) -> Iterator[FieldPath]:
    """Maps of which one key has a mask or a kind of personal data that all values together do not have."""
    keyed = [n for n, field in enumerate(fields) if any(s.kind is StepKind.MAP_KEY for s in field.path.steps)]
    if not keyed:
        return
    positions: dict[FieldPath, list[int]] = defaultdict(list)
    for number, field in enumerate(fields):
        positions[folded(field.path)].append(number)

    def secrets(numbers: Iterable[int]) -> set[object]:
        return {tag for n in numbers for tag in fields[n].tags if tag != UNSCANNED_TAG and is_personal(tag)} | {
            bound.index for n in numbers for bound in masks[n] if hides(bound.index)
        }

    for number in keyed:
        path = folded(fields[number].path)
        own = secrets([number])
        for at, step in enumerate(path.steps):
            if own and step.kind is StepKind.MAP_KEY:
                values = FieldPath(path.root, (*path.steps[:at], VALUES, *path.steps[at + 1 :]))
                if own - secrets(positions.get(values, ())):
                    yield FieldPath(path.root, path.steps[:at])


def _maps_of_all_values(path: FieldPath) -> Iterator[FieldPath]:
    """The maps that a path goes through by all of their values, folded."""
    steps = folded(path).steps
    return (FieldPath(path.root, steps[:at]) for at, step in enumerate(steps) if step == VALUES)
