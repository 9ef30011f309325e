"""`/views`: stream views, their rows, and operating them. Views are declared: `/declared/View`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.event_stream import event, event_stream
from api.edge.openapi import gives
from api.edge.parameters import Name, Text, refuse_repeated, refuse_unknown
from api.features.rights.client_config import connection
from api.features.rights.consumer_answers import ClientConfigurations
from api.features.views import answers
from api.features.views.changes import ViewChanges
from api.features.views.diff import ViewDiffs
from api.features.views.known import KnownViews
from api.features.views.removal import ViewRemovals
from api.features.views.rows import ViewRows
from api.features.views.rows_route import RowsRoute
from api.guard.guards import DECIDED, KNOWN, Caller, needs, signed_in
from api.guard.powers import Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from api.joins.views.service import Views
from api.visibility.readers import Readers
from catalog.errors import NotFound
from policies.query.service import GovernedQuery
from views.serving.wanted import PARAMETERS

PRINCIPAL = "YOUR-PRINCIPAL"
_READ_BY = (
    f"The brokers decide who reads the topic: write your principal in place of {PRINCIPAL} and a group of yours, and have its"
    " cluster grant it READ on both."
)
router = FeatureRouter("/views", tags=["views"])
first = FeatureRouter("/views", tolerant=True, tags=["views"], route_class=RowsRoute)
"""Rows by key are asked for by applications, hundreds of times a second. The endpoint refuses unknown parameters itself."""


class DiffBody(RequestBody):
    """A declaration that is compared with what runs."""

    spec: dict[str, object] | None = Field(None, description="As in `kind: View`; what is declared when absent.")


@router.get("", dependencies=[signed_in(KNOWN)])
def list_views(readers: From[Readers], caller: Caller) -> answers.Views:
    """Every view: its state, how far it is behind, and what ended it last."""
    return answers.Views(views=[answers.View.of(each) for each in readers.of(caller).views.all(caller)])


@router.get("/{name}", dependencies=[signed_in(KNOWN)])
def one(readers: From[Readers], caller: Caller, name: Name) -> answers.View:
    """One view."""
    return answers.View.of(readers.of(caller).views.describe(caller, name))


@router.get("/{name}/clients", dependencies=[signed_in(KNOWN)])
def clients(readers: From[Readers], caller: Caller, name: Name) -> answers.ViewClients:
    """Configurations of Kafka clients for the topic that a view writes, such as a masked copy. No secret is in them."""
    reader = readers.of(caller)
    sink = reader.views.describe(caller, name).spec.sink
    record = reader.store.cluster(sink.cluster) if sink is not None else None
    if sink is None or record is None:
        raise NotFound(f"The view {name} writes no topic for others; read its rows: GET /api/v1/views/{name}/rows.")
    given = connection(record, f"User:{PRINCIPAL}", sink.topic, ())
    return answers.ViewClients(
        cluster=sink.cluster, topic=sink.topic, text=_READ_BY, clients=ClientConfigurations.of(given)
    )


@first.get("/{name}/rows", dependencies=[signed_in(DECIDED, scope="query")])
def rows(
    request: Request,
    view_rows: From[ViewRows],
    known: From[KnownViews],
    caller: Caller,
    session: Session,
    name: Name,
    key: Annotated[list[Text] | None, Query(description="One key; of several columns a JSON list.")] = None,
    keys: Annotated[Text | None, Query(description="Several keys, between commas or as a JSON list.")] = None,
    prefix: Annotated[Text | None, Query(description="How the key begins: a text, or a JSON list of values.")] = None,
    from_: Annotated[Text | None, Query(alias="from", description="Least value of the first key column.")] = None,
    to: Annotated[Text | None, Query(description="Greatest value of the first key column.")] = None,
    where: Annotated[
        Text | None, Query(description="A condition of SQL over the columns.", examples=["total >= 10"])
    ] = None,
    limit: Annotated[Text | None, Query(description="Rows at most.")] = None,
    cursor: Annotated[Text | None, Query(description="`next` of the page before.")] = None,
    atLeast: Annotated[Text | None, Query(description="Source offsets that must be contained: 0:100,1:50")] = None,
    purpose: Annotated[Text | None, Query(description="What the rows are read for.")] = None,
) -> answers.ViewRows:
    """Rows by key, under the caller's decision: masked as in queries, conditions compared with what the caller sees."""
    known.require(caller, name)
    parameters = {each: request.query_params.getlist(each) for each in request.query_params}
    refuse_unknown(parameters, (*PARAMETERS, "atLeast", "purpose"))
    refuse_repeated(request.query_params, PARAMETERS)  # those are read as lists
    return view_rows.rows(caller, name, parameters, purpose, atLeast, session)


@router.get(
    "/{name}/changes",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_class=Response,
    responses=gives("text/event-stream", "Server-sent events."),
)
async def changes(
    request: Request,
    queries: From[GovernedQuery],
    view_changes: From[ViewChanges],
    known: From[KnownViews],
    caller: Caller,
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
    await run_in_threadpool(known.require, caller, name)
    live = queries.running.begin(caller, f"SELECT * FROM `{name}` EMIT CHANGES", purpose, streaming=True)
    live.signed_in = session

    def chunks() -> Iterator[bytes]:
        for events in view_changes.follow(caller, name, last_event_id or lastEventId, live):
            yield b"".join(event(each.type, each.data, each.id) for each in events)

    return await event_stream(request, queries.running, live, chunks)


@router.post("/{name}/pause", dependencies=[needs("manage")])
def pause(views: From[Views], caller: Caller, name: Name) -> answers.ViewAction:
    """Stop the stream and keep its state and rows."""
    views.pause(caller, name)
    return answers.ViewAction(name=name, action="pause")


@router.post("/{name}/resume", dependencies=[needs("manage")])
def resume(views: From[Views], caller: Caller, name: Name) -> answers.ViewAction:
    """Continue from where it was paused."""
    views.resume(caller, name)
    return answers.ViewAction(name=name, action="resume")


@router.post("/{name}/restart", dependencies=[needs("manage")])
def restart(views: From[Views], caller: Caller, name: Name) -> answers.ViewAction:
    """Start the stream again from its checkpoint, now."""
    views.restart(caller, name)
    return answers.ViewAction(name=name, action="restart")


@router.post("/{name}/rebuild", dependencies=[needs("manage")])
def rebuild(
    views: From[Views],
    caller: Caller,
    name: Name,
    from_: Annotated[
        Text | None, Query(alias="from", description="earliest, latest or a time, in place of the declared start.")
    ] = None,
) -> answers.ViewAction:
    """Build a new generation from the view's start, or from another; readers get it when it has caught up."""
    views.rebuild(caller, name, from_)
    return answers.ViewAction(name=name, action="rebuild")


@router.post("/{name}/diff", dependencies=[needs("manage")])
def diff(diffs: From[ViewDiffs], _: Caller, name: Name, body: DiffBody | None = None) -> answers.ViewDiff:
    """The running generation against the one that a changed declaration, or the decision of now, would build: SQL, columns,
    what breaks, who gains and who loses, and rows where both exist. Nothing is written."""
    return diffs.diff(name, body.spec if body is not None else None)


@router.get("/{name}/removal", dependencies=[needs("manage", scope="read")])
def removal(removals: From[ViewRemovals], caller: Caller, name: Name) -> answers.ViewRemoval:
    """What would go with a view if it was deleted, and who reads it. Deleting it: `DELETE /declared/View/{name}`."""
    return removals.removal(caller, name)
