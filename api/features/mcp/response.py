"""Hands a request to the protocol's own server, which is loaded when the first one comes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class ProtocolResponse(Response):
    """The answer of the protocol's server to the request it is returned for. No request leaves anything behind."""

    def __init__(self) -> None:
        super().__init__()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = await run_in_threadpool(_manager)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def _manager() -> StreamableHTTPSessionManager:
    """Without sessions: each request is complete by itself, with its own token. Loading takes a second, once."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from api.features.mcp.server import server

    logging.getLogger("mcp").setLevel(logging.WARNING)
    protocol: Any = server()
    return StreamableHTTPSessionManager(protocol, stateless=True)
