"""Columns that a producer names by the SELECT of an INSERT, not by the table that is written to.

openlineage-sql (Airflow, dbt) reports `INSERT INTO customers (mail) SELECT md5(email) FROM orders` as a column `_0`, and with
`md5(email) AS m` as `m`. The table has neither. Where it shows, the columns of the run are read off its SQL instead.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from lineage.ingest.event_sql import schema_columns, statement_of
from lineage.ingest.events import DatasetEvent, DatasetRef, Event, Name, facet
from lineage.ingest.parse import optional_name

_UNNAMED = re.compile(r"_\d+")
"""What openlineage-sql calls the expressions of a SELECT that have no name."""
_INSERT = re.compile(r"\binsert\b", re.IGNORECASE)
_TOP = re.compile(r"[^.\[]*")
"""The column that a place is in: `items` of `items[].sku`."""


def with_columns_of_tables(event: Event) -> Event:
    """The event without column lineage whose columns its table does not have; most events have none such."""
    if isinstance(event, DatasetEvent) or not any(facet(ref.facets, "columnLineage") for ref in event.outputs):
        return event
    statement = statement_of(event)
    if statement is None:
        return event
    inserts = _INSERT.search(statement.text) is not None
    outputs = tuple(_without(ref) if _is_misnamed(ref, inserts) else ref for ref in event.outputs)
    if all(one is other for one, other in zip(outputs, event.outputs, strict=True)):
        return event
    left_out = (one for one, other in zip(event.outputs, outputs, strict=True) if one is not other)
    there = {ref.id for ref in (*event.inputs, *event.outputs)}
    sources = dict.fromkeys(name for ref in left_out for name in _sources(ref) if name not in there)
    return replace(event, inputs=(*event.inputs, *map(DatasetRef, sources)), outputs=outputs)


def _sources(ref: DatasetRef) -> Iterator[Name]:
    """The datasets that the columns come from. Airflow names some there alone, and not as inputs."""
    listed = (facet(ref.facets, "columnLineage") or {}).get("fields")
    for entry in listed.values() if isinstance(listed, Mapping) else ():
        items = entry.get("inputFields") if isinstance(entry, Mapping) else None
        for item in items if isinstance(items, list) else ():
            name = optional_name(item)
            if name is not None:
                yield name


def _is_misnamed(ref: DatasetRef, inserts: bool) -> bool:
    """Whether a column is called by its place, or is none of those that an INSERT can write to."""
    content = facet(ref.facets, "columnLineage")
    listed = content.get("fields") if content else None
    known = {column.lower() for column in schema_columns(ref)}
    others = [name for name in listed if _top(name) not in known] if isinstance(listed, Mapping) else []
    return bool(others) and ((inserts and bool(known)) or any(_UNNAMED.fullmatch(name) for name in others))


def _top(name: str) -> str:
    match = _TOP.match(name)
    return match.group().lower() if match else ""


def _without(ref: DatasetRef) -> DatasetRef:
    return replace(ref, facets={name: value for name, value in ref.facets.items() if name != "columnLineage"})
