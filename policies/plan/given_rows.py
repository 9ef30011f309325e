"""Rows that are at hand already, in the form of an engine's batches: answers about the catalog in every format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from policies.plan.model import ResultColumn, Unreadable


class GivenRows:
    """Implements `policies.plan.model.Batches` over rows of texts and truth values (column types `string`, `boolean`)."""

    def __init__(self, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]], limit: str | None) -> None:
        import pyarrow as pa  # of the formats that take it only

        kinds = {"string": pa.string(), "boolean": pa.bool_()}
        self.columns = tuple(ResultColumn(name, kind) for name, kind in columns)
        self.schema = pa.schema([(name, kinds[kind]) for name, kind in columns])
        self.limit = limit
        self.unreadable: Unreadable | None = {}
        values = [pa.array([row[at] for row in rows], kinds[kind]) for at, (_, kind) in enumerate(columns)]
        self._batch = pa.RecordBatch.from_arrays(values, schema=self.schema)

    def rows(self, batches: Sequence[Any]) -> list[list[object]]:
        return [list(row) for batch in batches for row in zip(*(c.to_pylist() for c in batch.columns), strict=True)]

    def __iter__(self) -> Iterator[Any]:
        yield self._batch
