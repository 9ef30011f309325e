"""`/events`: what happened, to read back or to follow, and how far each receiver was notified."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.edge.openapi import answers_with, gives
from api.edge.parameters import Instant, Limit, SeqNo, Text
from api.guard.credentials import Credential, Given, subject_of
from api.guard.guards import Caller, needs, signed_in
from api.guard.services import InstanceOf
from api.http.schemas.events import Deliveries
from api.http.schemas.events import Events as EventsAnswer
from api.visibility import sight
from api.visibility.readers import Readers
from api.visibility.sight import SightRules
from api.wiring.instance import Instance
from catalog.datasets.datasets import Datasets
from catalog.errors import NotFound, WeirError
from catalog.event_model import Event, EventFilter
from catalog.events.events import Events
from policies.access.identity import Identity
from policies.decision.visibility import NOTHING, Aspect, Known
from policies.model import Subject
from policies.requests.approvals import Approvals

router = APIRouter(prefix="/events", tags=["events"])


@router.get(
    "",
    dependencies=[signed_in("of access, grants and queries only with `audit:read`")],
    responses=answers_with(EventsAnswer),
)
def list_events(
    built: InstanceOf,
    subject_of: Caller,
    type: Annotated[
        list[Text] | None, Query(description="schema.changed, or a glob such as scan.*; several mean any of them.")
    ] = None,
    subject: Annotated[
        Text | None, Query(description="What it is about: prod/orders, or a glob such as prod/*.")
    ] = None,
    since: Annotated[Instant | None, Query(description="Not before, RFC 3339.")] = None,
    after: Annotated[SeqNo | None, Query(description="Read on after `next` of the answer before.")] = None,
    limit: Limit = 100,
) -> dict[str, Any]:
    """CloudEvents, newest first; with `after` oldest first, to follow.

    Events of schemas, scans, datasets and classifications are open to all; those of people's doings (access, grants,
    queries, masks) need the permission to read the audit.
    """
    open_only = "audit:read" not in built[Identity].permissions(subject_of)
    where = EventFilter(tuple(type or ()), subject, since, after, open_only)
    events = _known(built, subject_of, where, limit)
    newest = max((event.seq for event in events), default=after or 0)
    seen = _Sighted(built, subject_of)
    return {"events": [seen.shown(event) for event in events], "next": newest}


@router.get("/deliveries", dependencies=[needs("manage", scope="read")], responses=answers_with(Deliveries))
def deliveries(built: InstanceOf, _: Caller) -> dict[str, Any]:
    """Every receiver of events (the Kafka topic, each webhook): how far it was notified, what it missed, why it fails."""
    return {"deliveries": built[Events].deliveries()}


_POLL_SECONDS = 1.0
"""How often the outbox is asked for what is new: one read by its key."""
_QUIET_SECONDS = 20.0
"""After so long without an event a comment is sent, so that proxies keep the connection open."""


@router.get(
    "/stream",
    dependencies=[signed_in("of access, grants and queries the caller's own, all with `audit:read`")],
    response_class=Response,
    responses=gives("text/event-stream", "Server-sent events."),
)
async def stream(
    request: Request,
    built: InstanceOf,
    _: Caller,
    given: Given,
    after: Annotated[SeqNo | None, Query(description="Continue after this sequence; from now on when absent.")] = None,
) -> Response:
    """Events as they happen, as server-sent events: what `/events` gives, and what concerns the caller's own requests.

    Of requests and grants a caller without `audit:read` gets those they asked for or may decide. It ends when the
    caller's token or session does.
    """
    return StreamingResponse(
        _follow(request, built, given, after),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


async def _follow(request: Request, built: Instance, given: Credential, after: int | None) -> AsyncIterator[bytes]:
    def newest() -> int:
        return max((event.seq for event in built[Events].list(EventFilter(), 1)), default=0)

    def look(since: int) -> tuple[Sequence[Event], int, Subject]:
        # As they are now: rights that were lost since the stream was opened count no more.
        who = subject_of(built, given, use=False)
        events = built[Events].list(EventFilter(after=since), 100)
        horizon = _Horizon(built, who)
        seen = [e for e in events if _may_see(built, who, e) and (horizon.shows(e) or _is_own(who, e))]
        return seen, max((e.seq for e in events), default=since), who

    at = await run_in_threadpool(newest) if after is None else after
    quiet = 0.0
    yield b": following\n\n"
    while not await request.is_disconnected():
        try:
            events, at, who = await run_in_threadpool(look, at)
        except WeirError as error:
            yield _sse("error", {"code": error.code, "message": error.message})
            return
        for event in events:
            yield _sse("event", await run_in_threadpool(_Sighted(built, who).shown, event), event.seq)
        quiet = 0.0 if events else quiet + _POLL_SECONDS
        if quiet >= _QUIET_SECONDS:
            quiet = 0.0
            yield b": nothing new\n\n"
        await asyncio.sleep(_POLL_SECONDS)


def _known(built: Instance, subject: Subject, where: EventFilter, limit: int) -> Sequence[Event]:
    """Events of what the subject may know of: as many as asked for, where there are so many."""
    horizon, most = _Horizon(built, subject), limit
    while True:
        listed = built[Events].list(where, most)
        kept = [event for event in listed if horizon.shows(event)]
        if len(kept) >= limit or len(listed) < most:
            return kept[:limit]
        most *= 4


_ASPECTS = (
    ("weir.schema.", Aspect.SCHEMA),
    ("weir.classification.", Aspect.EVIDENCE),
    ("weir.mask.leak", Aspect.EVIDENCE),
)
"""What events of a type are about."""


class _Horizon:
    """Which events name nothing that a reader may not know of."""

    def __init__(self, built: Instance, subject: Subject) -> None:
        self._built, self._reader = built, built[Readers].of(subject)
        self._known: dict[str, Known] = {}

    def shows(self, event: Event) -> bool:
        if self._reader.horizon is None:
            return True
        if self._reader.mentions_hidden([event.subject, event.data]):
            return False
        aspect = next((each for begun, each in _ASPECTS if event.type.startswith(begun)), None)
        return aspect is None or self._of(event.subject).of(aspect)

    def _of(self, reference: str) -> Known:
        if reference not in self._known:
            try:
                record = self._built[Datasets].get(self._built[Datasets].find(reference))
                self._known[reference] = self._reader.known(record)
            except WeirError:
                self._known[reference] = NOTHING
        return self._known[reference]


def _is_own(subject: Subject, event: Event) -> bool:
    """Of the subject's own requests and grants: they know what they asked for."""
    return not event.is_open and subject.user in (event.data.get("requester"), event.data.get("user"))


class _Sighted:
    """Events as one reader sees them: without what counts the records of a dataset of which some are hidden."""

    def __init__(self, built: Instance, subject: Subject) -> None:
        self._built, self._sights = built, built[SightRules].of(subject)
        self._cuts = built[Readers].of(subject).horizon is not None
        self._known: dict[str, sight.Sight] = {}

    def shown(self, event: Event) -> dict[str, Any]:
        row = event.to_json(self._built[Events].source)
        dataset = row["data"].get("dataset") if isinstance(row.get("data"), Mapping) else None
        if self._sights.unbounded:
            return row
        if event.type.startswith("weir.scan.") and "scan" not in self._sights.permissions:
            row["data"] = sight.without_counts(row["data"], sight.Sight())
            if self._cuts:  # how many datasets a scan met counts those that the reader may not know of
                row["data"] = {name: row["data"].get(name) for name in ("cluster", "requestedBy")}
            return row
        if not isinstance(dataset, str):
            return row
        if dataset not in self._known:
            self._known[dataset] = self._of(dataset)
        return {**row, "data": sight.without_counts(row["data"], self._known[dataset])}

    def _of(self, dataset: str) -> sight.Sight:
        try:
            return self._sights.of(self._built[Datasets].get(self._built[Datasets].find(dataset)))
        except WeirError:
            return sight.Sight()


def _sse(kind: str, data: Any, id: int | None = None) -> bytes:
    name = f"id: {id}\n" if id is not None else ""
    return f"{name}event: {kind}\ndata: {json.dumps(data, default=str)}\n\n".encode()


def _may_see(built: Instance, subject: Subject, event: Event) -> bool:
    """Open events, everything for auditors, and what is of the subject's own: their requests, grants and decisions."""
    if event.is_open or "audit:read" in built[Identity].permissions(subject):
        return True
    users = event.data.get("user")
    users_named = {event.data.get("requester"), *(users if isinstance(users, list) else [users])}
    if subject.user in users_named:
        return True
    if not event.type.startswith(("weir.access.", "weir.breakglass.")):
        return False
    try:
        built[Approvals].get(subject, event.subject)
    except NotFound:
        return False
    return True
