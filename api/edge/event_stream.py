"""Server-sent events that are made on a thread, for as long as their reader stays: within the limits of push queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import orjson
from fastapi import Request
from fastapi.responses import JSONResponse, Response

from api.edge import errors
from api.edge.cancel_on_disconnect import SentResponse, attended
from catalog.errors import WeirError
from policies.plan.registry import Running, RunningQueries

QUERY_ID = "X-Query-Id"


async def event_stream(
    request: Request, running: RunningQueries, live: Running, begin: Callable[[], Iterator[bytes]]
) -> Response:
    """`begin` gives the encoded events; it and the first of them are answered with a status where they raise. `live` is
    ended with the stream."""

    def opened() -> tuple[Iterator[bytes], bytes]:
        chunks = begin()
        return chunks, next(chunks, b"")

    try:
        chunks, first = await attended(request, live.stop, opened)
    except WeirError as error:
        running.end(live)
        return refused(error, live)
    except BaseException:
        running.end(live)
        raise

    def rest() -> Iterator[bytes]:
        try:
            yield first
            yield from chunks
        finally:
            close = getattr(chunks, "close", None)
            if close is not None:
                close()

    return SentResponse(
        request,
        live.stop,
        rest(),
        lambda: running.end(live),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no", QUERY_ID: live.id},
    )


def refused(error: WeirError, live: Running) -> JSONResponse:
    """The one error body, with the id the query had."""
    return JSONResponse(
        errors.body(error.code, error.message, error.details),
        errors.status_of(error),
        headers=errors.headers_of(error) | {QUERY_ID: live.id},
    )


def as_json(data: Any) -> bytes:
    return orjson.dumps(data, default=str, option=orjson.OPT_NON_STR_KEYS)


def event(kind: str, data: Any, id: str | None = None) -> bytes:
    """One event as it is sent."""
    name = b"id: " + id.encode() + b"\n" if id is not None else b""
    return name + b"event: " + kind.encode() + b"\ndata: " + as_json(data) + b"\n\n"
