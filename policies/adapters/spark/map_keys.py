"""Maps whose keys are not texts. JSON has texts as keys alone, and `from_json` refuses others: such maps are read with
texts, which are cast. A key that is none of its type goes with its value, and is counted where values are (`exact`).
"""

from __future__ import annotations

from collections.abc import Callable

from catalog.datatypes import STRING, ArrayType, DataType, MapType, Primitive, StructType, quote_identifier, to_ddl
from policies.sql.literals import literal


def text_keyed(kind: DataType) -> DataType:
    """The type as JSON has it, with texts as the keys of maps."""
    match kind:
        case Primitive():
            return kind
        case StructType(fields):
            return type(kind)(tuple((name, text_keyed(inner)) for name, inner in fields))
        case ArrayType(element):
            return ArrayType(text_keyed(element))
        case MapType(key, value):
            return MapType(STRING if is_cast(key) else key, text_keyed(value))


def is_cast(key: DataType) -> bool:
    """Whether keys of a map are made of their texts."""
    return isinstance(key, Primitive) and key != STRING


def keyed(kind: DataType, sql: str, depth: int = 0) -> str:
    """SQL of a value of `kind` from one of `text_keyed(kind)`."""
    if text_keyed(kind) == kind:
        return sql
    name = f"weir_m{depth}"
    match kind:
        case StructType(fields):
            items = ", ".join(
                f"{literal(n)}, {keyed(inner, f'{sql}.{quote_identifier(n)}', depth)}" for n, inner in fields
            )
            return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({items}) END"
        case ArrayType(element):
            return f"transform({sql}, {name} -> {keyed(element, name, depth + 1)})"
        case MapType(key, value):
            return cast_keys(key, sql, lambda each: keyed(value, each, depth + 1), depth)
    return sql


def cast_keys(key: DataType, sql: str, value: Callable[[str], str], depth: int = 0) -> str:
    """SQL of a map from one with texts as keys; `value`: SQL of an entry's value from the name of it."""
    k, v = f"weir_k{depth}", f"weir_m{depth}"
    values = f"transform_values({sql}, ({k}, {v}) -> {value(v)})"
    if not is_cast(key):
        return values
    cast = f"try_cast({k} AS {to_ddl(key)})"
    return f"transform_keys(map_filter({values}, ({k}, {v}) -> {cast} IS NOT NULL), ({k}, {v}) -> {cast})"


def unfit_key(key: DataType, entries: str) -> str:
    """BOOLEAN SQL: a key of the map with texts as keys is none of its type."""
    return f"coalesce(exists(map_keys({entries}), weir_k -> try_cast(weir_k AS {to_ddl(key)}) IS NULL), false)"
