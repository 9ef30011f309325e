"""OpenLineage events for tests: short builders, and the real ones."""

from __future__ import annotations

import gzip
import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from lineage.fold.writer import GraphWriter
from lineage.ingest.events import Event
from lineage.ingest.parse import parse
from lineage.settings import LineageSettings
from tests.twins.lineage import MemoryGraph

KAFKA = "kafka://localhost:9092"
T0 = 1_767_225_600_000  # 2026-01-01T00:00:00Z


def at(seconds: float) -> str:
    """RFC 3339, so many seconds into 2026."""
    from lineage.model import rfc3339

    return rfc3339(T0 + int(seconds * 1000)) or ""


def dataset(name: str, namespace: str = KAFKA, **facets: Any) -> dict[str, Any]:
    return {"namespace": namespace, "name": name, "facets": facets}


def columns(fields: dict[str, list[Any]], influence: list[Any] | None = None) -> dict[str, Any]:
    """A columnLineage facet: field -> [(source dataset, field) or (source, field, transformation...)]."""
    return {
        "fields": {name: {"inputFields": [_input(*source) for source in sources]} for name, sources in fields.items()},
        "dataset": [_input(*source) for source in influence or []],
    }


def _input(source: str, field: str, *ways: dict[str, Any]) -> dict[str, Any]:
    source_field: dict[str, Any] = {"namespace": KAFKA, "name": source, "field": field}
    if ways:
        source_field["transformations"] = list(ways)
    return source_field


MASKING = {"type": "DIRECT", "subtype": "TRANSFORMATION", "masking": True}
IDENTITY = {"type": "DIRECT", "subtype": "IDENTITY", "masking": False}
JOIN = {"type": "INDIRECT", "subtype": "JOIN"}


def run(
    time: float,
    inputs: list[Any] | None = None,
    outputs: list[Any] | None = None,
    *,
    job: str = "etl",
    run_id: str = "r1",
    kind: str | None = "COMPLETE",
    processing: str | None = None,
    integration: str | None = None,
    parent: tuple[str, str] | None = None,
    job_facets: dict[str, Any] | None = None,
    snapshot: bool = False,
) -> dict[str, Any]:
    """A run event. `parent` is (job, run id)."""
    facets: dict[str, Any] = dict(job_facets or {})
    if processing or integration or snapshot:
        facets["jobType"] = {"processingType": processing, "integration": integration}
        if snapshot:
            facets["jobType"]["emissionPattern"] = {"eventContentMode": "COMPLETE_SNAPSHOT"}
    event: dict[str, Any] = {
        "eventTime": at(time),
        "producer": "https://example.com/test",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id, "facets": {}},
        "job": {"namespace": "jobs", "name": job, "facets": facets},
        "inputs": [dataset(d) if isinstance(d, str) else d for d in inputs or []],
        "outputs": [dataset(d) if isinstance(d, str) else d for d in outputs or []],
    }
    if kind:
        event["eventType"] = kind
    if parent:
        event["run"]["facets"]["parent"] = {
            "run": {"runId": parent[1]},
            "job": {"namespace": "jobs", "name": parent[0]},
        }
    return event


def node(name: str, field: str | None = None) -> str:
    return f"datasetField:{KAFKA}:{name}:{field}" if field else f"dataset:{KAFKA}:{name}"


@lru_cache
def real_rows(folder: Path) -> tuple[dict[str, Any], ...]:
    with gzip.open(folder / "openlineage-events.jsonl.gz", "rt") as lines:
        return tuple(json.loads(line) for line in lines)


def real_events(folder: Path) -> list[Event]:
    """The valid real events, parsed."""
    return [parse(row["event"]) for row in real_rows(folder) if row["valid"]]


def graph_of(*raw: dict[str, Any], batch: int = 500, settings: LineageSettings | None = None) -> MemoryGraph:
    """A memory graph of these events, written in batches."""
    graph = MemoryGraph()
    write(graph, *raw, batch=batch, settings=settings)
    return graph


def write(graph: Any, *raw: dict[str, Any], batch: int = 500, settings: LineageSettings | None = None) -> None:
    writer = GraphWriter(graph, settings=settings)
    events = [parse(event) for event in raw]
    for start in range(0, len(events), batch):
        writer.write(events[start : start + batch])


def content(graph: MemoryGraph) -> Any:
    """All a memory graph holds, but its books, in a form to compare."""
    store = graph._store
    edges = store.edges.values()
    return {
        "edges": sorted(
            (
                e.id,
                e.kind,
                e.source,
                e.target,
                e.job or "",
                e.vf,
                e.vt,
                e.seen,
                e.raw,
                e.columns,
                e.how,
                e.origin,
                e.ct or 0,
                e.unfinished,
            )
            for e in edges
        ),
        "datasets": sorted(store.datasets),
        "columns": sorted(store.columns),
        "jobs": sorted(store.jobs),
        "job_info": sorted(store.job_info.items()),
        "infos": sorted((key, sorted(info.items())) for key, info in store.infos.items()),
        "drops": sorted(store.drops.items()),
        "clears": sorted(store.clears.items()),
        "links": sorted(store.links),
    }


def flows(graph: Any, as_of: int | None = None) -> set[tuple[str, str]]:
    """(source, target) names of the FEEDS edges that are valid (now, when no time is given)."""
    from lineage.model import Kind
    from lineage.questions.queries import NOW

    return {
        (edge.source.rsplit(":", 1)[1], edge.target.rsplit(":", 1)[1])
        for edge in graph._store.edges.values()
        if edge.kind is Kind.FEEDS and edge.valid_at(NOW if as_of is None else as_of)
    }
