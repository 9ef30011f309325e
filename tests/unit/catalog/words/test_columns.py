"""Columns and field paths are inverse to each other, whatever a column is called."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from catalog.columns import column_of, path_of
from catalog.datasets.reported import type_of
from catalog.model import DatasetId
from catalog.paths import FieldPath

TABLE = DatasetId("postgres://h:1", "t")
TOPIC = DatasetId("kafka://h:1", "t")
names = st.one_of(st.text(min_size=1, max_size=20), st.text("ab.[]{}@`value key_", min_size=1, max_size=20))


@given(names)
def test_a_column_of_a_table_comes_back(column: str) -> None:
    path = path_of(TABLE, column)
    assert path is not None and str(FieldPath.parse(path)) == path and path.startswith("value")
    assert column_of(TABLE, path) == column


@given(names)
def test_a_column_of_a_topic_is_a_field_path(column: str) -> None:
    path = path_of(TOPIC, column)
    assert path is None or (str(FieldPath.parse(path)) == path and column_of(TOPIC, path) == path)


def test_columns_as_people_write_them() -> None:
    assert path_of(TABLE, "email") == "value.email" and path_of(TABLE, "address.city") == "value.address.city"
    assert path_of(TABLE, "value") == "value.value" and path_of(TABLE, "a b") == "value.a b"
    assert path_of(TOPIC, "key.id") == "key.id" and path_of(TOPIC, "email") == "value.email"
    assert path_of(TOPIC, "_offset") is None and path_of(TOPIC, "_id") == "value._id"


def test_types_of_producers_in_the_catalogs_words() -> None:
    known = {
        "VARCHAR(20)": "string",
        "bigint": "int64",
        "INT64": "int64",
        "decimal(10,2)": "decimal",
        "TIMESTAMP_NTZ(9)": "timestamp",
        "struct<a:int>": "object",
        "array<string>": "array",
        "map<string,int>": "map",
        "BOOLEAN": "boolean",
        "double precision": "double",
        "timestamp without time zone": "timestamp",
        "bytea": "binary",
    }
    assert {text: type_of(text) for text in known} == known
    assert type_of("geography") is None and type_of("") is None
