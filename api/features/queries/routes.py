"""`/query`: governed SQL over topics; `/queries`: what runs just now, and stopping it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import Response
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.cancel_on_disconnect import SentResponse, attended
from api.edge.event_stream import QUERY_ID, as_json, event, event_stream, refused
from api.edge.openapi import gives
from api.edge.parameters import Count, Id, Name, Place, SqlInAddress, Text
from api.features.queries import answers
from api.formats import answers as formats
from api.formats import left_out
from api.guard.guards import DECIDED, KNOWN, Caller, signed_in
from api.guard.powers import Session
from api.guard.router import FeatureRouter
from api.guard.services import From
from catalog.errors import WeirError
from policies.access.identity import Identity
from policies.audit.log import AuditLog
from policies.decision.agents import most_rows
from policies.model import OnUnreadable, RecordWindow, Subject
from policies.plan.query_board import AllQueries
from policies.plan.registry import Running
from policies.plan.seen_query import ENDED
from policies.query.check import QueryCheck
from policies.query.complete import Completion
from policies.query.result import OpenAnswer, QueryAnswer
from policies.query.service import GovernedQuery

router = FeatureRouter(tags=["queries"])

ANSWERS: dict[int | str, dict[str, object]] = {
    200: {
        "description": "Columns, rows and the decision behind them; or the rows in another format.",
        "model": answers.QueryAnswer,
        "content": {media: {} for media in formats.OTHER_MEDIA},
    }
}


class ExplainBody(RequestBody):
    """A question in SQL."""

    sql: str = Field(min_length=1, max_length=100_000, examples=["SELECT order_id, customer.email FROM prod.orders"])
    purpose: str | None = Field(None, max_length=253, description="Counts only with an active grant for that purpose.")
    limit: Count | None = Field(None, description="At most this many rows; 100 in JSON, all it may in other formats.")
    window: RecordWindow = Field(
        RecordWindow.NEWEST,
        description="Which records of a topic are read where no time and no offsets are behind it: the newest, as many as"
        " the setting window_records allows, or all.",
    )


class QueryBody(ExplainBody):
    """A question in SQL that can be cancelled by its id, and whose answer may have values that do not fit their column."""

    query_id: Id | None = Field(None, description="An id of your own, to cancel the query by while it runs.")

    unreadable: OnUnreadable | None = Field(
        None, description="report: they are counted beside the answer; error: there is none. The setting when absent."
    )


class CheckBody(RequestBody):
    """SQL that is being written."""

    sql: str = Field(max_length=100_000)
    purpose: str | None = Field(None, max_length=253)


class CompletionBody(CheckBody):
    """SQL that is being written, and where the cursor is in it."""

    position: Place | None = Field(None, description="Characters before the cursor; the end when absent.")


@router.post(
    "/query",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_class=Response,
    responses=ANSWERS,
)
async def run(
    request: Request,
    queries: From[GovernedQuery],
    caller: Caller,
    session: Session,
    body: QueryBody,
    format: Annotated[formats.Form | None, Query(description="In place of the Accept header.")] = None,
    csv: Annotated[formats.CsvText, Query(description="Whether texts that a spreadsheet would run are defused.")] = (
        formats.CsvText.SAFE
    ),
) -> Response:
    """Run one SELECT, or SHOW, DESCRIBE, EXPLAIN. What the caller may not see is masked or refused, with the reasons.

    The header `X-Query-Id` of the answer is the id under which it ran. A client that closes the connection cancels.
    """
    form = formats.requested(format, request.headers.get("accept"))
    live = queries.running.begin(caller, body.sql, body.purpose, body.query_id)
    live.on_unreadable, live.signed_in, live.window = body.unreadable, session, body.window
    handed_over = False
    try:
        if form is not formats.Form.JSON:
            response = await _export(request, queries, caller, body, live, form, csv)
            handed_over = True
            return response
        limit = body.limit if body.limit is not None else most_rows(caller, 100)
        answer = await attended(
            request,
            live.stop,
            lambda: as_json(_with_left_out(queries.run(caller, body.sql, body.purpose, limit, live), limit, live)),
        )
        return Response(answer, media_type="application/json", headers={QUERY_ID: live.id})
    except WeirError as error:
        return refused(error, live)
    finally:
        if not handed_over:
            queries.running.end(live)


def _with_left_out(answer: QueryAnswer, limit: int, live: Running) -> dict[str, object]:
    cut = answer.partial["limit"] if answer.partial else None
    live.left_out = left_out.parts(answer.window, answer.decision, cut, limit, live.window)
    return {**answer.to_json(), "leftOut": live.left_out}


async def _export(
    request: Request,
    queries: GovernedQuery,
    caller: Subject,
    body: QueryBody,
    live: Running,
    form: formats.Form,
    text: formats.CsvText,
) -> Response:
    """The answer in another format: its head once the first rows are there, the rest as it comes."""
    stack = contextlib.ExitStack()
    limit = body.limit if body.limit is not None else most_rows(caller, queries.settings.export_rows)

    def begin() -> tuple[OpenAnswer, Iterator[bytes], bytes]:
        with contextlib.ExitStack() as opening:
            opened = opening.enter_context(queries.open(caller, body.sql, body.purpose, limit, live, str(form)))
            chunks = formats.chunks(form, opened, live, text)
            first = next(chunks, b"")
            stack.enter_context(opening.pop_all())
        return opened, chunks, first

    opened, chunks, first = await attended(request, live.stop, begin)

    def done() -> None:
        try:
            stack.close()
        finally:
            queries.running.end(live)

    def rest() -> Iterator[bytes]:
        yield first
        yield from chunks

    return SentResponse(
        request,
        live.stop,
        rest(),
        done,
        media_type=formats.MEDIA[form],
        headers={QUERY_ID: live.id, **formats.headers(form, opened, live)},
    )


@router.post(
    "/query/explain",
    dependencies=[signed_in(DECIDED, scope="query")],
)
def explain(queries: From[GovernedQuery], caller: Caller, body: ExplainBody) -> answers.Explanation:
    """The decision for each column and what would be read; no data is touched."""
    return answers.Explanation.model_validate(queries.explain(caller, body.sql, body.purpose, body.limit, body.window))


@router.post(
    "/query/check",
    dependencies=[signed_in(DECIDED, scope="query")],
)
def check(checks: From[QueryCheck], caller: Caller, body: CheckBody) -> answers.QueryCheck:
    """Whether a query could run, for editors: every problem with its place, what each column would show and its type.

    Nothing is read, and nothing is written to the audit.
    """
    return answers.QueryCheck.of(checks.check(caller, body.sql, body.purpose))


@router.post(
    "/query/complete",
    dependencies=[signed_in(KNOWN, scope="query")],
)
def complete(completion: From[Completion], caller: Caller, body: CompletionBody) -> answers.Completion:
    """What may be written at the cursor: tables, columns and fields the caller may read, functions, keywords."""
    return answers.Completion.of(completion.complete(caller, body.sql, body.position, body.purpose))


@router.get(
    "/query/complete",
    dependencies=[signed_in(KNOWN, scope="query")],
)
def complete_by_address(
    completion: From[Completion],
    caller: Caller,
    sql: SqlInAddress = "",
    position: Place | None = None,
    purpose: Text | None = None,
) -> answers.Completion:
    """The same for a short text."""
    return answers.Completion.of(completion.complete(caller, sql, position, purpose))


@router.get(
    "/query/stream",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_class=Response,
    responses=gives("text/event-stream", "Server-sent events."),
)
async def stream(
    request: Request,
    queries: From[GovernedQuery],
    caller: Caller,
    session: Session,
    sql: Annotated[SqlInAddress, Query(min_length=1)],
    purpose: Text | None = None,
    query_id: Annotated[Id | None, Query(alias="queryId")] = None,
    unreadable: OnUnreadable | None = None,
) -> Response:
    """A query that ends with EMIT CHANGES, as server-sent events: `columns`, `rows`..., `unreadable`, `idle`, `end` or
    `error`."""
    live = queries.running.begin(caller, sql, purpose, query_id, streaming=True)
    live.on_unreadable, live.signed_in = unreadable, session

    def chunks() -> Iterator[bytes]:
        events = queries.stream(caller, sql, purpose, live)
        first = next(events, None)  # refusals are answered with their status, before the stream begins
        try:
            if first is not None:
                yield _event(first)
            for each in events:
                yield _event(each)
        except WeirError as error:
            yield _event({"type": "error", **error.parts()})
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()

    return await event_stream(request, queries.running, live, chunks)


def _event(data: Mapping[str, object]) -> bytes:
    return event(str(data["type"]), data)


@router.get("/queries", dependencies=[signed_in("everybody's with `manage`", scope="query", agents=True)])
def running(queries: From[AllQueries], identity: From[Identity], caller: Caller) -> answers.RunningQueries:
    """The caller's queries that wait, run or stream; everybody's for those who manage. Literals of others are hidden, and of
    what another process of Weir runs."""
    live = queries.list(caller, identity.manages(caller))
    return answers.RunningQueries(queries=[answers.RunningQuery.of(each, caller.user) for each in live])


@router.get("/queries/{id}", dependencies=[signed_in("anybody's with `manage`", scope="query", agents=True)])
def get_query(
    queries: From[AllQueries], identity: From[Identity], caller: Caller, id: Name
) -> answers.EndedQuery | answers.RunningQuery:
    """A query of one's own that runs or ended lately: what went out, and the values in it that do not fit (`unreadable`)."""
    return answers.running_or_ended(queries.find(caller, id, identity.manages(caller)), caller.user)


@router.delete("/queries/{id}", dependencies=[signed_in("anybody's with `manage`", scope="query", agents=True)])
def cancel(
    queries: From[AllQueries], identity: From[Identity], audit: From[AuditLog], caller: Caller, id: Name
) -> answers.CancelledQuery:
    """Stop a query of one's own, or any for those who manage. A client that waits for its answer gets 409, query_cancelled.

    `state` is `cancelled` when it has ended, `stopping` while the engine still works on it; `GET /queries/{id}` shows the
    end.
    """
    query = queries.cancel(caller, id, identity.manages(caller))
    audit.record_by(caller, "query.cancel", ", ".join(query.datasets) or "(no dataset)", "allow", [query.id])
    return answers.CancelledQuery(
        id=query.id, user=query.user, state="cancelled" if query.state == ENDED else query.state
    )
