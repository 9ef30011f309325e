"""Types to and from Spark's DDL and from what a scan saw."""

from __future__ import annotations

import pytest

from catalog.datatypes import (
    DEEPEST,
    STRING,
    ArrayType,
    MapType,
    Primitive,
    StructType,
    columns_ddl,
    from_profile,
    leaves,
    parse_ddl,
    to_ddl,
)
from catalog.errors import InvalidInput
from catalog.model import FieldProfile
from catalog.paths import VALUE

ORDERS = (
    "order_id STRING, customer STRUCT<name: STRING, email: STRING>, amount DECIMAL(12,2), "
    "items ARRAY<STRUCT<sku: STRING, qty: INT>>, attributes MAP<STRING, STRING>"
)


def profile(path: str, **types: float) -> FieldProfile:
    return FieldProfile(path, types, 1, 1.0)


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


def test_an_inferred_schema_reads_every_shape() -> None:
    kind = from_profile(
        [
            profile("value", object=1.0),
            profile("value.id", int32=0.5, int64=0.5),
            profile("value.mixed", int32=0.5, string=0.5),
            profile("value.tags", array=1.0),
            profile("value.tags[]", string=1.0),
            profile("value.attributes", map=1.0),
            profile("value.attributes{}", double=1.0),
            profile("value.gone", null=1.0),
            profile("value.sometimes", object=0.5, string=0.5),
            profile("value.sometimes.deep", string=1.0),
            profile("key", string=1.0),
        ]
    )
    assert kind == StructType(
        (
            ("id", Primitive("BIGINT")),
            ("mixed", STRING),
            ("tags", ArrayType(STRING)),
            ("attributes", MapType(STRING, Primitive("DOUBLE"))),
            ("gone", STRING),
            ("sometimes", STRING),
        )
    )
    assert to_ddl(kind).startswith("STRUCT<`id`: BIGINT, `mixed`: STRING, `tags`: ARRAY<STRING>")


def test_a_few_other_values_do_not_hide_the_fields() -> None:
    kind = from_profile([profile("value", object=0.96, string=0.04), profile("value.id", int32=1.0)])
    assert kind == StructType((("id", Primitive("INT")),))
    assert from_profile([profile("value", object=0.1, string=0.9), profile("value.id", int32=1.0)]) == STRING


def test_what_lies_very_deep_is_text() -> None:
    path = "value" + ".a" * 60
    paths = [path[: 5 + 2 * n] for n in range(61)]
    kind = from_profile([*(profile(p, object=1.0) for p in paths[:-1]), profile(path, int32=1.0)])
    depth = 0
    while isinstance(kind, StructType):
        kind, depth = kind.fields[0][1], depth + 1
    assert (kind, depth) == (STRING, DEEPEST)
