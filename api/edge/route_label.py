"""The name of a request's route, for metrics, spans and logs."""

from __future__ import annotations

from starlette.types import Scope

PREFIX = "/api/v1"
"""Where the routes of the API are."""


def route_label(scope: Scope) -> str:
    """The route's template, never the path itself: names of topics and people stay out of what is written of requests."""
    template = getattr(scope.get("route"), "path", None)
    if template is None:
        return "other"
    # A route of an included router knows its template without the prefix.
    return (
        f"{PREFIX}{template}" if scope["path"].startswith(PREFIX) and not template.startswith(PREFIX) else str(template)
    )
