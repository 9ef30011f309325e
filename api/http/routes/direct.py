"""Routes that are asked for hundreds of times a second: what is plain goes to the endpoint in one thread, in one step.

The general way solves each parameter and dependency by itself, three of them in threads of their own; see decision 0114 for
what that costs. A request that is not plain takes the general way, so both give the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any
from urllib.parse import unquote

import orjson
from anyio import CapacityLimiter, to_thread
from fastapi.encoders import jsonable_encoder
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from api.http.callers.auth import Credential, caller_lately, client_certificate, later
from api.http.edge.parameters import LONGEST
from api.http.edge.threads import threads

_BEARER = "bearer "
_THREADS = 2


class DirectRoute(APIRoute):
    """A GET route whose endpoint answers what JSON can hold.

    It takes `request`, `built`, `subject`, `session`, names of the path and texts of the query.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        general = super().get_route_handler()
        names = [field.name for field in self.dependant.path_params]
        texts = {field.alias: field.name for field in self.dependant.query_params}

        async def handle(request: Request) -> Response:
            token = _plain_token(request)
            if token is None or not _is_short(request):
                return await general(request)
            work = partial(self._answer, request, token, names, texts)
            return await to_thread.run_sync(work, limiter=_few(request) if _is_quick(request) else None)

        return handle

    def _answer(self, request: Request, token: str, names: list[str], texts: dict[str, str]) -> Response:
        built = request.app.state.services
        credential = Credential(token, certificate=client_certificate(request))
        subject = caller_lately(request, built, credential)
        given: dict[str, Any] = {name: unquote(request.path_params[name]) for name in names}
        query = request.query_params
        given |= {name: query.get(alias) for alias, name in texts.items()}
        session = later(built, credential)
        answer = self.endpoint(request=request, built=built, subject=subject, session=session, **given)
        return Response(_json(answer), media_type="application/json")


def _is_quick(request: Request) -> bool:
    """A read of one row, which waits for nothing."""
    return request.query_params.keys() == {"key"}


def _few(request: Request) -> CapacityLimiter:
    """Threads for quick reads: more of them only take turns at the interpreter."""
    return threads(request.app.state, "quick", _THREADS)


def _json(answer: Any) -> bytes:
    try:
        return orjson.dumps(answer)
    except TypeError:  # a number beyond 64 bits, a text with half a character
        return json.dumps(jsonable_encoder(answer)).encode()


def _plain_token(request: Request) -> str | None:
    """The token of a request with one bearer token and nothing else to decide on."""
    given = request.headers.getlist("authorization")
    if len(given) != 1 or given[0][: len(_BEARER)].lower() != _BEARER:
        return None
    token = given[0][len(_BEARER) :]
    return token if token and token == token.strip() and " " not in token else None


def _is_short(request: Request) -> bool:
    """Whether every text is within what the general way accepts."""
    texts = (*request.path_params.values(), *(value for _, value in request.query_params.multi_items()))
    return all(len(text) <= LONGEST for text in texts)
