"""A view as an OpenLineage job: each generation is a run, with what every column is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict
from uuid import NAMESPACE_URL, uuid5

from catalog.datatypes import ArrayType, DataType, MapType, Primitive, StructType, to_ddl
from catalog.model import DatasetId
from catalog.paths import VALUE, FieldPath
from policies.plan.prepare import PreparedQuery
from views.model import Column
from views.runner.result import Flow, flows
from views.runner.state import Generation
from views.runner.tools import Tools

JOBS = "weir://views"
_PRODUCER = "https://weir.example/views"
_FACET = {"_producer": _PRODUCER, "_schemaURL": "https://openlineage.io/spec/1-0-2/OpenLineage.json"}


def running_event(view: str, generation: Generation, prepared: PreparedQuery, tools: Tools) -> dict[str, object]:
    """The event that a generation runs. Its output is the view's topic, or, where that is private, the view by its name."""
    names = [name for name, _ in generation.columns]
    by_column = flows(prepared, names)
    at = tools.clock().isoformat()
    out = tools.dataset(generation.cluster, view if generation.private else generation.topic)
    sources = {reference: tools.dataset(*reference.split("/", 1)) for reference in generation.sources}
    made_of = {
        name: {"inputFields": [_input(flow, sources) for flow in each if flow.source in sources]}
        for name, each in by_column.items()
    }
    return {
        "eventTime": at,
        "eventType": "RUNNING",
        "producer": _PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": str(uuid5(NAMESPACE_URL, f"{JOBS}/{view}/{generation.id}"))},
        "job": {
            "namespace": JOBS,
            "name": view,
            "facets": {
                "jobType": {**_FACET, "processingType": "STREAMING", "integration": "WEIR", "jobType": "VIEW"},
                "sql": {**_FACET, "query": prepared.gated.sql, "dialect": "spark"},
            },
        },
        "inputs": [{"namespace": each.namespace, "name": each.name} for each in sources.values()],
        "outputs": [
            {
                "namespace": out.namespace,
                "name": out.name,
                "facets": {
                    "schema": {**_FACET, "fields": schema_fields(generation.typed)},
                    "columnLineage": {**_FACET, "fields": made_of},
                },
            }
        ],
    }


class SchemaField(TypedDict):
    """A field of OpenLineage's schema facet, with those inside it."""

    name: str
    type: str
    fields: NotRequired[list[SchemaField]]


def schema_fields(columns: Sequence[Column]) -> list[SchemaField]:
    """Columns as OpenLineage's schema facet has them: the types as they are, and the fields inside them."""
    return [_schema_field(each.name, each.type, each.kind) for each in columns]


def _schema_field(name: str, text: str, kind: DataType) -> SchemaField:
    inside: tuple[tuple[str, DataType], ...] = ()
    match kind:
        case StructType(fields):
            inside = fields
        case ArrayType(element):
            inside = (("_element", element),)
        case MapType(key, value):
            inside = (("key", key), ("value", value))
    field: SchemaField = {"name": name, "type": text}
    if inside:
        field["fields"] = [_schema_field(below, _text(each), each) for below, each in inside]
    return field


def _text(kind: DataType) -> str:
    return to_ddl(kind).lower() if isinstance(kind, Primitive) else to_ddl(kind)


def _input(flow: Flow, sources: Mapping[str, DatasetId]) -> dict[str, object]:
    source = sources[flow.source]
    kind = "AGGREGATION" if flow.counted else "IDENTITY" if flow.direct and not flow.masked else "TRANSFORMATION"
    way = {"type": "DIRECT", "subtype": kind, "masking": flow.masked or flow.counted}
    return {"namespace": source.namespace, "name": source.name, "field": _field(flow.path), "transformations": [way]}


def _field(path: str) -> str:
    """A field of the value by its name, others by their path."""
    root = f"{FieldPath(VALUE.root)}."
    return path.removeprefix(root)
