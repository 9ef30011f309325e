"""`/events`: what happened, to read back or to follow, and how far each receiver was told."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from api.auth import Caller, Manager, ServicesOf
from api.routes.names import Limit, moment
from catalog.event_model import EventFilter

router = APIRouter(prefix="/events", tags=["events"])


@router.get("")
def list_events(
    built: ServicesOf,
    subject_of: Caller,
    type: Annotated[
        list[str] | None, Query(description="schema.changed, or a glob such as scan.*; several mean any of them.")
    ] = None,
    subject: Annotated[
        str | None, Query(description="What it is about: prod/orders, or a glob such as prod/*.")
    ] = None,
    since: Annotated[str | None, Query(description="Not before, RFC 3339.")] = None,
    after: Annotated[int | None, Query(ge=0, description="Read on after `next` of the answer before.")] = None,
    limit: Limit = 100,
) -> dict[str, Any]:
    """CloudEvents, newest first; with `after` oldest first, to follow.

    Events of schemas, scans, datasets and classifications are open to all; those of people's doings (access, grants,
    queries, masks) need the permission to read the audit.
    """
    open_only = "audit:read" not in built.identity.permissions(subject_of)
    where = EventFilter(tuple(type or ()), subject, moment(since, "since"), after, open_only)
    found = built.events.list(where, limit)
    newest = max((event.seq for event in found), default=after or 0)
    return {"events": [event.to_json(built.events.source) for event in found], "next": newest}


@router.get("/deliveries")
def deliveries(built: ServicesOf, _: Manager) -> dict[str, Any]:
    """Every receiver of events (the Kafka topic, each webhook): how far it was told, what it missed, why it fails."""
    return {"deliveries": built.events.deliveries()}
