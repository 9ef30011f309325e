"""One row of a view by its key: what applications ask for hundreds of times a second, answered before routes are looked for.

`GET /views/{name}/rows?key=...` with one bearer token and nothing else is answered here. Everything else, and every form of the
same that is not plain, takes the general way. This is the innermost layer of the application, so rates, headers, metrics,
compression and limits are those of all routes; who calls, their scopes, what they may know and see are asked of the same
functions in the same order. A test compares the answers of both ways. See decision 0127.
"""

from __future__ import annotations

import threading
from functools import partial
from urllib.parse import unquote, unquote_plus

from cachetools import TTLCache
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api.edge import errors
from api.edge.parameters import LONGEST
from api.edge.together import Together
from api.guard.credentials import LATELY_S, Credential, client_certificate, later, subject_lately
from api.guard.guards import guard_of, routes_of
from api.http.routes import views
from api.http.routes.direct import as_json, plain_token
from api.joins.views.rows import ViewRows
from catalog.errors import WeirError
from policies.model import Subject

_THREADS = 3
_BEFORE, _BEHIND, _KEY = "/api/v1/views/", "/rows", b"key="
_ROUTE = next(route for _, route in routes_of(views.often.routes) if route.name == views.rows.__name__)
_GUARD = guard_of(_ROUTE)
_KEPT = 10_000


class OneRow:
    """Answers reads of one row; gives all other requests to `app`."""

    def __init__(self, app: ASGIApp, together: Together | None = None) -> None:
        self.app = app
        self._together = together or Together(_THREADS)
        self._known: TTLCache[tuple[Subject, str], bool] = TTLCache(_KEPT, LATELY_S)
        self._lock = threading.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        row_request = _asked(scope)
        if row_request is None:
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        token = plain_token(request)
        if token is None:
            await self.app(scope, receive, send)
            return
        scope["route"] = _ROUTE
        answer = await self._together.run(partial(self._answer, request, token, *row_request))
        await answer(scope, receive, send)

    def _answer(self, request: Request, token: str, name: str, key: str) -> Response:
        try:
            return Response(self._row(request, token, name, key), media_type="application/json")
        except WeirError as error:
            return errors.known_failure(request.scope["path"], error)

    def _row(self, request: Request, token: str, name: str, key: str) -> bytes:
        built = request.app.state.instance
        credential = Credential(token, certificate=client_certificate(request))
        subject = _GUARD.admit(request, built, subject_lately(request, built, credential))
        session = later(built, credential)
        known = (subject, name)
        with self._lock:
            is_known = known in self._known
        if not is_known:
            views.require_known(built, subject, name)
            with self._lock:
                self._known[known] = True
        return as_json(built[ViewRows].rows(subject, name, {"key": [key]}, None, None, session))


def _asked(scope: Scope) -> tuple[str, str] | None:
    """The name of a view and the key of a row; None for any other request."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    path, query = scope["path"], scope["query_string"]
    if not path.startswith(_BEFORE) or not path.endswith(_BEHIND) or not query.startswith(_KEY) or b"&" in query:
        return None
    name = path[len(_BEFORE) : -len(_BEHIND)]
    # An app below a path of another one, and one that is traced, are FastAPI's to look after.
    if not name or "/" in name or scope.get("root_path") or scope.get("fastapi.telemetry") is not None:
        return None
    key = unquote_plus(query[len(_KEY) :].decode("latin-1"))
    return (unquote(name), key) if len(name) <= LONGEST and len(key) <= LONGEST else None
