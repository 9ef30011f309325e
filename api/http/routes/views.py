"""`/views`: stream views, their rows, and operating them. Views are declared: `/declared/View`."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from api.http.callers.auth import Caller, Manager, ServicesOf
from api.http.edge.openapi import answers_with
from api.http.edge.parameters import Name
from api.http.schemas.views import View, ViewAction, Views

router = APIRouter(prefix="/views", tags=["views"])


@router.get("", responses=answers_with(Views))
def views(built: ServicesOf, subject: Caller) -> Any:
    """Every view: its state, how far it is behind, and what ended it last."""
    return {"views": built.views.all()}


@router.get("/{name}", responses=answers_with(View))
def one(built: ServicesOf, subject: Caller, name: Name) -> Any:
    """One view."""
    return built.views.describe(name)


@router.post("/{name}/pause", responses=answers_with(ViewAction))
def pause(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Stop the stream and keep its state and rows."""
    return built.views.pause(subject, name)


@router.post("/{name}/resume", responses=answers_with(ViewAction))
def resume(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Go on from where it was paused."""
    return built.views.resume(subject, name)


@router.post("/{name}/restart", responses=answers_with(ViewAction))
def restart(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Start the stream again from its checkpoint, now."""
    return built.views.restart(subject, name)


@router.post("/{name}/rebuild", responses=answers_with(ViewAction))
def rebuild(built: ServicesOf, subject: Manager, name: Name) -> Any:
    """Build a new generation from the view's start; readers get it when it has caught up."""
    return built.views.rebuild(subject, name)
