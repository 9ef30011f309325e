"""`/namespaces`, `/sources`, `/tags`, `/column-lineage`."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query

from api.edge.parameters import Depth, Limit, Name, NodeIdOf, Offset
from api.features.marquez import shapes
from api.features.marquez.answers import (
    MarquezNamespace,
    MarquezNamespaces,
    MarquezSource,
    MarquezSources,
    MarquezTag,
    MarquezTags,
)
from api.features.marquez.graph_answers import ColumnLineage
from api.features.marquez.graphs import column_graph
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.errors import NotFound

router = FeatureRouter(tags=["marquez"], tolerant=True)


@router.get("/column-lineage", dependencies=[signed_in(KNOWN)])
def get_column_lineage(
    readers: From[Readers],
    caller: Caller,
    node_id: NodeIdOf,
    depth: Depth = 20,
    withDownstream: Annotated[bool, Query(description="Also what is made of it.")] = False,
) -> ColumnLineage:
    """The fields that a dataset's fields, a field, or the fields a job writes are made of, as Marquez draws them."""
    reader = readers.of(caller)
    direction = "both" if withDownstream else "upstream"
    root = reader.lineage.find(node_id)
    starts = reader.lineage.job(root.id).writes if root.type == "job" else (root.id,)
    return column_graph(reader.lineage.lineage(start, direction, depth, "column") for start in starts)


@router.get("/namespaces", dependencies=[signed_in(KNOWN)])
def get_namespaces(readers: From[Readers], caller: Caller, limit: Limit = 100, offset: Offset = 0) -> MarquezNamespaces:
    """The namespaces of jobs and datasets that lineage knows."""
    names = sorted(readers.of(caller).lineage.namespaces())
    page = [shapes.namespace(name) for name in names[offset : offset + limit]]
    return MarquezNamespaces(namespaces=page, totalCount=len(names))


@router.get("/namespaces/{namespace}", dependencies=[signed_in(KNOWN)])
def get_namespace(readers: From[Readers], caller: Caller, namespace: Name) -> MarquezNamespace:
    """One namespace."""
    if namespace not in readers.of(caller).lineage.namespaces():
        raise NotFound(f"Lineage knows no namespace {namespace}.", details={"namespace": namespace})
    return shapes.namespace(namespace)


@router.get("/sources", dependencies=[signed_in(KNOWN)])
def get_sources(readers: From[Readers], caller: Caller, limit: Limit = 100, offset: Offset = 0) -> MarquezSources:
    """The places that datasets are in: Marquez's sources are the namespaces of datasets here."""
    counts = readers.of(caller).lineage.namespaces()
    names = sorted(name for name, (datasets, _) in counts.items() if datasets)
    page = [shapes.source(name) for name in names[offset : offset + limit]]
    return MarquezSources(sources=page, totalCount=len(names))


@router.get("/sources/{source}", dependencies=[signed_in(KNOWN)])
def get_source(readers: From[Readers], caller: Caller, source: Name) -> MarquezSource:
    """One of them."""
    if not readers.of(caller).lineage.namespaces().get(source, (0, 0))[0]:
        raise NotFound(f"Lineage knows no datasets in {source}.", details={"source": source})
    return shapes.source(source)


@router.get("/tags", dependencies=[signed_in(KNOWN)])
def get_tags(readers: From[Readers], caller: Caller, limit: Limit = 100, offset: Offset = 0) -> MarquezTags:
    """The tags that datasets and fields of the catalog have."""
    tags = readers.of(caller).search.search("", limit=0).facets.get("tag", ())
    names = sorted(name for name, _ in tags)
    return MarquezTags(tags=[MarquezTag(name=name, description=None) for name in names[offset : offset + limit]])
