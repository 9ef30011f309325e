"""The columns that a record's value gives: the fields of an object, or the value itself. Pure.

The fields of a payload in an envelope (`value.after.email` of a change of Debezium) come first, under their own names;
their paths are the true ones, so that what is decided for a field holds for each column that shows it.

A topic that holds objects beside arrays or scalars (`catalog.datatypes.Alternatives`) has the object's fields, and a
column `as_array` or `as_scalar` for each of the others; an object that is a map is `as_object`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from catalog.datatypes import Alternatives, DataType, StructType, quote_identifier
from catalog.paths import KEY, VALUE, FieldPath
from policies.plan.ports import QueryTable
from policies.sql.names import fold

STORED = "weir_value"


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """`source` is SQL over the stored record."""

    name: str
    path: FieldPath
    kind: DataType
    source: str


def value_columns(kind: DataType, payload: FieldPath | None = None) -> list[ValueColumn]:
    """In the order of the view. `payload`: where the data is in a value that is an envelope."""
    if isinstance(kind, Alternatives):
        own = _alternatives(kind)
    elif isinstance(kind, StructType):
        own = _fields(kind, STORED)
    else:
        own = [ValueColumn("value", VALUE, kind, STORED)]
    return [*_of_payload(own, payload), *own] if payload is not None else own


def _of_payload(own: Sequence[ValueColumn], payload: FieldPath) -> list[ValueColumn]:
    """The fields of a struct further down, but for names that the record itself has."""
    at = next((each for each in own if each.path.steps and each.path.contains(payload)), None)
    while at is not None and at.path != payload:
        if type(at.kind) is not StructType:
            return []
        at = next((each for each in _below(at) if each.path.contains(payload)), None)
    if at is None or type(at.kind) is not StructType:
        return []
    names = {fold(each.name) for each in own} | {fold(name) for name in _SYSTEM}
    return [each for each in _below(at) if fold(each.name) not in names]


def _below(column: ValueColumn) -> list[ValueColumn]:
    """The fields of a column that is a struct."""
    assert isinstance(column.kind, StructType)
    return [
        ValueColumn(name, column.path.field(name), inner, f"{column.source}.{quote_identifier(name)}")
        for name, inner in column.kind.fields
    ]


_SYSTEM = ("_key", "_headers", "_partition", "_offset", "_timestamp", "_value")


def _fields(kind: StructType, source: str) -> list[ValueColumn]:
    return [
        ValueColumn(name, kind.path_of(VALUE, name), inner, f"{source}.{quote_identifier(name)}")
        for name, inner in kind.fields
    ]


def _alternatives(kind: Alternatives) -> list[ValueColumn]:
    columns: list[ValueColumn] = []
    for member in _fields(kind, STORED):
        if isinstance(member.kind, StructType):
            columns += _fields(member.kind, member.source)
            continue
        name, names = member.name, {fold(each.name) for each in columns}
        while fold(name) in names:
            name += "_"
        columns.append(ValueColumn(name, VALUE, member.kind, member.source))
    return columns


def kind_of(table: QueryTable, name: str, path: FieldPath | None) -> DataType | None:
    """The type of a column of the view of a table; None for positions, times, headers and the raw value."""
    if path is None or path.root == "headers" or (name == "_value" and path == VALUE):
        return None
    if path == KEY:
        return table.key.kind
    return next((each.kind for each in value_columns(table.value.kind, table.payload) if each.name == name), None)
