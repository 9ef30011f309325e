"""Each request is one call: entries that the audit gets in it name the agent that makes it, and its tool."""

from __future__ import annotations

import re

from fastapi import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from policies.audit import acting
from policies.model import Subject

TOOL = "X-Weir-Tool"
"""Header in which a client names the tool that it calls for."""
_NAME = re.compile(r"[A-Za-z0-9_.:/-]{1,64}\Z")


class Calls:
    """Middleware that opens a call for each request."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with acting.call():
            await self._app(scope, receive, send)


def with_tool(request: Request, subject: Subject) -> Subject:
    """The subject with the tool that the request names; a text that cannot be a name is left out."""
    name = request.headers.get(TOOL, "")
    return subject.by_tool(name) if _NAME.match(name) else subject
