"""What Weir keeps of an event's facets, given back as OpenLineage's facets, as Marquez's pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from api.features.marquez.answers import Facets
from lineage.model import Node

_SCHEMA = "https://openlineage.io/spec/facets/1-0-0/{name}.json#/$defs/{name}"
NO_PRODUCER = "urn:weir"
"""For a producer that gave no name: OpenLineage wants a URI there."""


def job_facets(job: Node) -> Facets:
    """The standard facets of a job, from its node: documentation, ownership, SQL, location, type, tags."""
    info = job.info
    types = _without_none({key: info.get(key) for key in ("processingType", "integration", "jobType")})
    statement = {"query": info.get("sql"), "dialect": info.get("sqlDialect")} if info.get("sql") else None
    return _facets(
        job,
        {
            **_about(job, "Job"),
            "sql": ("SQLJobFacet", statement),
            "sourceCodeLocation": ("SourceCodeLocationJobFacet", info.get("location")),
            "jobType": ("JobTypeJobFacet", types),
        },
    )


def dataset_facets(dataset: Node) -> Facets:
    """The standard facets of a dataset, from its node: documentation, ownership, tags of it and its columns."""
    return _facets(dataset, _about(dataset, "Dataset"))


def run_facets(job: Node) -> Facets:
    """The standard facets of a job's newest run: what it ran on."""
    engine = _without_none(job.info.get("engine") or {})
    return _facets(job, {"processing_engine": ("ProcessingEngineRunFacet", engine)})


def facet(name: str, value: Mapping[str, Any], producer: str = NO_PRODUCER) -> dict[str, object]:
    """A facet of OpenLineage's. `name`: that of its schema."""
    return {"_producer": producer, "_schemaURL": _SCHEMA.format(name=name), **value}


def _about(node: Node, kind: str) -> dict[str, tuple[str, Mapping[str, Any] | None]]:
    info = node.info
    tags = [{"key": key, "value": value} for key, value in sorted((info.get("tags") or {}).items())]
    tags += [
        {"key": key, "value": value, "field": column}
        for column, column_tags in sorted((info.get("columnTags") or {}).items())
        for key, value in sorted(column_tags.items())
    ]
    description, owners = info.get("description"), info.get("owners")
    return {
        "documentation": (f"Documentation{kind}Facet", {"description": description} if description else None),
        "ownership": (
            f"Ownership{kind}Facet",
            {"owners": [_without_none(owner) for owner in owners]} if owners else None,
        ),
        "tags": (f"Tags{kind}Facet", {"tags": tags} if tags else None),
    }


def _facets(node: Node, values: Mapping[str, tuple[str, Mapping[str, Any] | None]]) -> Facets:
    producer = node.info.get("producer") or NO_PRODUCER
    return {key: facet(name, _without_none(value), producer) for key, (name, value) in values.items() if value}


def _without_none(value: Mapping[str, Any]) -> dict[str, object]:
    return {key: inner for key, inner in value.items() if inner is not None}
