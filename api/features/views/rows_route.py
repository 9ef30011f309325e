"""How requests for rows of a view come to their endpoint: hundreds a second, so each in one step of one thread.

FastAPI would solve each parameter and dependency by itself, three of them in threads of their own. Here the guard of the
route, the limits of its parameters and the endpoint are called one after the other. A read of one key shares its thread with
others that came at the same time. The signature of the endpoint describes the route in the OpenAPI document. See decision 0121.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any
from urllib.parse import unquote

from anyio import to_thread
from fastapi.dependencies.utils import request_params_to_args
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials
from fastapi.security.utils import get_authorization_scheme_param
from pydantic_core import PydanticSerializationError
from starlette.requests import Request
from starlette.responses import Response

from api.edge.answer import Answer
from api.edge.parameters import LONGEST
from api.edge.request_batcher import RequestBatcher
from api.features.views.known import KnownViews
from api.features.views.rows import ViewRows
from api.guard.credentials import credential_of, later, subject_lately
from api.guard.guards import guard_of

_BATCHER = RequestBatcher(threads=3)


class RowsRoute(APIRoute):
    """A GET route whose endpoint takes `request`, `view_rows`, `known`, `caller`, `session`, `name`, `purpose` and `atLeast`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def handle(request: Request) -> Response:
            return await self.respond(request)

        return handle

    async def respond(self, request: Request) -> Response:
        """Raises as `_answer`."""
        answer = partial(self._answer, request)
        if _is_one_key(request):
            return await _BATCHER.run(answer)
        return await to_thread.run_sync(answer)  # it may read many rows, or wait for some

    def _answer(self, request: Request) -> Response:
        """Raises what the guard and the endpoint raise, RequestValidationError for a text that is too long."""
        built = request.app.state.instance
        credential = credential_of(request, built, _bearer(request))
        caller = guard_of(self).admit(request, built, subject_lately(request, built, credential))
        self._refuse_long_texts(request)
        answer = self.endpoint(
            request=request,
            view_rows=built[ViewRows],
            known=built[KnownViews],
            caller=caller,
            session=later(built, credential),
            name=unquote(request.path_params["name"]),
            purpose=request.query_params.get("purpose"),
            atLeast=request.query_params.get("atLeast"),
        )
        return Response(as_json(answer), media_type="application/json")

    def _refuse_long_texts(self, request: Request) -> None:
        texts = (*request.path_params.values(), *(value for _, value in request.query_params.multi_items()))
        if all(len(text) <= LONGEST for text in texts):
            return
        errors = [
            *request_params_to_args(self.dependant.path_params, request.path_params)[1],
            *request_params_to_args(self.dependant.query_params, request.query_params)[1],
        ]
        if errors:
            raise RequestValidationError(errors)


def as_json(answer: Answer) -> bytes:
    """The answer without keys that were not set."""
    try:
        return answer.model_dump_json(exclude_unset=True).encode()
    except PydanticSerializationError:  # a text with half a character
        return json.dumps(answer.model_dump(exclude_unset=True)).encode()


def _is_one_key(request: Request) -> bool:
    query: bytes = request.scope["query_string"]
    return query.startswith(b"key=") and b"&" not in query


def _bearer(request: Request) -> HTTPAuthorizationCredentials | None:
    """As FastAPI's `HTTPBearer` reads the header."""
    scheme, token = get_authorization_scheme_param(request.headers.get("Authorization"))
    return (
        HTTPAuthorizationCredentials(scheme=scheme, credentials=token) if token and scheme.lower() == "bearer" else None
    )
