"""A span for each request that is answered, where traces are on."""

from __future__ import annotations

from collections.abc import Callable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from catalog import spans

_NOT = frozenset({"/healthz", "/readyz", "/metrics"})
"""Paths that programs ask again and again."""


class Traced:
    """The span has the route, never the path: names of datasets and words of a search are in paths. `label`: the route."""

    def __init__(self, app: ASGIApp, label: Callable[[Scope], str]) -> None:
        self.app, self._label = app, label

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] in _NOT:
            await self.app(scope, receive, send)
            return
        parent = next((value for name, value in scope["headers"] if name == b"traceparent"), None)
        status = 500

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        with spans.request(parent.decode("latin-1") if parent else None) as begun:
            try:
                await self.app(scope, receive, noted)
            finally:
                route = self._label(scope)
                begun.rename(f"{scope['method']} {route}")
                begun.note("http.request.method", scope["method"])
                begun.note("http.route", route)
                begun.note("http.response.status_code", status)
