"""Methods that a path does not take, and HEAD of pages and of what load balancers ask."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_DOORS = ("/api/", "/scim/", "/mcp", "/.well-known/")
"""Paths whose routes do more than to answer: they write to the audit, count rows, or stream without an end."""


class HeadOfPages:
    """Answers HEAD as GET without its body, for pages and for `/healthz`, `/readyz` and `/metrics`."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or scope["path"].startswith(_DOORS):
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


class TakenMethods:
    """Which methods each path takes; the pages, which are at every other path, are not among them."""

    def __init__(self, routes: Iterable[tuple[str, Collection[str]]]) -> None:
        """`routes`: their paths and methods."""
        self._routes = [(compile_path(path)[0], frozenset(methods)) for path, methods in routes]

    def of_path(self, path: str) -> list[str]:
        """In order; empty where no route has the path."""
        return sorted(frozenset[str]().union(*(methods for pattern, methods in self._routes if pattern.match(path))))
