"""`/events`: what happened, to read back or to follow, and how far each receiver was notified."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.edge.openapi import gives
from api.edge.parameters import Instant, Limit, SeqNo, Text
from api.features.events import answers
from api.features.events.service import VisibleEvents
from api.guard.credentials import Credential, Given, subject_of
from api.guard.guards import Caller, needs, signed_in
from api.guard.router import FeatureRouter
from api.guard.services import From, InstanceOf
from api.wiring.instance import Instance
from catalog.errors import WeirError
from catalog.event_model import EventFilter
from catalog.events.events import Events
from policies.access.identity import Identity

router = FeatureRouter("/events", tags=["events"])

_POLL_SECONDS = 1.0
"""How often the outbox is asked for what is new: one read by its key."""
_QUIET_SECONDS = 20.0
"""After so long without an event a comment is sent, so that proxies keep the connection open."""


@router.get("", dependencies=[signed_in("of access, grants and queries only with `audit:read`")])
def list_events(
    visible: From[VisibleEvents],
    identity: From[Identity],
    caller: Caller,
    type: Annotated[
        list[Text] | None, Query(description="schema.changed, or a glob such as scan.*; several mean any of them.")
    ] = None,
    subject: Annotated[
        Text | None, Query(description="What it is about: prod/orders, or a glob such as prod/*.")
    ] = None,
    since: Annotated[Instant | None, Query(description="Not before, RFC 3339.")] = None,
    after: Annotated[SeqNo | None, Query(description="Read on after `next` of the answer before.")] = None,
    limit: Limit = 100,
) -> answers.Events:
    """CloudEvents, newest first; with `after` oldest first, to follow.

    Events of schemas, scans, datasets and classifications are open to all; those of people's doings (access, grants,
    queries, masks) need the permission to read the audit.
    """
    open_only = "audit:read" not in identity.permissions(caller)
    where = EventFilter(tuple(type or ()), subject, since, after, open_only)
    events = visible.matching(caller, where, limit)
    newest = max((int(event.sequence) for event in events), default=after or 0)
    return answers.Events(events=events, next=newest)


@router.get("/deliveries", dependencies=[needs("manage", scope="read")])
def deliveries(events: From[Events]) -> answers.Deliveries:
    """Every receiver of events (the Kafka topic, each webhook): how far it was notified, what it missed, why it fails."""
    return answers.Deliveries(deliveries=[answers.delivery(state, behind) for state, behind in events.deliveries()])


@router.get(
    "/stream",
    dependencies=[signed_in("of access, grants and queries the caller's own, all with `audit:read`")],
    response_class=Response,
    responses=gives("text/event-stream", "Server-sent events."),
)
async def stream(
    request: Request,
    visible: From[VisibleEvents],
    instance: InstanceOf,
    given: Given,
    after: Annotated[SeqNo | None, Query(description="Continue after this sequence; from now on when absent.")] = None,
) -> Response:
    """Events as they happen, as server-sent events: what `/events` gives, and what concerns the caller's own requests.

    Of requests and grants a caller without `audit:read` gets those they asked for or may decide. It ends when the
    caller's token or session does.
    """
    return StreamingResponse(
        _follow(request, visible, instance, given, after),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _follow(
    request: Request, visible: VisibleEvents, instance: Instance, given: Credential, after: int | None
) -> AsyncIterator[bytes]:
    def look(since: int) -> tuple[list[answers.Event], int]:
        # As they are now: rights that were lost since the stream was opened count no more.
        return visible.since(subject_of(instance, given, use=False), since)

    at = await run_in_threadpool(visible.newest) if after is None else after
    quiet = 0.0
    yield b": following\n\n"
    while not await request.is_disconnected():
        try:
            events, at = await run_in_threadpool(look, at)
        except WeirError as error:
            yield _sse("error", {"code": error.code, "message": error.message})
            return
        for event in events:
            yield _sse("event", event.model_dump(mode="json"), int(event.sequence))
        quiet = 0.0 if events else quiet + _POLL_SECONDS
        if quiet >= _QUIET_SECONDS:
            quiet = 0.0
            yield b": nothing new\n\n"
        await asyncio.sleep(_POLL_SECONDS)


def _sse(kind: str, data: Any, id: int | None = None) -> bytes:
    name = f"id: {id}\n" if id is not None else ""
    return f"{name}event: {kind}\ndata: {json.dumps(data, default=str)}\n\n".encode()
