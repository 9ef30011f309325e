"""Requests that are still at work when the server ends: a clean 503 in place of a broken-off answer."""

from __future__ import annotations

import asyncio

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.edge import errors


class EndingServer:
    """The outermost layer. The server cancels what outlasts its patience at its end; that is answered here."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        noted = errors.Noted(send)
        try:
            await self.app(scope, receive, noted)
        except asyncio.CancelledError:
            if noted.begun:
                raise
            text = "Weir is being stopped or started again; ask again in a moment."
            headers = {"Retry-After": "5", "Connection": "close"}
            await JSONResponse(errors.body("unavailable", text), 503, headers)(scope, receive, send)
