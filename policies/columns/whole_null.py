"""Where a struct, an array or a map shows as one NULL. Pure.

MASK_NULL on every value inside hides that there are values: the length of an array and the fields of an object, too.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.paths import FieldPath
from policies.decision.places import Places, Rule
from policies.model import MaskType


def whole_null(places: Places, path: FieldPath, kind: DataType) -> Rule | None:
    """The rule of all that is inside `path`, where that is MASK_NULL in the same rows; None anywhere else."""
    if isinstance(kind, Primitive):
        return None
    common: Rule | None = None
    for place in leaves_inside(places, path, kind):
        own = places.rule(place)
        if own.mask is None or own.mask.type is not MaskType.MASK_NULL or (common is not None and own != common):
            return None
        common = own
    return common


def leaves_inside(places: Places, path: FieldPath, kind: DataType) -> Iterator[FieldPath]:
    """The places of the single values inside `path`, with the keys of maps and those keys that have rules of their own."""
    match kind:
        case Primitive():
            yield path
        case StructType(fields):
            for name, inner in fields:
                yield from leaves_inside(places, kind.path_of(path, name), inner)
        case ArrayType(element):
            yield from leaves_inside(places, path.elements(), element)
        case MapType(_, value):
            yield path.keys()
            yield from leaves_inside(places, path.values(), value)
            for key in places.keys_below(path):
                yield from leaves_inside(places, path.map_key(key), value)
