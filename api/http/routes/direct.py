"""Routes that are asked for hundreds of times a second: what is plain goes to the endpoint in one thread, in one step.

The general way solves each parameter and dependency by itself, three of them in threads of their own; see decision 0114 for
what that costs. A request that is not plain takes the general way, so both give the same answers. What is plainest of all,
one row by its key, does not come as far as here: see `api.http.routes.one_row`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any
from urllib.parse import unquote

import orjson
from anyio import to_thread
from fastapi.encoders import jsonable_encoder
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response

from api.edge.parameters import LONGEST
from api.guard.credentials import Credential, client_certificate, later, subject_lately
from api.guard.guards import guard_of

_BEARER = "bearer "


class DirectRoute(APIRoute):
    """A GET route whose endpoint answers what JSON can hold.

    It takes `request`, `built`, `subject`, `session`, names of the path and texts of the query.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        general = super().get_route_handler()
        names = [field.name for field in self.dependant.path_params]
        texts = {field.alias: field.name for field in self.dependant.query_params}

        async def handle(request: Request) -> Response:
            token = plain_token(request)
            if token is None or not _is_short(request):
                return await general(request)
            return await to_thread.run_sync(partial(self._answer, request, token, names, texts))

        return handle

    def _answer(self, request: Request, token: str, names: list[str], texts: dict[str, str]) -> Response:
        built = request.app.state.instance
        credential = Credential(token, certificate=client_certificate(request))
        subject = guard_of(self).admit(request, built, subject_lately(request, built, credential))
        arguments: dict[str, Any] = {name: unquote(request.path_params[name]) for name in names}
        query = request.query_params
        arguments |= {name: query.get(alias) for alias, name in texts.items()}
        session = later(built, credential)
        answer = self.endpoint(request=request, built=built, subject=subject, session=session, **arguments)
        return Response(as_json(answer), media_type="application/json")


def as_json(answer: Any) -> bytes:
    """As FastAPI would answer it."""
    try:
        return orjson.dumps(answer)
    except TypeError:  # a number beyond 64 bits, a text with half a character
        return json.dumps(jsonable_encoder(answer)).encode()


def plain_token(request: Request) -> str | None:
    """The token of a request with one bearer token and nothing else to decide on."""
    headers = request.headers.getlist("authorization")
    if len(headers) != 1 or headers[0][: len(_BEARER)].lower() != _BEARER:
        return None
    token = headers[0][len(_BEARER) :]
    return token if token and token == token.strip() and " " not in token else None


def _is_short(request: Request) -> bool:
    """Whether every text is within what the general way accepts."""
    texts = (*request.path_params.values(), *(value for _, value in request.query_params.multi_items()))
    return all(len(text) <= LONGEST for text in texts)
