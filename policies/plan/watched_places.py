"""The places of a record whose unreadable values are counted for an asker: those that they see unmasked, and no others.

A count on a masked or denied field would reveal something of what is hidden, so there is none, not even a zero. What is
around a hidden field (the struct that holds it) is not counted either. That a whole record cannot be
decoded reveals no value of a field: a user who sees one field of it unmasked sees that one missing, and why. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType
from catalog.paths import FieldPath
from policies.columns.expression import Context


def watched(ctx: Context, path: FieldPath, kind: DataType) -> list[str]:
    """The paths at `path` and below whose values are unmasked, outer before inner."""
    return _watched(ctx, path, kind)[0]


def _watched(ctx: Context, path: FieldPath, kind: DataType) -> tuple[list[str], bool]:
    """The paths, and whether all of the place is unmasked."""
    inner = list(_members(path, kind))
    if not inner:
        clear = ctx.places.rule(path).mask is None
        return ([str(path)] if clear else []), clear
    below = [_watched(ctx, each, child) for each, child in inner]
    clear = all(whole for _, whole in below)
    # The keys of a map have a rule of their own.
    clear = clear and not (isinstance(kind, MapType) and ctx.places.rule(path.keys()).mask is not None)
    paths = [each for each_paths, _ in below for each in each_paths]
    # A scalar beside an object is at the path of the place itself.
    return list(dict.fromkeys([str(path), *paths] if clear else paths)), clear


def _members(path: FieldPath, kind: DataType) -> Iterator[tuple[FieldPath, DataType]]:
    match kind:
        case Primitive():
            return
        case StructType(fields):
            for name, child in fields:
                yield kind.path_of(path, name), child
        case ArrayType(element):
            yield path.elements(), element
        case MapType(_, value):
            yield path.values(), value
