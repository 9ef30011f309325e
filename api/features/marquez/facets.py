"""What Weir keeps of an event's facets, given back as OpenLineage's facets, as Marquez's pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Facets = dict[str, dict[str, Any]]

_SCHEMA = "https://openlineage.io/spec/facets/1-0-0/{name}.json#/$defs/{name}"
_UNSAID = "urn:weir"
"""For a producer that did not name itself: OpenLineage wants a URI there."""


def job_facets(node: Mapping[str, Any]) -> Facets:
    """The standard facets of a job, from its node: documentation, ownership, SQL, location, type, tags."""
    facets = {
        **_about(node, "Job"),
        "sql": (
            "SQLJobFacet",
            {"query": node.get("sql"), "dialect": node.get("sqlDialect")} if node.get("sql") else None,
        ),
        "sourceCodeLocation": ("SourceCodeLocationJobFacet", node.get("location")),
        "jobType": (
            "JobTypeJobFacet",
            _without_none({key: node.get(key) for key in ("processingType", "integration", "jobType")}),
        ),
    }
    return _facets(facets, node)


def dataset_facets(node: Mapping[str, Any]) -> Facets:
    """The standard facets of a dataset, from its node: documentation, ownership, tags of it and its columns."""
    return _facets(_about(node, "Dataset"), node)


def run_facets(job: Mapping[str, Any]) -> Facets:
    """The standard facets of a job's newest run: what it ran on."""
    return _facets({"processing_engine": ("ProcessingEngineRunFacet", _without_none(job.get("engine") or {}))}, job)


def _about(node: Mapping[str, Any], kind: str) -> dict[str, tuple[str, Mapping[str, Any] | None]]:
    tags = [{"key": key, "value": value} for key, value in sorted((node.get("tags") or {}).items())]
    tags += [
        {"key": key, "value": value, "field": column}
        for column, column_tags in sorted((node.get("columnTags") or {}).items())
        for key, value in sorted(column_tags.items())
    ]
    description, owners = node.get("description"), node.get("owners")
    return {
        "documentation": (f"Documentation{kind}Facet", {"description": description} if description else None),
        "ownership": (
            f"Ownership{kind}Facet",
            {"owners": [_without_none(owner) for owner in owners]} if owners else None,
        ),
        "tags": (f"Tags{kind}Facet", {"tags": tags} if tags else None),
    }


def _facets(facets: Mapping[str, tuple[str, Mapping[str, Any] | None]], node: Mapping[str, Any]) -> Facets:
    producer = node.get("producer") or _UNSAID
    return {
        key: {"_producer": producer, "_schemaURL": _SCHEMA.format(name=name), **_without_none(value)}
        for key, (name, value) in facets.items()
        if value
    }


def _without_none(value: Mapping[str, Any]) -> dict[str, Any]:
    return {key: inner for key, inner in value.items() if inner is not None}
