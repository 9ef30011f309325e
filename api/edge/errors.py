"""The only table from errors to HTTP: one body `{"error": {"code", "message", "details"}}` for every failure."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.config.logs import frames
from api.edge.content_encoding import ExpandedTooLargeError
from api.edge.methods import TakenMethods
from api.edge.route_label import route_label
from catalog.errors import (
    Conflict,
    InvalidInput,
    LimitExceeded,
    NotAllowed,
    NotFound,
    NotSignedIn,
    SettingsError,
    Unavailable,
    WeirError,
)
from catalog.problem_words import place_in, plain_problem
from policies.plan.errors import ValuesUnreadable

STATUS: dict[type[WeirError], int] = {
    NotSignedIn: 401,
    NotAllowed: 403,
    NotFound: 404,
    Conflict: 409,
    LimitExceeded: 429,
    InvalidInput: 400,
    ExpandedTooLargeError: 413,
    ValuesUnreadable: 422,
    Unavailable: 503,
    SettingsError: 500,
    WeirError: 500,
}

HTTP_CODES = {404: "not_found", 405: "method_not_allowed", 413: "too_large", 415: "unsupported_media_type"}

log = structlog.get_logger("weir.api")


class TooLargeError(Exception):
    """A request's body became larger than the limit while it was read."""


class CutShortError(Exception):
    """The rest of an answer will not come: something failed after its head was sent."""


def status_of(error: WeirError) -> int:
    """The HTTP status of an error: that of its nearest ancestor in the table."""
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def body(code: str, message: str, details: Any = None) -> dict[str, object]:
    """The one error body."""
    return {"error": {"code": code, "message": message, "details": details or {}}}


def headers_of(error: WeirError) -> dict[str, str]:
    """The headers that belong to an error: how to sign in, when to ask again."""
    again, metadata = error.details.get("retryAfter"), error.details.get("resourceMetadata")
    where = f' resource_metadata="{metadata}"' if metadata else ""
    return ({"WWW-Authenticate": f"Bearer{where}"} if isinstance(error, NotSignedIn) else {}) | (
        {"Retry-After": str(again)} if isinstance(again, int) else {}
    )


def install(app: FastAPI) -> None:
    """Give every failure of an application the one body."""

    @app.exception_handler(WeirError)
    async def known(request: Request, error: WeirError) -> JSONResponse:
        return known_failure(route_label(request.scope), error)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [problem_of(each, error.body) for each in error.errors()]
        first = problems[0] if problems else {"field": "body", "problem": "cannot be read"}
        message = f"{first['field']}: {first['problem']}."
        return JSONResponse(body("invalid_input", message, {"fields": problems}), 400)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> JSONResponse:
        if error.status_code == 405:
            return wrong_method(request)
        if error.status_code == 400:  # the one that FastAPI raises: JSON that its reader gives up on
            return JSONResponse(body("invalid_input", "body: it cannot be read as JSON; is it nested too deeply?"), 400)
        code = HTTP_CODES.get(error.status_code, "http_error")
        message = f"There is nothing at {request.url.path}." if error.status_code == 404 else str(error.detail)
        return JSONResponse(body(code, message), error.status_code, headers=error.headers)

    @app.exception_handler(Exception)
    async def unknown(request: Request, error: Exception) -> JSONResponse:
        return unexpected(route_label(request.scope), error)


def wrong_method(request: Request) -> JSONResponse:
    """405 with the methods that the path takes; 404 where it takes none, as it is a page's alone."""
    path, method = request.url.path, request.method
    routes: TakenMethods = request.app.state.taken_methods
    taken = [each for each in routes.of_path(request.scope["path"]) if each != method]  # a route may refuse by itself
    if not taken and path.startswith("/api/"):
        return JSONResponse(body("not_found", f"There is nothing at {path}."), 404)
    methods = ", ".join(taken or ["GET", "HEAD"])
    text = f"{method} is not a method of {path}; it takes {methods}."
    return JSONResponse(body("method_not_allowed", text), 405, headers={"Allow": methods})


def problem_of(error: Mapping[str, Any], body_value: Any) -> dict[str, str]:
    """`{field, problem}` of what a request has wrong. Of a body that is not JSON it is where that breaks; of one that
    was not read as JSON, the header it needs."""
    place = ".".join(map(str, _written_place(error["loc"], body_value)))
    if error.get("type") == "json_invalid":
        where = place_in(body_value, error["loc"][-1]) if isinstance(body_value, str) else "its start"
        return {"field": "body", "problem": f"it is not JSON from {where} on"}
    if place == "body" and isinstance(error.get("input"), bytes):
        return {"field": place, "problem": "send it as JSON, with the header Content-Type: application/json"}
    return {"field": place, "problem": plain_problem(error)}


def _written_place(place: Sequence[str | int], body_value: Any) -> list[str | int]:
    """A place without the names of branches that the check went into, which nobody wrote."""
    written: list[str | int] = list(place[:1])
    value = body_value
    for n, part in enumerate(place[1:], 2):
        at = isinstance(value, dict) and part in value
        at = at or (isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value))
        if at or n == len(place) or place[0] != "body":
            written.append(part)
        if at:
            value = value[part]
    return written


def known_failure(route: str, error: WeirError) -> JSONResponse:
    """The answer to a failure that is in the table. The log names the route: a path has names of people and topics."""
    if isinstance(error, Unavailable):
        log.warning("unavailable", route=route, message=error.message)
    return JSONResponse(body(error.code, error.message, error.details), status_of(error), headers=headers_of(error))


def unexpected(route: str, error: Exception) -> JSONResponse:
    """The answer to an error nobody foresaw; where it came from is in the log, under the reference of the answer.

    The connection ends with it: what the route left of the request is not known.
    """
    reference = uuid.uuid4().hex[:12]
    log.error("failed", reference=reference, route=route, kind=type(error).__name__, at=frames(error))
    message = f"Something failed inside Weir. Its log shows where, under the reference {reference}."
    return JSONResponse(body("internal", message, {"reference": reference}), 500, headers={"Connection": "close"})


class Noted:
    """A `send` that notes whether anything of the answer is out."""

    def __init__(self, send: Send) -> None:
        self._send, self.begun = send, False

    async def __call__(self, message: Message) -> None:
        self.begun = True
        await self._send(message)


class Unexpected:
    """Answers 500 for what no handler knows, and lets nothing pass to the server, which would log the error's text."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        noted = Noted(send)
        try:
            await self.app(scope, receive, noted)
        except (TooLargeError, ClientDisconnect):
            raise
        except Exception as error:
            answer = unexpected(route_label(scope), error)
            if noted.begun:  # its head is out: only a cut connection can tell the client
                raise CutShortError(
                    f"reference {json.loads(bytes(answer.body))['error']['details']['reference']}"
                ) from None
            await answer(scope, receive, send)
