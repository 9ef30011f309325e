"""`/views`: stream views, their rows, and operating them. Views are declared: `/declared/View`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.event_stream import event, event_stream
from api.edge.openapi import answers_with, gives
from api.edge.parameters import Name, Text, refuse_unknown
from api.guard.guards import DECIDED, KNOWN, Caller, needs, signed_in
from api.guard.powers import Session
from api.guard.services import InstanceOf
from api.http.routes.direct import DirectRoute
from api.http.schemas.views import View, ViewAction, ViewDiff, ViewRemoval
from api.http.schemas.views import ViewRows as ViewRowsAnswer
from api.http.schemas.views import Views as ViewsAnswer
from api.joins.views.changes import ViewChanges
from api.joins.views.diff import ViewDiffs
from api.joins.views.removal import ViewRemovals
from api.joins.views.rows import ViewRows
from api.joins.views.service import Views
from api.visibility.readers import Readers
from api.wiring.instance import Instance
from policies.model import Subject
from policies.query.service import GovernedQuery
from views.serving.wanted import PARAMETERS

router = APIRouter(prefix="/views", tags=["views"])
often = APIRouter(prefix="/views", tags=["views"], route_class=DirectRoute)
"""Rows by key are asked for by applications, hundreds of times a second."""


class ComparedView(RequestBody):
    """A declaration that is compared with what runs."""

    spec: dict[str, Any] | None = Field(None, description="As in `kind: View`; what is declared when absent.")


def require_known(built: Instance, subject: Subject, name: str) -> None:
    """A view that the caller may not know of is not there. Raises NotFound."""
    reader = built[Readers].of(subject)
    if reader.horizon is not None:
        reader.views.find(name)


@router.get("", dependencies=[signed_in(KNOWN)], responses=answers_with(ViewsAnswer))
def views(built: InstanceOf, subject: Caller) -> Any:
    """Every view: its state, how far it is behind, and what ended it last."""
    return {"views": built[Readers].of(subject).views.all(subject)}


@router.get("/{name}", dependencies=[signed_in(KNOWN)], responses=answers_with(View))
def one(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """One view."""
    return built[Readers].of(subject).views.describe(subject, name)


@often.get(
    "/{name}/rows",
    dependencies=[signed_in(DECIDED, scope="query")],
    responses=answers_with(ViewRowsAnswer),
)
def rows(
    request: Request,
    built: InstanceOf,
    subject: Caller,
    session: Session,
    name: Name,
    key: Annotated[list[Text] | None, Query(description="One key; of several columns a JSON list.")] = None,
    keys: Annotated[Text | None, Query(description="Several keys, between commas or as a JSON list.")] = None,
    prefix: Annotated[Text | None, Query(description="How the key begins: a text, or a JSON list of values.")] = None,
    from_: Annotated[Text | None, Query(alias="from", description="Least value of the first key column.")] = None,
    to: Annotated[Text | None, Query(description="Greatest value of the first key column.")] = None,
    where: Annotated[Text | None, Query(description="Comparisons joined by AND.", examples=["total >= 10"])] = None,
    limit: Annotated[Text | None, Query(description="Rows at most.")] = None,
    cursor: Annotated[Text | None, Query(description="`next` of the page before.")] = None,
    atLeast: Annotated[Text | None, Query(description="Source offsets that must be contained: 0:100,1:50")] = None,
    purpose: Annotated[Text | None, Query(description="What the rows are read for.")] = None,
) -> Any:
    """Rows by key, under the caller's decision: masked as in queries, conditions compared with what the caller sees."""
    require_known(built, subject, name)
    parameters = {each: request.query_params.getlist(each) for each in request.query_params}
    refuse_unknown(parameters, (*PARAMETERS, "atLeast", "purpose"))
    return built[ViewRows].rows(subject, name, parameters, purpose, atLeast, session)


@router.get(
    "/{name}/changes",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_class=Response,
    responses=gives("text/event-stream", "Server-sent events."),
)
async def changes(
    request: Request,
    built: InstanceOf,
    subject: Caller,
    session: Session,
    name: Name,
    last_event_id: Annotated[Text | None, Header(description="The id of the last event you have.")] = None,
    lastEventId: Annotated[Text | None, Query(description="The same, for clients that send no header.")] = None,
    purpose: Annotated[Text | None, Query(description="What the rows are read for.")] = None,
) -> Response:
    """The rows of a view and then every change, as server-sent events, under the caller's decision: `snapshot` (pages of
    rows, `last` in the last of them), `upsert`, `delete`, `freshness`, `generation`, `resumed`, `end`.

    The decision is taken again while the stream is open; it ends within seconds of a right that ends. It counts as a push
    query: it is in `/queries`, and can be cancelled by `X-Query-Id`.
    """
    await run_in_threadpool(require_known, built, subject, name)
    live = built[GovernedQuery].running.begin(subject, f"SELECT * FROM `{name}` EMIT CHANGES", purpose, streaming=True)
    live.signed_in = session

    def chunks() -> Iterator[bytes]:
        for events in built[ViewChanges].follow(subject, name, last_event_id or lastEventId, live):
            yield b"".join(event(each.type, each.data, each.id) for each in events)

    return await event_stream(request, built[GovernedQuery].running, live, chunks)


@router.post("/{name}/pause", dependencies=[needs("manage")], responses=answers_with(ViewAction))
def pause(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Stop the stream and keep its state and rows."""
    return built[Views].pause(subject, name)


@router.post("/{name}/resume", dependencies=[needs("manage")], responses=answers_with(ViewAction))
def resume(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Continue from where it was paused."""
    return built[Views].resume(subject, name)


@router.post("/{name}/restart", dependencies=[needs("manage")], responses=answers_with(ViewAction))
def restart(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """Start the stream again from its checkpoint, now."""
    return built[Views].restart(subject, name)


@router.post("/{name}/rebuild", dependencies=[needs("manage")], responses=answers_with(ViewAction))
def rebuild(
    built: InstanceOf,
    subject: Caller,
    name: Name,
    from_: Annotated[
        Text | None, Query(alias="from", description="earliest, latest or a time, in place of the declared start.")
    ] = None,
) -> Any:
    """Build a new generation from the view's start, or from another; readers get it when it has caught up."""
    return built[Views].rebuild(subject, name, from_)


@router.post("/{name}/diff", dependencies=[needs("manage")], responses=answers_with(ViewDiff))
def diff(built: InstanceOf, subject: Caller, name: Name, body: ComparedView | None = None) -> Any:
    """The running generation against the one that a changed declaration, or the decision of now, would build: SQL, columns,
    what breaks, who gains and who loses, and rows where both exist. Nothing is written."""
    return built[ViewDiffs].diff(name, body.spec if body is not None else None)


@router.get("/{name}/removal", dependencies=[needs("manage", scope="read")], responses=answers_with(ViewRemoval))
def removal(built: InstanceOf, subject: Caller, name: Name) -> Any:
    """What would go with a view if it was deleted, and who reads it. Deleting it: `DELETE /declared/View/{name}`."""
    return built[ViewRemovals].removal(subject, name)
