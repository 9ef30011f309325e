"""Values in the form in which queries read places that hold an object in one record and an array or a scalar in another.

Each such place (`catalog.datatypes.Alternatives`) becomes an object of one member, named by what the value is. So no
value is ever read by the type of another alternative, and no text holds a whole object. Runs in Spark's workers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from catalog.datatypes import Alternatives, ArrayType, DataType, MapType, StructType, has_alternatives

_Change = Callable[[Any], Any]

_FITS_NONE: list[Any] = []
"""Read as a struct it is NULL, and counts as a value that does not fit."""


class Reshape:
    """Gives values of a type that form. Pickles as its type, and is built where it is used."""

    def __init__(self, kind: DataType) -> None:
        self._kind = kind
        self._change = _change_of(kind)

    def __reduce__(self) -> tuple[type[Reshape], tuple[DataType]]:
        return Reshape, (self._kind,)

    def __call__(self, value: Any) -> Any:
        return value if self._change is None else self._change(value)


def _change_of(kind: DataType) -> _Change | None:
    if not has_alternatives(kind):
        return None
    match kind:
        case Alternatives(fields):
            return _member({name: _change_of(inner) for name, inner in fields})
        case StructType(fields):
            below = {name: change for name, inner in fields if (change := _change_of(inner)) is not None}
            return lambda value: _fields(below, value) if isinstance(value, dict) else value
        case ArrayType(element):
            each = _change_of(element)
            return lambda value: [*map(each, value)] if each and isinstance(value, (list, tuple)) else value
        case MapType(_, inner):
            one = _change_of(inner)
            return lambda value: {k: one(v) for k, v in value.items()} if one and isinstance(value, dict) else value
    return None


def _member(members: dict[str, _Change | None]) -> _Change:
    def reshape(value: Any) -> Any:
        if value is None:
            return None
        name = (
            "as_object" if isinstance(value, dict) else "as_array" if isinstance(value, (list, tuple)) else "as_scalar"
        )
        if name not in members:
            return _FITS_NONE
        inner = members[name]
        return {name: value if inner is None else inner(value)}

    return reshape


def _fields(below: dict[str, _Change], value: dict[Any, Any]) -> dict[Any, Any]:
    return {**value, **{name: reshape(value[name]) for name, reshape in below.items() if name in value}}
