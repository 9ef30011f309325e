"""What an expression of a plan is made of: places in datasets, and the ways from there."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

ELEMENTS = "[]"
DIRECT, INDIRECT = "DIRECT", "INDIRECT"
IDENTITY, TRANSFORMATION, AGGREGATION = "IDENTITY", "TRANSFORMATION", "AGGREGATION"


@dataclass(frozen=True, slots=True)
class Source:
    """A dataset that is read. `kafka`: its columns are a record's key, value and metadata."""

    namespace: str
    name: str
    kafka: bool = False


@dataclass(frozen=True, slots=True, order=True)
class Way:
    type: str = DIRECT
    subtype: str = IDENTITY
    masking: bool = False

    def then(self, subtype: str, masking: bool = False) -> Way:
        if self.type == INDIRECT:
            return self
        order = (IDENTITY, TRANSFORMATION, AGGREGATION)
        return Way(DIRECT, max(self.subtype, subtype, key=order.index), self.masking or masking)


Place = tuple[Source, tuple[str, ...]]
Ways = dict[Place, frozenset[Way]]


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression is made of; `places` it is the content of (one for each topic); `fields` it was built from."""

    ways: Ways = field(default_factory=dict)
    places: tuple[Place, ...] = ()
    fields: dict[str, Value] | None = None
    known: bool = True

    def then(self, subtype: str, masking: bool = False) -> Value:
        ways = {place: frozenset(w.then(subtype, masking) for w in before) for place, before in self.ways.items()}
        return Value(ways, known=self.known)

    def decoded(self) -> Value:
        fields = None if self.fields is None else {name: part.decoded() for name, part in self.fields.items()}
        return Value(self.then(TRANSFORMATION).ways, self.places, fields, self.known)

    def indirect(self, subtype: str) -> Value:
        return Value({place: frozenset({Way(INDIRECT, subtype)}) for place in self.ways}, known=self.known)

    def inside(self, step: str) -> Value:
        if self.fields is not None:
            return self.fields.get(step, Value(self.ways, known=self.known))
        if not self.places:
            return self.then(TRANSFORMATION)
        places = tuple((source, (*path, step)) for source, path in self.places)
        # Taking a field out of what was parsed is no change of that field.
        return Value(dict.fromkeys(places, frozenset({Way()})), places, known=self.known)


def united(values: Iterable[Value]) -> Value:
    ways: Ways = {}
    known = True
    for value in values:
        known = known and value.known
        for place, more in value.ways.items():
            ways[place] = ways.get(place, frozenset()) | more
    return Value(ways, known=known)
