"""Which decided rule holds at a place of a record: the one way from a decision to what is shown there. Pure.

`decide` answers for every known field, with all that holds for it: tags and policies on what it is part of, on one
key of its map, on every value of it. So nothing is decided here a second time. A place takes the rule of the nearest
field around it (itself, or what it is part of; `{key}` is nearer than `{}`). Keys of maps and headers that are one name in
two spellings (`policies.map_keys`) are one place with the rules of both. Where a place holds fields inside it that
have rules of their own and cannot be separated (JSON text), it is hidden unless all of them are unmasked.

The view, explain, the access report and the decisions for engines look rules up here, so they cannot differ. One look
costs as many steps as the path has; a dataset may have ten thousand fields and each is looked up.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from catalog.paths import VALUES, FieldPath, StepKind
from policies.decision.mask_order import NULL, strictest
from policies.map_keys import with_key_forms
from policies.model import ColumnDecision, Effect, Mask, MaskType
from policies.reach import ancestors, generalised

DROP = Mask(MaskType.DROP)


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds at one place: unmasked (`mask` None), masked, or left out (`mask` DROP).

    clear_when   row conditions; in rows where all of them are true the place is unmasked. Empty = in no row
    """

    mask: Mask | None
    clear_when: tuple[str, ...] = ()


class Places:
    def __init__(self, decisions: Sequence[ColumnDecision]) -> None:
        self._all = decisions
        self._paths: list[FieldPath] = []
        self._at: dict[FieldPath, list[int]] = defaultdict(list)
        self._below: dict[FieldPath, list[int]] = defaultdict(list)
        self._headers: set[str] = set()
        self._map_keys: list[FieldPath] = []
        for number, decision in enumerate(decisions):
            given = FieldPath.parse(decision.path)
            path = with_key_forms(given)
            self._paths.append(path)
            self._at[path].append(number)
            for above in ancestors(path):
                if len(above.steps) < len(path.steps):
                    self._below[above].append(number)
            if path.root == "headers" and path.steps:
                self._headers.add(given.steps[0].name or "")
            if any(step.kind is StepKind.MAP_KEY for step in path.steps):
                self._map_keys.append(path)

    def rule(self, path: FieldPath) -> Rule:
        """The rule of a place that shows as one value. Nobody decided on it: left out."""
        path = with_key_forms(path)
        around, inside = self._nearest(path), self._below.get(path, ())
        if not around and not inside:
            return Rule(DROP)
        masks: list[Mask] = []
        lifts: list[str | None] = []
        for number in (*around, *inside):
            decision = self._all[number]
            mask = DROP if decision.effect is Effect.DENY else decision.mask
            if mask is None or mask.type is MaskType.MASK_NONE:
                continue
            within = number not in around and mask.type is not MaskType.DROP
            # A value cannot be left out of some rows only.
            masks.append(NULL if within or (decision.clear_when and mask.type is MaskType.DROP) else mask)
            lifts.append(decision.clear_when)
        if not masks:
            return Rule(None)
        texts = dict.fromkeys(text for text in lifts if text is not None)
        return Rule(strictest(masks), tuple(texts) if None not in lifts else ())

    def deciding(self, path: FieldPath) -> list[ColumnDecision]:
        """The decisions that `rule` rests on for the place and for what is inside it, in the order of the dataset.

        Those on one key too, where the place is in all values of a map.
        """
        path = with_key_forms(path)
        keys = self._map_keys if VALUES in path.steps else ()
        same = (n for p in keys if len(p.steps) == len(path.steps) and path.contains(p) for n in self._at[p])
        numbers = sorted({*self._nearest(path), *self._below.get(path, ()), *same})
        return [self._all[n] for n in numbers]

    def all_clear(self) -> bool:
        """Whether nothing that was decided on is masked or left out, in any row."""
        clear = (MaskType.MASK_NONE, None)
        return all(d.effect is Effect.ALLOW and (d.mask.type if d.mask else None) in clear for d in self._all)

    def headers(self) -> list[str]:
        """The names of headers that anything was decided on, sorted."""
        return sorted(self._headers)

    def keys_below(self, path: FieldPath) -> list[str]:
        """The keys of the map at `path` that have rules of their own: the forms of their spellings, sorted."""
        path = with_key_forms(path)
        depth = len(path.steps)
        keys = set()
        for p in self._map_keys:
            if len(p.steps) > depth and p.steps[depth].kind is StepKind.MAP_KEY:
                start = FieldPath(p.root, p.steps[:depth])
                if start.contains(path) or path.contains(start):
                    keys.add(p.steps[depth].name or "")
        return sorted(keys)

    def on_values(self, path: FieldPath) -> bool:
        """Whether anything was decided on the values of a map as such (`path` ends in {}), not only on keys of it."""
        path = with_key_forms(path)
        if self._nearest(path):
            return True
        last = len(path.steps) - 1
        return any(self._paths[n].steps[last] == path.steps[-1] for n in self._below.get(path, ()))

    def _nearest(self, path: FieldPath) -> list[int]:
        """The decisions around the place that are around no other of them."""
        nearest: list[FieldPath] = []
        for length in range(len(path.steps), -1, -1):
            for prefix in generalised(FieldPath(path.root, path.steps[:length])):
                if prefix in self._at and not any(prefix.contains(nearer) for nearer in nearest):
                    nearest.append(prefix)
        return _numbers(self._at[each] for each in nearest)


def _numbers(lists: Iterable[list[int]]) -> list[int]:
    return sorted(number for numbers in lists for number in numbers)
