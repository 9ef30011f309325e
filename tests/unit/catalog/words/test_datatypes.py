"""Types to and from Spark's DDL and from what a scan saw."""

from __future__ import annotations

import pytest

from catalog.datatypes import (
    STRING,
    ArrayType,
    MapType,
    Primitive,
    StructType,
    alternatives,
    columns_ddl,
    has_alternatives,
    leaves,
    parse_ddl,
    to_ddl,
)
from catalog.errors import InvalidInput
from catalog.paths import VALUE

ORDERS = (
    "order_id STRING, customer STRUCT<name: STRING, email: STRING>, amount DECIMAL(12,2), "
    "items ARRAY<STRUCT<sku: STRING, qty: INT>>, attributes MAP<STRING, STRING>"
)


def test_declared_columns_come_back_as_they_were_meant() -> None:
    columns = parse_ddl(ORDERS)
    assert parse_ddl(columns_ddl(columns)) == columns
    assert columns.get("amount") == Primitive("DECIMAL(12,2)")
    assert [str(path) for path, _ in leaves(columns, VALUE)] == [
        "value.order_id",
        "value.customer.name",
        "value.customer.email",
        "value.amount",
        "value.items[].sku",
        "value.items[].qty",
        "value.attributes@keys",
        "value.attributes{}",
    ]


def test_names_that_need_quotes_keep_their_text() -> None:
    kind = StructType((("a.b", STRING), ("tick`s", STRING), ("select", STRING)))
    assert parse_ddl(columns_ddl(kind)) == kind


@pytest.mark.parametrize("wrong", ["", "order_id", "a STRUCT<", "); DROP TABLE x"])
def test_what_is_no_ddl_is_refused(wrong: str) -> None:
    with pytest.raises(InvalidInput):
        parse_ddl(wrong)


def test_alternatives_are_a_struct_in_ddl_and_one_place_of_the_record() -> None:
    email = StructType((("email", STRING),))
    kind = alternatives({"as_scalar": STRING, "as_array": ArrayType(email), "as_object": email})
    assert to_ddl(kind) == (
        "STRUCT<`as_object`: STRUCT<`email`: STRING>, `as_array`: ARRAY<STRUCT<`email`: STRING>>, `as_scalar`: STRING>"
    )
    assert [str(path) for path, _ in leaves(kind, VALUE)] == ["value.email", "value[].email", "value"]
    assert alternatives({"as_array": ArrayType(STRING)}) == ArrayType(STRING)
    nested = StructType((("a", MapType(STRING, ArrayType(kind))),))
    assert has_alternatives(nested) and not has_alternatives(email)
