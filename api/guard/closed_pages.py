"""Pages about the server itself that a setting closes to those who have not signed in: figures, and the API's description."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.types import ASGIApp, Receive, Scope, Send

from api.config.http_settings import ApiSettings
from api.edge import errors
from api.guard.credentials import bearer, credential_of, subject_of
from api.wiring.instance import Instance
from catalog.errors import WeirError

_FIGURES = ("/metrics",)
_DESCRIPTION = ("/docs", "/docs-files", "/openapi.json", "/redoc")


def closed_pages(settings: ApiSettings) -> tuple[str, ...]:
    """The paths that need a token; all below them, too."""
    return (*(() if settings.open_metrics else _FIGURES), *(() if settings.open_docs else _DESCRIPTION))


class ClosedPages:
    """Middleware that answers 401 to those who have not signed in, for some paths."""

    def __init__(self, app: ASGIApp, instance: Instance, paths: Collection[str]) -> None:
        self._app, self._instance, self._paths = app, instance, tuple(paths)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and self._is_closed(scope["path"]):
            request = Request(scope)
            try:
                given = credential_of(request, self._instance, await bearer(request))
                await run_in_threadpool(subject_of, self._instance, given, use=False)
            except WeirError as error:
                await errors.known_failure(scope["path"], error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_closed(self, path: str) -> bool:
        return any(path == each or path.startswith(f"{each}/") for each in self._paths)
