"""Values and the relations they come from. A relation answers for a column: here it is, there is none, or not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Protocol

from lineage.sql.limits import Budget
from lineage.sql.model import INDIRECT, TRANSFORMATION, Columns, Origin, Way, Ways

ELEMENT = "[]"


@dataclass(frozen=True, slots=True)
class Value:
    """What an expression is made of.

    ref      the place this value is the content of, perhaps decoded: fields of it are places inside that place
    nested   what is known to be inside `ref`; None where nothing is
    fields   the parts of a value that the statement builds itself (struct(...))
    """

    ways: Ways = field(default_factory=dict)
    ref: Origin | None = None
    nested: Columns | None = None
    fields: dict[str, Value] | None = None

    def then(self, subtype: str, masking: bool = False) -> Value:
        return Value({origin: _after(ways, subtype, masking) for origin, ways in self.ways.items()})

    def decoded(self) -> Value:
        """Cast, parsed or formatted: other bytes, the same places."""
        changed = self.then(TRANSFORMATION)
        fields = {name: part.decoded() for name, part in self.fields.items()} if self.fields is not None else None
        return Value(changed.ways, self.ref, self.nested, fields)

    def indirect(self, subtype: str) -> Value:
        return Value(dict.fromkeys(self.ways, _only(subtype)))


@lru_cache(maxsize=4096)
def _after(ways: frozenset[Way], subtype: str, masking: bool) -> frozenset[Way]:
    return frozenset(way.then(subtype, masking) for way in ways)


@lru_cache(maxsize=64)
def _only(subtype: str) -> frozenset[Way]:
    return frozenset({Way(INDIRECT, subtype)})


def union(values: Iterable[Value], budget: Budget) -> Value:
    ways: Ways = {}
    for value in values:
        budget.spend(1 + len(value.ways))
        for origin, more in value.ways.items():
            before = ways.get(origin)
            ways[origin] = more if before is None else before | more
    return Value(ways)


def step(value: Value, name: str) -> Value | None:
    """A part of a value: a field by name, or the elements (`[]`). None where it is known that there is no such part."""
    if value.fields is not None:
        lowered = name.lower()
        return next((part for key, part in value.fields.items() if key.lower() == lowered), None)
    if value.ref is None:
        return value.then(TRANSFORMATION)
    if value.nested is not None:
        spelled = spelled_in(value.nested, name)
        if spelled is None:
            return None
        origin, nested = value.ref.inside(spelled), value.nested[spelled]
    else:
        origin, nested = value.ref.inside(name), None
    way = frozenset(w for ways in value.ways.values() for w in ways) or frozenset({Way()})
    return Value({origin: way}, origin, nested)


def spelled_in(columns: Columns, name: str) -> str | None:
    """The column's own spelling of a name: the same, else the one that differs only in case."""
    if name in columns:
        return name
    lowered = name.lower()
    matches = [column for column in columns if column.lower() == lowered]
    return matches[0] if len(matches) == 1 else None


class Relation(Protocol):
    """Something in FROM. `names` is None where its columns are not all known."""

    name: str

    def names(self) -> Sequence[str] | None: ...

    def find(self, name: str) -> Value | None:
        """The column of this name; None where there is none. Only asked after `has`."""

    def has(self, name: str) -> bool | None:
        """Whether it has the column; None where that is not known."""


@dataclass(slots=True)
class BaseTable:
    """A table outside the statement."""

    name: str
    columns: Columns | None
    _found: dict[str, Value | None] = field(default_factory=dict)
    _lowered: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._lowered = {name.lower(): name for name in self.columns or ()}

    def names(self) -> Sequence[str] | None:
        return None if self.columns is None else list(self.columns)

    def has(self, name: str) -> bool | None:
        return None if self.columns is None else name.lower() in self._lowered

    def find(self, name: str) -> Value | None:
        if name not in self._found:
            self._found[name] = self._column(name)
        return self._found[name]

    def _column(self, name: str) -> Value | None:
        spelled = name
        if self.columns is not None:
            own_name = name if name in self.columns else self._lowered.get(name.lower())
            if own_name is None or (own_name != name and spelled_in(self.columns, name) is None):
                return None
            spelled = own_name
        origin = Origin(self.name, (spelled,))
        return Value({origin: frozenset({Way()})}, origin, self.columns[spelled] if self.columns else None)


@dataclass(slots=True)
class Output:
    """A column of a query: computed when it is first asked for."""

    name: str
    compute: Callable[[], Value]
    value: Value | None = None
    busy: bool = False

    def get(self) -> Value:
        if self.value is None:
            if self.busy:  # a recursive query asks for itself: what it adds is found in its other branch
                return Value()
            self.busy = True
            try:
                self.value = self.compute()
            finally:
                self.busy = False
        return self.value


@dataclass(slots=True)
class QueryTable:
    """A query in FROM, or a name given by WITH. `open` are relations whose columns a star took without knowing them."""

    name: str
    outputs: list[Output]
    open: list[Relation] = field(default_factory=list)

    def names(self) -> Sequence[str] | None:
        return None if self.open else [output.name for output in self.outputs]

    def has(self, name: str) -> bool | None:
        lowered = name.lower()
        if any(output.name.lower() == lowered for output in self.outputs):
            return True
        return None if self.open else False

    def find(self, name: str) -> Value | None:
        lowered = name.lower()
        for output in self.outputs:
            if output.name.lower() == lowered:
                return output.get()
        return self.open[0].find(name) if len(self.open) == 1 else None


@dataclass(slots=True)
class Unfolded:
    """What UNNEST, EXPLODE or FLATTEN gives: named columns, or the parts of the one element."""

    name: str
    columns: dict[str, Value]
    element: Value | None = None

    def names(self) -> Sequence[str] | None:
        return list(self.columns)

    def has(self, name: str) -> bool | None:
        if any(column.lower() == name.lower() for column in self.columns):
            return True
        if self.element is None:
            return False
        if self.element.nested is not None:
            return spelled_in(self.element.nested, name) is not None
        return None if self.element.ref is not None else False

    def find(self, name: str) -> Value | None:
        for column, value in self.columns.items():
            if column.lower() == name.lower():
                return value
        return step(self.element, name) if self.element is not None else None


@dataclass(slots=True)
class Opaque:
    """Something whose columns cannot be determined: a function, a pivot."""

    name: str

    def names(self) -> Sequence[str] | None:
        return None

    def has(self, name: str) -> bool | None:
        return None

    def find(self, name: str) -> Value | None:
        return None


@dataclass(slots=True)
class Renamed:
    """A relation under `AS t (a, b)`."""

    name: str
    inner: Relation
    given: dict[str, str]

    def names(self) -> Sequence[str] | None:
        return list(self.given)

    def has(self, name: str) -> bool | None:
        return name.lower() in self.given

    def find(self, name: str) -> Value | None:
        inner = self.given.get(name.lower())
        return self.inner.find(inner) if inner is not None else None


def renamed(relation: Relation, name: str, new_names: list[str]) -> Relation:
    """A relation whose columns have these names instead, by place; those that get none keep their own."""
    if not new_names:
        return relation
    names = relation.names()
    if names is None:
        return Opaque(name)
    if isinstance(relation, QueryTable):  # by place: two outputs may have one name
        return QueryTable(
            name,
            [Output(n, o.get) for n, o in zip([*new_names, *names[len(new_names) :]], relation.outputs, strict=False)],
        )
    return Renamed(
        name,
        relation,
        {new.lower(): old for new, old in zip([*new_names, *names[len(new_names) :]], names, strict=False)},
    )
