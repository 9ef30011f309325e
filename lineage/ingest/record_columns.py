"""Spark reads a topic as a table of key, value, topic, offset and so on: columns of the record, not of its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lineage.ingest.events import DatasetEvent, DatasetRef, Event, Name, facet
from lineage.ingest.parse import optional_name

_SOURCE = frozenset({"key", "value", "topic", "partition", "offset", "timestamp", "timestampType"})
_OF_RECORD = {name: f"_{name}" for name in (*(_SOURCE - {"key", "value"}), "headers")}
"""Column of Spark's source -> how Weir names the same of a record."""


def with_record_columns(event: Event) -> Event:
    """The event without the schema of Spark's Kafka source, and with its columns under the names of a record's parts."""
    if isinstance(event, DatasetEvent):
        return event
    topics = {ref.id for ref in (*event.inputs, *event.outputs) if _is_spark_source(ref)}
    if not topics:
        return event
    return replace(
        event,
        inputs=tuple(_renamed(_without_schema(ref, topics), topics) for ref in event.inputs),
        outputs=tuple(_renamed(_without_schema(ref, topics), topics) for ref in event.outputs),
    )


def _is_spark_source(ref: DatasetRef) -> bool:
    schema = facet(ref.facets, "schema") if ref.id.namespace.startswith("kafka") else None
    fields = schema.get("fields") if schema else None
    names = {str(field.get("name")) for field in fields if isinstance(field, Mapping)} if isinstance(fields, list) else set()
    return names - {"headers"} == _SOURCE


def _without_schema(ref: DatasetRef, topics: set[Name]) -> DatasetRef:
    if ref.id not in topics or not _is_spark_source(ref):
        return ref
    return replace(ref, facets={name: content for name, content in ref.facets.items() if name != "schema"})


def _renamed(ref: DatasetRef, topics: set[Name]) -> DatasetRef:
    content = facet(ref.facets, "columnLineage")
    if content is None:
        return ref
    fields = content.get("fields")
    now = {**content, "dataset": _inputs(content.get("dataset"), topics)}
    if isinstance(fields, Mapping):
        now["fields"] = {
            column: {**entry, "inputFields": _inputs(entry.get("inputFields"), topics)}
            if isinstance(entry, Mapping)
            else entry
            for column, entry in fields.items()
        }
    return replace(ref, facets={**ref.facets, "columnLineage": now})


def _inputs(items: Any, topics: set[Name]) -> Any:
    return [_input(item, topics) for item in items] if isinstance(items, list) else items


def _input(item: Any, topics: set[Name]) -> Any:
    source, field = optional_name(item), item.get("field") if isinstance(item, Mapping) else None
    if source not in topics or not isinstance(field, str):
        return item
    return {**item, "field": _OF_RECORD.get(field, field)}
