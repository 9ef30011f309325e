"""Marquez's read paths in Marquez's shapes: its web pages and clients work on this graph as they are.

`/lineage` and `/search` answer for both, see `api.features.lineage.routes` and `api.features.search.routes`; jobs are in
`api.http.marquez.jobs`. Nothing here writes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query

from api.edge.openapi import answers_with
from api.edge.parameters import Depth, Limit, Name, NodeIdOf, Offset
from api.features.marquez import shapes
from api.features.marquez.answers import (
    MarquezDataset,
    MarquezDatasets,
    MarquezDatasetVersion,
    MarquezDatasetVersions,
    MarquezNamespace,
    MarquezNamespaces,
    MarquezSource,
    MarquezSources,
    MarquezTags,
)
from api.features.marquez.graph_answers import ColumnLineage
from api.features.marquez.reported import with_reported
from api.features.marquez.routes import jobs
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.services import InstanceOf
from api.visibility.readers import Reader, Readers
from catalog.datasets.reported import is_reported
from catalog.errors import DatasetNotFound, NotFound
from catalog.model import DatasetId, SchemaVersion
from lineage.model import Node

router = APIRouter(tags=["marquez"])
router.include_router(jobs.router)

_MOST_FOUND = 1000


@router.get(
    "/column-lineage",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(ColumnLineage),
)
def get_column_lineage(
    built: InstanceOf,
    subject: Caller,
    node_id: NodeIdOf,
    depth: Depth = 20,
    withDownstream: Annotated[bool, Query(description="Also what is made of it.")] = False,
) -> Any:
    """The fields that a dataset's fields, a field, or the fields a job writes are made of, as Marquez draws them."""
    reader = built[Readers].of(subject)
    direction = "both" if withDownstream else "upstream"
    root = reader.lineage.find(node_id)
    starts = reader.lineage.job(root.id).writes if root.type == "job" else (root.id,)
    graphs = [reader.lineage.lineage(start, direction, depth, "column").to_json() for start in starts]
    return shapes.column_graph(
        {part: [each for answer in graphs for each in answer[part]] for part in ("nodes", "edges")}
    )


@router.get(
    "/namespaces",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezNamespaces),
)
def get_namespaces(built: InstanceOf, subject: Caller, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The namespaces of jobs and datasets that lineage knows."""
    reader = built[Readers].of(subject)
    names = sorted(reader.lineage.namespaces())
    return {"namespaces": [shapes.namespace(name) for name in names[offset : offset + limit]], "totalCount": len(names)}


@router.get(
    "/namespaces/{namespace}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezNamespace),
)
def get_namespace(built: InstanceOf, subject: Caller, namespace: Name) -> Any:
    """One namespace."""
    reader = built[Readers].of(subject)
    if namespace not in reader.lineage.namespaces():
        raise NotFound(f"Lineage knows no namespace {namespace}.", details={"namespace": namespace})
    return shapes.namespace(namespace)


@router.get(
    "/namespaces/{namespace}/datasets",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezDatasets),
)
def get_marquez_datasets(
    built: InstanceOf, subject: Caller, namespace: Name, limit: Limit = 100, offset: Offset = 0
) -> Any:
    """The datasets of a namespace that lineage knows."""
    reader = built[Readers].of(subject)
    nodes = reader.lineage.named_in("dataset", namespace, limit, offset)
    total = reader.lineage.namespaces().get(nodes[0].namespace if nodes else namespace, (0, 0))[0]
    scanned = {node.id: _scanned(_versions(reader, node)) for node in nodes}
    datasets = [shapes.dataset(node.to_json(), (), scanned[node.id]) for node in nodes]
    shown = with_reported(reader, nodes, datasets, scanned)
    return {"datasets": shown, "totalCount": total}


@router.get(
    "/namespaces/{namespace}/datasets/{dataset}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezDataset),
)
def get_marquez_dataset(built: InstanceOf, subject: Caller, namespace: Name, dataset: Name) -> Any:
    """A dataset with the fields of its scanned schema, else those that lineage knows of it, and its newest version."""
    reader = built[Readers].of(subject)
    node, fields = reader.lineage.dataset(DatasetId(namespace, dataset).node_id)
    seen = _versions(reader, node)
    made_of = reader.lineage.lineage(node.id, "upstream", 1, "column").to_json()
    scanned = _scanned(seen)
    (shown,) = with_reported(reader, [node], [shapes.dataset(node.to_json(), fields, scanned)], {node.id: scanned})
    return {
        **shown,
        "currentVersion": shapes.version_id(node.to_json(), seen[0].version) if seen else None,
        "columnLineage": shapes.made_of(made_of, node.to_json()),
    }


@router.get(
    "/namespaces/{namespace}/datasets/{dataset}/versions",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezDatasetVersions),
)
def get_marquez_versions(
    built: InstanceOf, subject: Caller, namespace: Name, dataset: Name, limit: Limit = 100, offset: Offset = 0
) -> Any:
    """The versions of a dataset's schema that scans found, newest first; before a scan, the one that producers report."""
    reader = built[Readers].of(subject)
    node, _fields = reader.lineage.dataset(DatasetId(namespace, dataset).node_id)
    seen = _versions(reader, node)
    shown = [shapes.version(node.to_json(), each) for each in seen[offset : offset + limit]]
    return {"versions": shown, "totalCount": len(seen)}


@router.get(
    "/namespaces/{namespace}/datasets/{dataset}/versions/{version}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezDatasetVersion),
)
def get_marquez_version(built: InstanceOf, subject: Caller, namespace: Name, dataset: Name, version: Name) -> Any:
    """One version of a dataset's schema, by the id its list gives."""
    reader = built[Readers].of(subject)
    node, _fields = reader.lineage.dataset(DatasetId(namespace, dataset).node_id)
    for each in _versions(reader, node):
        if shapes.version_id(node.to_json(), each.version) == version:
            return shapes.version(node.to_json(), each)
    raise NotFound(f"{node.name} has no version {version}; its versions are listed at .../versions.", details={})


@router.get("/sources", dependencies=[signed_in(KNOWN)], responses=answers_with(MarquezSources))
def get_sources(built: InstanceOf, subject: Caller, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The places that datasets are in: Marquez's sources are the namespaces of datasets here."""
    reader = built[Readers].of(subject)
    names = sorted(name for name, (datasets, _) in reader.lineage.namespaces().items() if datasets)
    return {"sources": [shapes.source(name) for name in names[offset : offset + limit]], "totalCount": len(names)}


@router.get(
    "/sources/{source}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(MarquezSource),
)
def get_source(built: InstanceOf, subject: Caller, source: Name) -> Any:
    """One of them."""
    reader = built[Readers].of(subject)
    if not reader.lineage.namespaces().get(source, (0, 0))[0]:
        raise NotFound(f"Lineage knows no datasets in {source}.", details={"source": source})
    return shapes.source(source)


@router.get("/tags", dependencies=[signed_in(KNOWN)], responses=answers_with(MarquezTags))
def get_tags(built: InstanceOf, subject: Caller, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The tags that datasets and fields of the catalog have."""
    reader = built[Readers].of(subject)
    names = sorted(name for name, _ in reader.search.search("", limit=0).facets.get("tag", ()))
    return {"tags": [{"name": name, "description": None} for name in names[offset : offset + limit]]}


def search(
    reader: Reader, text: str, kind: str | None, namespace: str | None, limit: int, by_time: bool
) -> shapes.Json:
    """Datasets and jobs whose names have a text in them, as Marquez finds them: {totalCount, results}.

    `%` matches any text, as there.
    """
    kinds = [kind] if kind else ["dataset", "job"]
    parts = [part.lower() for part in text.strip().split("%") if part]
    holding = max(parts, key=len, default="")
    fits = re.compile(".*".join(re.escape(part) for part in parts), re.DOTALL)
    rows = [
        node.to_json()
        for each in kinds
        for node in reader.lineage.named_in(each, namespace, _MOST_FOUND, holding=holding)
        if fits.search(node.name.lower())
    ]
    rows.sort(key=lambda node: (node["name"].lower(), node["id"]))
    if by_time:
        rows.sort(key=lambda node: str(node.get("lastSeen") or ""), reverse=True)
    return {"totalCount": len(rows), "results": [shapes.found(node) for node in rows[:limit]]}


def _scanned(versions: Sequence[SchemaVersion]) -> SchemaVersion | None:
    """The newest of a dataset's versions; None where only producers report it."""
    return versions[0] if versions and not is_reported(versions[0]) else None


def _versions(reader: Reader, node: Node) -> list[SchemaVersion]:
    """What scans found of a dataset, newest first."""
    try:
        return [stored.baseline for stored in reader.datasets.schemas(DatasetId(node.namespace, node.name))]
    except DatasetNotFound:
        return []
