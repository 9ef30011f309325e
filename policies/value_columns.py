"""The columns that a record's value gives: the fields of an object, or the value itself. Pure.

A topic that holds objects beside arrays or scalars (`catalog.datatypes.Alternatives`) has the object's fields, and a
column `as_array` or `as_scalar` for each of the others; an object that is a map is `as_object`.
"""

from __future__ import annotations

from dataclasses import dataclass

from catalog.datatypes import Alternatives, DataType, StructType, quote_identifier
from catalog.paths import KEY, VALUE, FieldPath
from policies.query_ports import QueryTable
from policies.sql.names import fold

STORED = "weir_value"


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """`source` is SQL over the stored record."""

    name: str
    path: FieldPath
    kind: DataType
    source: str


def value_columns(kind: DataType) -> list[ValueColumn]:
    """In the order of the view."""
    if isinstance(kind, Alternatives):
        return _alternatives(kind)
    if isinstance(kind, StructType):
        return _fields(kind, STORED)
    return [ValueColumn("value", VALUE, kind, STORED)]


def _fields(kind: StructType, source: str) -> list[ValueColumn]:
    return [
        ValueColumn(name, kind.path_of(VALUE, name), inner, f"{source}.{quote_identifier(name)}")
        for name, inner in kind.fields
    ]


def _alternatives(kind: Alternatives) -> list[ValueColumn]:
    found: list[ValueColumn] = []
    for member in _fields(kind, STORED):
        if isinstance(member.kind, StructType):
            found += _fields(member.kind, member.source)
            continue
        name, taken = member.name, {fold(each.name) for each in found}
        while fold(name) in taken:
            name += "_"
        found.append(ValueColumn(name, VALUE, member.kind, member.source))
    return found


def kind_of(table: QueryTable, name: str, path: FieldPath | None) -> DataType | None:
    """The type of a column of the view of a table; None for positions, times, headers and the raw value."""
    if path is None or path.root == "headers" or (name == "_value" and path == VALUE):
        return None
    if path == KEY:
        return table.key.kind
    return next((each.kind for each in value_columns(table.value.kind) if each.name == name), None)
