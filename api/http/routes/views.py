"""`/views`: stream views, their rows, and operating them. Views are declared: `/declared/View`."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request

from api.http.callers.auth import Caller, Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Name, Text
from api.http.schemas.views import View, ViewAction, ViewRows, Views

router = APIRouter(prefix="/views", tags=["views"])


@router.get("", responses=answers_with(Views))
def views(built: ServicesOf, subject: Caller) -> Any:
    """Every view: its state, how far it is behind, and what ended it last."""
    return {"views": built.views.all(subject)}


@router.get("/{name}", responses=answers_with(View))
def one(built: ServicesOf, subject: Caller, name: Name) -> Any:
    """One view."""
    return built.views.describe(subject, name)


@router.get("/{name}/rows", responses=answers_with(ViewRows))
def rows(
    request: Request,
    built: ServicesOf,
    subject: Caller,
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
    parameters = {each: request.query_params.getlist(each) for each in request.query_params}
    return built.view_rows.rows(subject, name, parameters, purpose, atLeast)


@router.post("/{name}/pause", responses=answers_with(ViewAction))
def pause(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Stop the stream and keep its state and rows."""
    return built.views.pause(subject, name)


@router.post("/{name}/resume", responses=answers_with(ViewAction))
def resume(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Continue from where it was paused."""
    return built.views.resume(subject, name)


@router.post("/{name}/restart", responses=answers_with(ViewAction))
def restart(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Start the stream again from its checkpoint, now."""
    return built.views.restart(subject, name)


@router.post("/{name}/rebuild", responses=answers_with(ViewAction))
def rebuild(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Build a new generation from the view's start; readers get it when it has caught up."""
    return built.views.rebuild(subject, name)
