"""`POST /lineage`, `POST /lineage/batch`: events of producers."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool

from api.config.settings import Settings
from api.edge.content_encoding import decoded
from api.edge.openapi import takes
from api.features.lineage.answers.events import BatchResult, batch_result_of
from api.guard.router import FeatureRouter
from api.guard.senders import EVENT_SENDER
from api.guard.services import From
from catalog.errors import InvalidInput
from lineage.ingest.codec import decode
from lineage.ingest.service import Ingest

_one = FeatureRouter("/lineage", tags=["lineage"], tolerant=True)
"""Producers put parameters of their own into the address where they like."""
_many = FeatureRouter("/lineage", tags=["lineage"])

_EVENT = {"type": "object", "additionalProperties": True, "description": "An OpenLineage event."}
_READ_AT_ONCE = 32 * 1024
"""Bytes of an event that is read where it arrives: a turn of a thread would cost more than reading it."""


@_one.post(
    "",
    dependencies=[EVENT_SENDER],
    status_code=201,
    response_class=Response,
    openapi_extra=takes("application/json", schema=_EVENT),
)
async def post_event(request: Request, ingest: From[Ingest], settings: From[Settings]) -> Response:
    """Take one OpenLineage event (RunEvent, JobEvent or DatasetEvent). 201 means it is durable; the graph follows."""
    raw = await _json(request, settings)
    if ingest.ready and "content-encoding" not in request.headers and len(await request.body()) <= _READ_AT_ONCE:
        await asyncio.wrap_future(ingest.begin(raw))
    else:
        await run_in_threadpool(ingest.post, raw)
    return Response(status_code=201)


@_many.post(
    "/batch",
    dependencies=[EVENT_SENDER],
    openapi_extra=takes("application/json", schema={"type": "array", "items": _EVENT}),
)
async def post_batch(request: Request, ingest: From[Ingest], settings: From[Settings]) -> BatchResult:
    """Take a list of events; the answer lists which were refused and why."""
    raw = await _json(request, settings)
    if not isinstance(raw, list):
        raise InvalidInput("A batch is a JSON list of OpenLineage events.")
    return batch_result_of(await run_in_threadpool(ingest.post_batch, raw))


async def _json(request: Request, settings: Settings) -> Any:
    body, encoding = await request.body(), request.headers.get("content-encoding")
    if encoding:
        body = await run_in_threadpool(decoded, body, encoding, settings.api.max_body_mb * 1024 * 1024)
    return decode(body)


router = APIRouter()
router.include_router(_one)
router.include_router(_many)
