"""`/lineage`, `/impact`, `/jobs`: events in, graph out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.config.settings import Settings
from api.edge.content_encoding import decoded
from api.edge.openapi import answers_with, takes
from api.edge.parameters import AsOf, Count, Depth, Instant, Limit, Name, NodeIdOf, Offset, Text, stamp
from api.features.lineage.answers.events import BatchResult
from api.features.lineage.answers.graph import Impact, Job, JobRuns, Paths, Reach, ReachEverywhere
from api.features.marquez.graph_answers import LineageOfBoth
from api.features.marquez.shapes import with_graph
from api.guard.guards import KNOWN, Caller, signed_in
from api.guard.senders import EVENT_SENDER
from api.guard.services import InstanceOf
from api.joins.reported import with_runs, with_transformations
from api.visibility.readers import Readers
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.errors import InvalidInput
from catalog.model import NodeId
from lineage.ingest.codec import decode
from lineage.ingest.service import Ingest
from lineage.questions import exports
from lineage.questions.filters import Only, kinds_of

router = APIRouter(tags=["lineage"])
producers = APIRouter(tags=["lineage"])
"""What producers of events call, with parameters of their own in the address where they like."""

LastRun = Annotated[
    Literal["last_run", "contents"],
    Query(description="What the last runs read and write, or where contents come from, since they were overwritten."),
]
_EVENT = {"type": "object", "additionalProperties": True, "description": "An OpenLineage event."}

_READ_AT_ONCE = 32 * 1024
"""Bytes of an event that is read where it arrives: a turn of a thread would cost more than reading it."""

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


async def _json(request: Request) -> Any:
    body, encoding = await request.body(), request.headers.get("content-encoding")
    if encoding:
        built: Instance = request.app.state.instance
        body = await run_in_threadpool(decoded, body, encoding, built[Settings].api.max_body_mb * 1024 * 1024)
    return decode(body)


def ingest_of(request: Request) -> Ingest:
    """Without a hop through the thread pool, which a dependency would cost per event."""
    built: Instance = request.app.state.instance
    return built[Ingest]


@producers.post(
    "/lineage",
    dependencies=[EVENT_SENDER],
    status_code=201,
    response_class=Response,
    openapi_extra=takes("application/json", schema=_EVENT),
)
async def post_event(request: Request) -> Response:
    """Take one OpenLineage event (RunEvent, JobEvent or DatasetEvent). 201 means it is durable; the graph follows."""
    ingest, raw = ingest_of(request), await _json(request)
    if ingest.ready and "content-encoding" not in request.headers and len(await request.body()) <= _READ_AT_ONCE:
        await asyncio.wrap_future(ingest.begin(raw))
    else:
        await run_in_threadpool(ingest.post, raw)
    return Response(status_code=201)


@router.post(
    "/lineage/batch",
    dependencies=[EVENT_SENDER],
    openapi_extra=takes("application/json", schema={"type": "array", "items": _EVENT}),
    responses=answers_with(BatchResult),
)
async def post_batch(request: Request) -> Any:
    """Take a list of events; the answer lists which were refused and why."""
    raw = await _json(request)
    if not isinstance(raw, list):
        raise InvalidInput("A batch is a JSON list of OpenLineage events.")
    result = await run_in_threadpool(ingest_of(request).post_batch, raw)
    return result.to_json()


@router.get(
    "/lineage",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(LineageOfBoth, "text/csv", "text/vnd.graphviz", "text/plain"),
)
@router.get("/lineage/", dependencies=[signed_in(KNOWN)], include_in_schema=False)
def get_lineage(
    request: Request,
    built: InstanceOf,
    subject: Caller,
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
) -> Any:
    """What feeds a node, what it feeds, or both, as nodes and edges; as it was at a moment when asked.

    Asked with no more than `nodeId` and `depth`, as clients of Marquez ask, it has the same as `graph` in their shape.
    """
    only = Only(frozenset(job or ()), frozenset(namespace or ()), kinds_of(kind or ()), frozenset(origin or ()), nodes)
    limits = only if only != Only() else None
    graph = built[Readers].of(subject).lineage.lineage(node_id, direction, depth, level, stamp(asOf), limits, basis)
    answer = with_transformations(built[Readers].of(subject).producers, graph.to_json())
    if format != "json":
        return Response(_LINEAGE[format](answer), media_type=_TEXTS[format])
    return with_graph(answer) if set(request.query_params) <= {"nodeId", "depth"} else answer


@router.get(
    "/lineage/reach",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(Reach | ReachEverywhere),
)
def get_reach(
    built: InstanceOf,
    subject: Caller,
    source: Annotated[Text, Query(alias="from", description="Where the data was: a dataset or a field.")],
    to: Annotated[Text | None, Query(description="Where it may have come; without it, everywhere it may have.")] = None,
    at: Moment = None,
    until: Moment = None,
) -> Any:
    """Whether what was in a dataset or field at a time could have come to another one.

    Each step of a way must have been valid when the data came to it. `confirmed`: each was also reported again after.
    """
    return built[Readers].of(subject).lineage.reach(source, stamp(at), to, stamp(until)).to_json()


@router.get("/lineage/paths", dependencies=[signed_in(KNOWN)], responses=answers_with(Paths))
def get_paths(
    built: InstanceOf,
    subject: Caller,
    source: Annotated[Text, Query(alias="from", description="A dataset or a field.")],
    to: Annotated[Text, Query(description="A dataset or a field.")],
    depth: Depth = 20,
    limit: Annotated[Count, Query(le=100, description="At most this many paths.")] = 10,
    asOf: AsOf = None,
) -> Any:
    """The ways from one node to another, shortest first."""
    paths, more = built[Readers].of(subject).lineage.paths(source, to, limit, depth, stamp(asOf))
    return {"from": source, "to": to, "paths": [[edge.to_json() for edge in path] for path in paths], "truncated": more}


@router.get(
    "/impact",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(Impact, "text/csv", "text/markdown"),
)
def get_impact(
    built: InstanceOf,
    subject: Caller,
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
) -> Any:
    """What is affected downstream when the node changes or is lost, nearest first; `raw` while the raw value flows."""
    if (node_id is None) == (cluster is None):
        raise InvalidInput("Name a nodeId, or a cluster.", details={"field": "nodeId"})
    if cluster is not None:
        namespace = built[Datasets].clusters.resolve(cluster, "any").namespace
        impact = built[Readers].of(subject).lineage.impact_of_namespace(namespace, depth, stamp(asOf), basis)
    else:
        impact = built[Readers].of(subject).lineage.impact(node_id or "", depth, stamp(asOf), change, basis)
    answer = impact.to_json()
    if format != "json":
        return Response(_IMPACT[format](answer), media_type=_TEXTS[format])
    return answer


@router.get(
    "/jobs/{namespace}/{name}",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(Job),
)
def get_job(built: InstanceOf, subject: Caller, namespace: Name, name: Name, asOf: AsOf = None) -> Any:
    """A job: its runs, the last state, the commit it was built from, its SQL."""
    job = built[Readers].of(subject).lineage.job(str(NodeId("job", namespace, name)), stamp(asOf))
    return with_runs(built[Readers].of(subject).producers, job.to_json())


@router.get(
    "/jobs/{namespace}/{name}/runs",
    dependencies=[signed_in(KNOWN)],
    responses=answers_with(JobRuns),
)
def get_job_runs(
    built: InstanceOf, subject: Caller, namespace: Name, name: Name, limit: Limit = 100, offset: Offset = 0
) -> Any:
    """The runs of a job that are remembered, newest first."""
    job = built[Readers].of(subject).lineage.job(str(NodeId("job", namespace, name)))
    runs = with_runs(built[Readers].of(subject).producers, job.to_json())["runs"]
    return {"runs": runs[offset : offset + limit], "total": len(runs)}
