"""What Weir observes by itself as OpenLineage events: a job that runs without end, each of whose reports is complete."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, TypedDict
from uuid import NAMESPACE_URL, uuid5

from lineage.observed.connector_datasets import Name

Facet = Mapping[str, Any]
_SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"


class ObservedDataset(TypedDict):
    """A dataset of an event."""

    namespace: str
    name: str


class ObservedJob(TypedDict):
    namespace: str
    name: str
    facets: dict[str, Facet]


class ObservedEvent(TypedDict):
    """An OpenLineage RunEvent, as JSON."""

    eventTime: str
    eventType: str
    producer: str
    schemaURL: str
    run: dict[str, str]
    job: ObservedJob
    inputs: list[ObservedDataset]
    outputs: list[ObservedDataset]


def run_event(
    producer: str,
    job: Name,
    facets: Mapping[str, Facet],
    *,
    running: bool,
    inputs: Iterable[Name] = (),
    outputs: Iterable[Name] = (),
    run: str = "",
    at: datetime | None = None,
) -> ObservedEvent:
    """`run`: what distinguishes this run of the job; nothing where it has one."""
    namespace, name = job
    return {
        "eventTime": (at or datetime.now(UTC)).isoformat(),
        "eventType": "RUNNING" if running else "OTHER",
        "producer": producer,
        "schemaURL": _SPEC + "RunEvent",
        "run": {"runId": str(uuid5(NAMESPACE_URL, f"{namespace}/{name}{run}"))},
        "job": {"namespace": namespace, "name": name, "facets": dict(facets)},
        "inputs": [{"namespace": space, "name": dataset} for space, dataset in inputs],
        "outputs": [{"namespace": space, "name": dataset} for space, dataset in outputs],
    }


def job_facet(producer: str, content: Facet) -> Facet:
    return {"_producer": producer, "_schemaURL": _SPEC + "JobFacet", **content}
