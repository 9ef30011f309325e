"""Marquez's read paths in Marquez's shapes: its web pages and clients work on this graph as they are.

`/lineage` and `/search` answer for both, see `api.routes.lineage` and `api.routes.search`. Not here: versions of jobs, and
everything that writes but `POST /lineage`.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from api.auth import Caller, ServicesOf
from api.bootstrap import Services
from api.routes import marquez_shapes as shapes
from api.routes.names import Limit, Name, Offset
from catalog.errors import DatasetNotFound, NotFound
from catalog.model import DatasetId, SchemaVersion
from lineage.model import Node

router = APIRouter(tags=["marquez"])

_MOST_FOUND = 1000

NodeIdOf = Annotated[
    str, Query(alias="nodeId", description="dataset:NS:NAME, datasetField:NS:NAME:FIELD, job:NS:NAME.")
]


@router.get("/column-lineage")
def get_column_lineage(
    built: ServicesOf,
    _: Caller,
    node_id: NodeIdOf,
    depth: Annotated[int, Query(ge=1, le=100, description="How many hops to follow.")] = 20,
    withDownstream: Annotated[bool, Query(description="Also what is made of it.")] = False,
) -> Any:
    """The fields that a dataset's fields, a field, or a job's fields are made of, as Marquez draws them."""
    direction = "both" if withDownstream else "upstream"
    return shapes.column_graph(built.lineage.lineage(node_id, direction, depth, "column").to_json())


@router.get("/namespaces")
def get_namespaces(built: ServicesOf, _: Caller, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The namespaces of jobs and datasets that lineage knows."""
    names = sorted(built.lineage.namespaces())
    return {"namespaces": [shapes.namespace(name) for name in names[offset : offset + limit]], "totalCount": len(names)}


@router.get("/namespaces/{namespace}")
def get_namespace(built: ServicesOf, _: Caller, namespace: Name) -> Any:
    """One namespace."""
    if namespace not in built.lineage.namespaces():
        raise NotFound(f"Lineage knows no namespace {namespace}.", details={"namespace": namespace})
    return shapes.namespace(namespace)


@router.get("/namespaces/{namespace}/jobs")
def get_jobs(built: ServicesOf, _: Caller, namespace: Name, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The jobs of a namespace. What each reads and writes is with the job itself."""
    found = built.lineage.named_in("job", namespace, limit, offset)
    total = built.lineage.namespaces().get(namespace, (0, 0))[1]
    return {"jobs": [shapes.job(node.to_json()) for node in found], "totalCount": total}


@router.get("/jobs")
def get_all_jobs(built: ServicesOf, _: Caller, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The jobs of all namespaces."""
    found = built.lineage.named_in("job", None, limit, offset)
    total = sum(jobs for _, jobs in built.lineage.namespaces().values())
    return {"jobs": [shapes.job(node.to_json()) for node in found], "totalCount": total}


@router.get("/namespaces/{namespace}/jobs/{job}")
def get_marquez_job(built: ServicesOf, _: Caller, namespace: Name, job: Name) -> Any:
    """A job with what it reads, writes, and its newest run."""
    found = built.lineage.job(f"job:{namespace}:{job}").to_json()
    shown = shapes.job(found, found["reads"], found["writes"])
    return {**shown, "latestRun": shapes.run(found["runs"][0], found) if found["runs"] else None}


@router.get("/namespaces/{namespace}/jobs/{job}/runs")
def get_marquez_runs(
    built: ServicesOf, _: Caller, namespace: Name, job: Name, limit: Limit = 100, offset: Offset = 0
) -> Any:
    """The runs of a job that are remembered, newest first."""
    found = built.lineage.job(f"job:{namespace}:{job}").to_json()
    runs = found["runs"]
    return {"runs": [shapes.run(run, found) for run in runs[offset : offset + limit]], "totalCount": len(runs)}


@router.get("/namespaces/{namespace}/datasets")
def get_marquez_datasets(built: ServicesOf, _: Caller, namespace: Name, limit: Limit = 100, offset: Offset = 0) -> Any:
    """The datasets of a namespace that lineage knows."""
    found = built.lineage.named_in("dataset", namespace, limit, offset)
    total = built.lineage.namespaces().get(found[0].namespace if found else namespace, (0, 0))[0]
    return {"datasets": [shapes.dataset(node.to_json()) for node in found], "totalCount": total}


@router.get("/namespaces/{namespace}/datasets/{dataset}")
def get_marquez_dataset(built: ServicesOf, _: Caller, namespace: Name, dataset: Name) -> Any:
    """A dataset with the fields that lineage knows of it, and its newest version where scans have seen it."""
    node, fields = built.lineage.dataset(f"dataset:{namespace}:{dataset}")
    seen = _versions(built, node)
    return {
        **shapes.dataset(node.to_json(), fields),
        "currentVersion": shapes.version_id(node.to_json(), seen[0].version) if seen else None,
    }


@router.get("/namespaces/{namespace}/datasets/{dataset}/versions")
def get_marquez_versions(
    built: ServicesOf, _: Caller, namespace: Name, dataset: Name, limit: Limit = 100, offset: Offset = 0
) -> Any:
    """The versions of a dataset's schema that scans found, newest first; none where no scan has looked into it."""
    node, _fields = built.lineage.dataset(f"dataset:{namespace}:{dataset}")
    seen = _versions(built, node)
    shown = [shapes.version(node.to_json(), each) for each in seen[offset : offset + limit]]
    return {"versions": shown, "totalCount": len(seen)}


@router.get("/namespaces/{namespace}/datasets/{dataset}/versions/{version}")
def get_marquez_version(built: ServicesOf, _: Caller, namespace: Name, dataset: Name, version: Name) -> Any:
    """One version of a dataset's schema, by the id its list gives."""
    node, _fields = built.lineage.dataset(f"dataset:{namespace}:{dataset}")
    for each in _versions(built, node):
        if shapes.version_id(node.to_json(), each.version) == version:
            return shapes.version(node.to_json(), each)
    raise NotFound(f"{node.name} has no version {version}; its versions are listed at .../versions.", details={})


def search(
    built: Services, text: str, kind: str | None, namespace: str | None, limit: int, by_time: bool
) -> shapes.Json:
    """Datasets and jobs whose names have a text in them, as Marquez finds them: {totalCount, results}."""
    kinds = [kind] if kind else ["dataset", "job"]
    found = [
        node.to_json()
        for each in kinds
        for node in built.lineage.named_in(each, namespace, _MOST_FOUND, holding=text.strip())
    ]
    found.sort(key=lambda node: (node["name"].lower(), node["id"]))
    if by_time:
        found.sort(key=lambda node: str(node.get("lastSeen") or ""), reverse=True)
    return {"totalCount": len(found), "results": [shapes.found(node) for node in found[:limit]]}


def _versions(built: Services, node: Node) -> list[SchemaVersion]:
    """What scans found of a dataset, newest first."""
    try:
        return [stored.baseline for stored in built.datasets.schemas(DatasetId(node.namespace, node.name))]
    except DatasetNotFound:
        return []
