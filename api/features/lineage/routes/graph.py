"""`GET /lineage`, its ways and reach, and `/impact`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import Query, Request, Response

from api.edge.answer import Answer
from api.edge.openapi import answers_with
from api.edge.parameters import AsOf, Count, Depth, Instant, NodeIdOf, Text, stamp
from api.features.lineage.answers.graph import LineageOfBoth, lineage_of
from api.features.lineage.answers.impact import Impact, impact_of
from api.features.lineage.answers.reach import Paths, Reach, ReachEverywhere, paths_of, reach_of
from api.features.lineage.reported import ways_within
from api.features.marquez.graphs import graph_of
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.visibility.readers import Readers
from catalog.datasets.datasets import Datasets
from catalog.errors import InvalidInput
from lineage.questions import exports
from lineage.questions.filters import Only, kinds_of

router = FeatureRouter(tags=["lineage"])

LastRun = Annotated[
    Literal["last_run", "contents"],
    Query(description="What the last runs read and write, or where contents come from, since they were overwritten."),
]
Moment = Annotated[Instant | None, Query(description="A time, RFC 3339, e.g. 2026-03-01T12:00:00Z.")]

_TEXTS = {"csv": "text/csv", "dot": "text/vnd.graphviz", "mermaid": "text/plain", "markdown": "text/markdown"}
_LINEAGE: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "csv": exports.lineage_csv,
    "dot": exports.lineage_dot,
    "mermaid": exports.lineage_mermaid,
}
_IMPACT: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "csv": exports.impact_csv,
    "markdown": exports.impact_markdown,
}


@router.get(
    "/lineage",
    dependencies=[signed_in(KNOWN)],
    response_model=LineageOfBoth,
    responses=answers_with(LineageOfBoth, "text/csv", "text/vnd.graphviz", "text/plain"),
)
@router.get("/lineage/", dependencies=[signed_in(KNOWN)], response_model=LineageOfBoth, include_in_schema=False)
def get_lineage(
    request: Request,
    readers: From[Readers],
    caller: Caller,
    node_id: NodeIdOf,
    direction: Literal["upstream", "downstream", "both"] = "both",
    depth: Depth = 20,
    level: Literal["dataset", "column"] = "dataset",
    asOf: AsOf = None,
    job: Annotated[list[Text] | None, Query(description="Only flows of these jobs, as job:NS:NAME.")] = None,
    namespace: Annotated[list[Text] | None, Query(description="Only flows within these namespaces.")] = None,
    kind: Annotated[list[Text] | None, Query(description="Show only edges of these kinds: feeds, reads...")] = None,
    origin: Annotated[list[Text] | None, Query(description="Only observed, declared or permitted edges.")] = None,
    nodes: Annotated[Count | None, Query(le=50_000, description="At most this many nodes.")] = None,
    basis: LastRun = "last_run",
    format: Literal["json", "csv", "dot", "mermaid"] = "json",
) -> LineageOfBoth | Response:
    """What feeds a node, what it feeds, or both, as nodes and edges; as it was at a moment when asked.

    Asked with no more than `nodeId` and `depth`, as clients of Marquez ask, it has the same as `graph` in their shape.
    """
    only = Only(frozenset(job or ()), frozenset(namespace or ()), kinds_of(kind or ()), frozenset(origin or ()), nodes)
    limits, reader = only if only != Only() else None, readers.of(caller)
    subgraph = reader.lineage.lineage(node_id, direction, depth, level, stamp(asOf), limits, basis)
    graph = graph_of(subgraph) if set(request.query_params) <= {"nodeId", "depth"} else None
    answer = lineage_of(subgraph, *ways_within(reader.producers, subgraph), graph)
    return _as_text(answer, format, _LINEAGE) if format != "json" else answer


@router.get("/lineage/reach", dependencies=[signed_in(KNOWN)])
def get_reach(
    readers: From[Readers],
    caller: Caller,
    source: Annotated[Text, Query(alias="from", description="Where the data was: a dataset or a field.")],
    to: Annotated[Text | None, Query(description="Where it may have come; without it, everywhere it may have.")] = None,
    at: Moment = None,
    until: Moment = None,
) -> Reach | ReachEverywhere:
    """Whether what was in a dataset or field at a time could have come to another one.

    Each step of a way must have been valid when the data came to it. `confirmed`: each was also reported again after.
    """
    return reach_of(readers.of(caller).lineage.reach(source, stamp(at), to, stamp(until)))


@router.get("/lineage/paths", dependencies=[signed_in(KNOWN)])
def get_paths(
    readers: From[Readers],
    caller: Caller,
    source: Annotated[Text, Query(alias="from", description="A dataset or a field.")],
    to: Annotated[Text, Query(description="A dataset or a field.")],
    depth: Depth = 20,
    limit: Annotated[Count, Query(le=100, description="At most this many paths.")] = 10,
    asOf: AsOf = None,
) -> Paths:
    """The ways from one node to another, shortest first."""
    paths, more = readers.of(caller).lineage.paths(source, to, limit, depth, stamp(asOf))
    return paths_of(source, to, paths, more)


@router.get(
    "/impact",
    dependencies=[signed_in(KNOWN)],
    response_model=Impact,
    responses=answers_with(Impact, "text/csv", "text/markdown"),
)
def get_impact(
    readers: From[Readers],
    datasets: From[Datasets],
    caller: Caller,
    node_id: Annotated[
        Text | None, Query(alias="nodeId", description="dataset:NS:NAME, datasetField:NS:NAME:FIELD or job:NS:NAME.")
    ] = None,
    depth: Depth = 20,
    asOf: AsOf = None,
    change: Annotated[
        Literal["drop", "rename", "retype", "mask", "lose"] | None,
        Query(
            description="What is done to it: each row then shows what that does, and what it leaves alone is left out."
        ),
    ] = None,
    cluster: Annotated[
        Text | None, Query(description="In place of nodeId: a cluster (or namespace) that is lost.")
    ] = None,
    basis: LastRun = "contents",
    format: Literal["json", "csv", "markdown"] = "json",
) -> Impact | Response:
    """What is affected downstream when the node changes or is lost, nearest first; `raw` while the raw value flows."""
    if (node_id is None) == (cluster is None):
        raise InvalidInput("Name a nodeId, or a cluster.", details={"field": "nodeId"})
    lineage = readers.of(caller).lineage
    if cluster is not None:
        namespace = datasets.clusters.resolve(cluster, "any").namespace
        impact = lineage.impact_of_namespace(namespace, depth, stamp(asOf), basis)
    else:
        impact = lineage.impact(node_id or "", depth, stamp(asOf), change, basis)
    answer = impact_of(impact)
    return _as_text(answer, format, _IMPACT) if format != "json" else answer


def _as_text(answer: Answer, format: str, forms: Mapping[str, Callable[[Mapping[str, Any]], str]]) -> Response:
    text = forms[format](answer.model_dump(mode="json", exclude_unset=True))
    return Response(text, media_type=_TEXTS[format])
