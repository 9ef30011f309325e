"""`/query`: governed SQL over topics."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response
from pydantic import Field

from api.edge.answer import RequestBody
from api.edge.cancel_on_disconnect import SentResponse, attended
from api.edge.event_stream import QUERY_ID, as_json, event, event_stream, refused
from api.edge.openapi import answers_with, gives
from api.edge.parameters import Count, Id, Place, SqlInAddress, Text
from api.formats import answers
from api.guard.guards import DECIDED, KNOWN, Caller, signed_in
from api.guard.powers import Session
from api.guard.services import InstanceOf
from api.http.schemas.queries import Completion as CompletionAnswer
from api.http.schemas.queries import Explanation
from api.http.schemas.queries import QueryCheck as QueryCheckAnswer
from api.wiring.instance import Instance
from catalog.errors import WeirError
from policies.model import OnUnreadable, Subject
from policies.plan.registry import Running
from policies.query.check import QueryCheck
from policies.query.complete import Completion
from policies.query.result import OpenAnswer
from policies.query.service import GovernedQuery

router = APIRouter(prefix="/query", tags=["queries"])


class Asked(RequestBody):
    """A question in SQL."""

    sql: str = Field(min_length=1, max_length=100_000, examples=["SELECT order_id, customer.email FROM prod.orders"])
    purpose: str | None = Field(None, max_length=253, description="Counts only with an active grant for that purpose.")
    limit: Count | None = Field(None, description="At most this many rows; 100 in JSON, all it may in other formats.")


class Question(Asked):
    """A question in SQL that can be cancelled by its id."""

    query_id: Id | None = Field(None, description="An id of your own, to cancel the query by while it runs.")


class OneQuestion(Question):
    """A question whose answer may have values that do not fit their column."""

    unreadable: OnUnreadable | None = Field(
        None, description="report: they are counted beside the answer; error: there is none. The setting when absent."
    )


class Draft(RequestBody):
    """SQL that is being written."""

    sql: str = Field(max_length=100_000)
    purpose: str | None = Field(None, max_length=253)


class Cursor(Draft):
    """SQL that is being written, and where the cursor is in it."""

    position: Place | None = Field(None, description="Characters before the cursor; the end when absent.")


@router.post(
    "",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_class=Response,
    responses=answers.RESPONSES,
)
async def run(
    request: Request,
    built: InstanceOf,
    subject: Caller,
    session: Session,
    body: OneQuestion,
    format: Annotated[answers.Form | None, Query(description="In place of the Accept header.")] = None,
    csv: Annotated[answers.CsvText, Query(description="Whether texts that a spreadsheet would run are defused.")] = (
        answers.CsvText.SAFE
    ),
) -> Response:
    """Run one SELECT, or SHOW, DESCRIBE, EXPLAIN. What the caller may not see is masked or refused, with the reasons.

    The header `X-Query-Id` of the answer is the id under which it ran. A client that closes the connection cancels.
    """
    form = answers.wanted(format, request.headers.get("accept"))
    live = built[GovernedQuery].running.begin(subject, body.sql, body.purpose, body.query_id)
    live.on_unreadable, live.signed_in = body.unreadable, session
    handed_over = False
    try:
        if form is not answers.Form.JSON:
            response = await _export(request, built, subject, body, live, form, csv)
            handed_over = True
            return response
        limit = body.limit if body.limit is not None else 100
        answer = await attended(
            request,
            live.stop,
            lambda: as_json(built[GovernedQuery].run(subject, body.sql, body.purpose, limit, live).to_json()),
        )
        return Response(answer, media_type="application/json", headers={QUERY_ID: live.id})
    except WeirError as error:
        return refused(error, live)
    finally:
        if not handed_over:
            built[GovernedQuery].running.end(live)


async def _export(
    request: Request,
    built: Instance,
    subject: Subject,
    body: Question,
    live: Running,
    form: answers.Form,
    text: answers.CsvText,
) -> Response:
    """The answer in another format: its head once the first rows are there, the rest as it comes."""
    stack = contextlib.ExitStack()
    limit = body.limit if body.limit is not None else built[GovernedQuery].settings.export_rows

    def begin() -> tuple[OpenAnswer, Iterator[bytes], bytes]:
        with contextlib.ExitStack() as opening:
            opened = opening.enter_context(
                built[GovernedQuery].open(subject, body.sql, body.purpose, limit, live, str(form))
            )
            chunks = answers.chunks(form, opened, live, text)
            first = next(chunks, b"")
            stack.enter_context(opening.pop_all())
        return opened, chunks, first

    opened, chunks, first = await attended(request, live.stop, begin)

    def done() -> None:
        try:
            stack.close()
        finally:
            built[GovernedQuery].running.end(live)

    def rest() -> Iterator[bytes]:
        yield first
        yield from chunks

    return SentResponse(
        request,
        live.stop,
        rest(),
        done,
        media_type=answers.MEDIA[form],
        headers={QUERY_ID: live.id, **answers.headers(form, opened, live)},
    )


@router.post(
    "/explain",
    dependencies=[signed_in(DECIDED, scope="query")],
    responses=answers_with(Explanation),
)
def explain(built: InstanceOf, subject: Caller, body: Asked) -> Any:
    """The decision for each column and what would be read; no data is touched."""
    return built[GovernedQuery].explain(subject, body.sql, body.purpose, body.limit)


@router.post(
    "/check",
    dependencies=[signed_in(DECIDED, scope="query")],
    responses=answers_with(QueryCheckAnswer),
)
def check(built: InstanceOf, subject: Caller, body: Draft) -> Any:
    """Whether a query could run, for editors: every problem with its place, what each column would show and its type.

    Nothing is read, and nothing is written to the audit.
    """
    return built[QueryCheck].check(subject, body.sql, body.purpose)


@router.post(
    "/complete",
    dependencies=[signed_in(KNOWN, scope="query")],
    responses=answers_with(CompletionAnswer),
)
def complete(built: InstanceOf, subject: Caller, body: Cursor) -> Any:
    """What may be written at the cursor: tables, columns and fields the caller may read, functions, keywords."""
    return built[Completion].complete(subject, body.sql, body.position, body.purpose)


@router.get(
    "/complete",
    dependencies=[signed_in(KNOWN, scope="query")],
    responses=answers_with(CompletionAnswer),
)
def complete_by_address(
    built: InstanceOf,
    subject: Caller,
    sql: SqlInAddress = "",
    position: Place | None = None,
    purpose: Text | None = None,
) -> Any:
    """The same for a short text."""
    return built[Completion].complete(subject, sql, position, purpose)


@router.get(
    "/stream",
    dependencies=[signed_in(DECIDED, scope="query")],
    response_class=Response,
    responses=gives("text/event-stream", "Server-sent events."),
)
async def stream(
    request: Request,
    built: InstanceOf,
    subject: Caller,
    session: Session,
    sql: Annotated[SqlInAddress, Query(min_length=1)],
    purpose: Text | None = None,
    query_id: Annotated[Id | None, Query(alias="queryId")] = None,
    unreadable: OnUnreadable | None = None,
) -> Response:
    """A query that ends with EMIT CHANGES, as server-sent events: `columns`, `rows`..., `unreadable`, `idle`, `end` or
    `error`."""
    live = built[GovernedQuery].running.begin(subject, sql, purpose, query_id, streaming=True)
    live.on_unreadable, live.signed_in = unreadable, session

    def chunks() -> Iterator[bytes]:
        events = built[GovernedQuery].stream(subject, sql, purpose, live)
        first = next(events, None)  # refusals are answered with their status, before the stream begins
        try:
            if first is not None:
                yield _event(first)
            for each in events:
                yield _event(each)
        except WeirError as error:
            yield _event({"type": "error", "code": error.code, "message": error.message, "details": error.details})
        finally:
            close = getattr(events, "close", None)
            if close is not None:
                close()

    return await event_stream(request, built[GovernedQuery].running, live, chunks)


def _event(data: Mapping[str, Any]) -> bytes:
    return event(str(data["type"]), data)
