"""Columns of tables and files as field paths, and back.

The catalog names every field by a path in a record. A row of a table is a record's value: the column `email` is
`value.email`, its field `city` inside `address` is `value.address.city`. Lineage names a column of a topic by its path,
and any other column as its producer writes it. Both functions are inverse to each other.
"""

from __future__ import annotations

from functools import lru_cache

from catalog.errors import InvalidInput
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath, StepKind

_OF_RECORDS = frozenset({"_key", "_headers", "_partition", "_offset", "_timestamp", "_topic", "_timestampType"})
"""What SQL over a topic shows beside the value's fields; no field of the data."""


def is_topic(dataset: DatasetId) -> bool:
    """Whether a dataset is a Kafka topic by its namespace."""
    return dataset.namespace.startswith("kafka")


def path_of(dataset: DatasetId, column: str) -> str | None:
    """The field path of a column; None for what is not a field of the data (`_offset`)."""
    if not is_topic(dataset):
        return _row_path(column)
    if column in _OF_RECORDS:
        return None
    try:
        return str(FieldPath.parse(column))
    except InvalidInput:
        return _row_path(column)


def column_of(dataset: DatasetId, path: str) -> str:
    """The column at a field path, as lineage names it."""
    if is_topic(dataset) or not path.startswith("value."):
        return path
    steps = FieldPath.parse(path).steps
    if len(steps) == 1 and steps[0].kind is StepKind.FIELD:
        return steps[0].name or ""
    return path.removeprefix("value.")


@lru_cache(maxsize=65536)
def _row_path(column: str) -> str:
    if "`" not in column:
        text = f"value.{column}"
        try:
            if str(FieldPath.parse(text)) == text:
                return text
        except InvalidInput:
            pass
    return str(VALUE.field(column))
