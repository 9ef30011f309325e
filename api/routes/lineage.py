"""`/lineage`, `/impact`: events in, graph out."""

from __future__ import annotations

import csv
import io
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.auth import Caller, Producer, ServicesOf
from api.routes.names import AsOf, Name, moment
from catalog.errors import InvalidInput
from lineage.codec import decode

router = APIRouter(tags=["lineage"])

NodeIdOf = Annotated[
    str, Query(alias="nodeId", description="dataset:NS:NAME, datasetField:NS:NAME:FIELD or job:NS:NAME.")
]
Depth = Annotated[int, Query(ge=1, le=100, description="How many hops to follow.")]


async def _json(request: Request) -> Any:
    return decode(await request.body())


@router.post("/lineage", status_code=201, response_class=Response)
async def post_event(request: Request, built: ServicesOf, _: Producer) -> Response:
    """Take one OpenLineage event (RunEvent, JobEvent or DatasetEvent). 201 means it is durable; the graph follows."""
    await run_in_threadpool(built.ingest.post, await _json(request))
    return Response(status_code=201)


@router.post("/lineage/batch")
async def post_batch(request: Request, built: ServicesOf, _: Producer) -> Any:
    """Take a list of events; the answer tells which were refused and why."""
    raw = await _json(request)
    if not isinstance(raw, list):
        raise InvalidInput("A batch is a JSON list of OpenLineage events.")
    result = await run_in_threadpool(built.ingest.post_batch, raw)
    return result.to_json()


@router.get("/lineage")
def get_lineage(
    built: ServicesOf,
    _: Caller,
    node_id: NodeIdOf,
    direction: Literal["upstream", "downstream", "both"] = "both",
    depth: Depth = 20,
    level: Literal["dataset", "column"] = "dataset",
    asOf: AsOf = None,
) -> Any:
    """What feeds a node, what it feeds, or both, as nodes and edges; as it was at a moment when asked."""
    return built.lineage.lineage(node_id, direction, depth, level, stamp(asOf)).to_json()


@router.get("/impact")
def get_impact(
    built: ServicesOf,
    _: Caller,
    node_id: NodeIdOf,
    depth: Depth = 20,
    asOf: AsOf = None,
    format: Literal["json", "csv"] = "json",
) -> Any:
    """What is affected downstream when the node changes or is lost, nearest first; `raw` while the raw value flows."""
    answer = built.lineage.impact(node_id, depth, stamp(asOf)).to_json()
    if format == "json":
        return answer
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow(("id", "type", "hops", "raw", "owners"))
    for item in answer["affected"]:
        writer.writerow((_text(item["id"]), item["type"], item["hops"], item["raw"], _text(" ".join(item["owners"]))))
    return Response(buffer.getvalue(), media_type="text/csv")


@router.get("/jobs/{namespace}/{name}")
def get_job(built: ServicesOf, _: Caller, namespace: Name, name: Name) -> Any:
    """A job: its runs, the last state, the commit it was built from, its SQL."""
    return built.lineage.job(f"job:{namespace}:{name}").to_json()


def stamp(as_of: str | None) -> str | None:
    """A time as lineage reads it, checked here so that the message names the parameter."""
    at = moment(as_of)
    return at.isoformat() if at else None


def _text(cell: str) -> str:
    """Text that a spreadsheet will not take for a formula."""
    return "'" + cell if cell[:1] in "=+-@\t\r" else cell
