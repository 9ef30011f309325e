"""Rows of a view as the bytes of its records, as Spark SQL. Pure."""

from __future__ import annotations

import re
from typing import Any

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, quote_identifier
from policies.sql.literals import literal
from views.model import Registered

JSON_FORM = (
    "map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS\\'Z\\'',"
    " 'timestampNTZFormat', 'yyyy-MM-dd\\'T\\'HH:mm:ss.SSSSSS')"
)
_AVRO_HAS = (
    "STRING",
    "BINARY",
    "BOOLEAN",
    "TINYINT",
    "SMALLINT",
    "INT",
    "BIGINT",
    "FLOAT",
    "DOUBLE",
    "DATE",
    "TIMESTAMP",
    "TIMESTAMP_NTZ",
)


def json_sql(columns: StructType) -> str:
    """JSON text of a row."""
    return f"to_json({_row(columns, False)}, {JSON_FORM})"


def avro_sql(columns: StructType, registered: Registered) -> str:
    """Bytes of a row in Confluent's form: a zero byte, the schema's number, the body."""
    return f"concat(X'{registered.id:010x}', to_avro({_row(columns, True)}, {literal(registered.schema)}))"


def _row(columns: StructType, avro: bool) -> str:
    fields = [
        f"{_fit(kind, quote_identifier(name), avro, 0) or quote_identifier(name)} AS {quote_identifier(name)}"
        for name, kind in columns.fields
    ]
    return f"struct({', '.join(fields)})"


def _fit(kind: DataType, sql: str, avro: bool, depth: int) -> str | None:
    """A value whose types the format has; None where it is fit as it is."""
    each = f"weir_{depth}"
    match kind:
        case StructType(fields):
            inner = [(name, f"{sql}.{quote_identifier(name)}", k) for name, k in fields]
            fitted = [(name, at, _fit(k, at, avro, depth)) for name, at, k in inner]
            if all(fit is None for _, _, fit in fitted):
                return None
            items = ", ".join(f"{literal(name)}, {fit or at}" for name, at, fit in fitted)
            return f"CASE WHEN {sql} IS NOT NULL THEN named_struct({items}) END"
        case ArrayType(element):
            fit = _fit(element, each, avro, depth + 1)
            return None if fit is None else f"transform({sql}, {each} -> {fit})"
        case MapType(key, value):
            fit = _fit(value, each, avro, depth + 1)
            values = sql if fit is None else f"transform_values({sql}, (weir_k, {each}) -> {fit})"
            if key != Primitive("STRING"):
                return f"transform_keys({values}, (weir_k, {each}) -> CAST(weir_k AS STRING))"
            return None if fit is None else values
        case Primitive(name):
            if not avro or name in _AVRO_HAS or name.startswith("DECIMAL"):
                return None
            return f"to_json({sql})" if name == "VARIANT" else f"CAST({sql} AS STRING)"


_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def ddl(kind: Any) -> str:
    """A type of PySpark as its DDL name in lower case. PySpark's own leaves names that need quotes without them."""
    match kind.typeName():
        case "struct":
            fields = ",".join(f"{_quoted(each.name)}:{ddl(each.dataType)}" for each in kind.fields)
            return f"struct<{fields}>"
        case "array":
            return f"array<{ddl(kind.elementType)}>"
        case "map":
            return f"map<{ddl(kind.keyType)},{ddl(kind.valueType)}>"
        case _:
            return str(kind.simpleString())


def _quoted(name: str) -> str:
    return name if _WORD.match(name) else quote_identifier(name)
