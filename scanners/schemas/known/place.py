"""What registered schemas state of each place of a record: the types a query reads it by, and words for the catalog. Pure.

Several schemas of one topic are taken in one after the other, the newest last: types widen to what holds the values of
all of them, words are those of the newest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from catalog.datasets.learned_types import EXACT_DIGITS, scalar_of, wider
from catalog.model import FieldProfile
from catalog.paths import FieldPath, StepKind
from scanners.sketch.topic import ROOTS

MOST_PLACES = 5000
DEEPEST = 20
MOST_REPEATS = 3
"""How often a schema that refers to itself is unfolded; what is deeper is read as it was learned, or as JSON text."""


@dataclass(slots=True)
class KnownPlace:
    """One place. `kinds`: object, map, array, scalar; `sql`: the type of its scalars, None where the records show it."""

    kinds: set[str] = field(default_factory=set)
    sql: str | None = None
    info: dict[str, object] = field(default_factory=dict)


class Places:
    """The places of one part of a topic, by path."""

    def __init__(self, exact: bool = True) -> None:
        """`exact`: records cannot hold anything else, as those of Avro and Protobuf."""
        self.exact = exact
        self._known: dict[FieldPath, KnownPlace] = {}

    def __bool__(self) -> bool:
        return bool(self._known)

    def add(self, path: FieldPath, kind: str, sql: str | None = None, **info: Any) -> bool:
        """Take in what one schema states of a place; False when there are too many places or they are too deep."""
        place = self._known.get(path)
        if place is None:
            if len(self._known) >= MOST_PLACES or len(path.steps) > DEEPEST:
                return False
            place = self._known[path] = KnownPlace()
        place.kinds.add(kind)
        if sql is not None:
            place.sql = sql if place.sql is None else wider(place.sql, sql)
        self.describe(path, **info)
        return True

    def describe(self, path: FieldPath, **info: Any) -> None:
        """Words for a place that is known."""
        if path in self._known:
            self._known[path].info.update({name: value for name, value in info.items() if value not in (None, "", [])})

    def containers(self, kind: str) -> list[list[str]]:
        """The places of the value that are always maps, or always objects, as `scanners.worker.profile` takes them."""
        others = {"map": "object", "object": "map"}
        paths = [p for p, k in self._known.items() if kind in k.kinds and others[kind] not in k.kinds]
        return [[_step(step.kind, step.name) for step in path.steps] for path in paths]

    def overlay(self, fields: Sequence[FieldProfile], mixed: bool = False) -> tuple[FieldProfile, ...]:
        """The profiles with `details["registered"]`, and one without occurrences for each place no record had.

        `mixed`: some records of the part are of another format, so types hold what was learned, too.
        """
        profiles: dict[str, FieldProfile] = {}
        left = {str(path): known for path, known in self._known.items()}
        others = []
        for profile in fields:
            known = None if "insideText" in profile.details else left.pop(profile.path, None)
            if known is None:
                others.append(profile)
            else:
                profiles[profile.path] = replace(profile, details=_details(profile, known, self.exact and not mixed))
        for path, known in left.items():
            profiles[path] = FieldProfile(
                path, {}, 0, 0.0, details=_details(FieldProfile(path, {}, 0, 0.0), known, self.exact)
            )
        return tuple(
            sorted((*others, *profiles.values()), key=lambda each: (ROOTS.index(each.field_path.root), each.path))
        )


def _step(kind: StepKind, name: str | None) -> str:
    return f".{name}" if kind is StepKind.FIELD else "[]" if kind is StepKind.ELEMENTS else "{}"


def _details(profile: FieldProfile, known: KnownPlace, exact: bool) -> dict[str, object]:
    sql = known.sql
    kinds = set(known.kinds)
    if not exact:
        kinds |= {name for name, share in profile.types.items() if share > 0} & {"object", "map", "array"}
        learned = scalar_of(profile)
        if sql is None and "scalar" in kinds and learned in (None, "BIGINT"):
            sql = learned if _largest_exponent(profile) >= EXACT_DIGITS else "DOUBLE"  # any number may have a fraction
        else:
            sql = wider(sql, learned) if sql is not None and learned is not None else sql or learned
    registered: dict[str, object] = {**known.info, "kinds": sorted(kinds)}
    if sql is not None:
        registered["sql"] = sql
    return {**profile.details, "registered": registered}


def _largest_exponent(profile: FieldProfile) -> int:
    """The exponent of the largest number."""
    return int((profile.details.get("magnitude") or [0, 0])[1])
