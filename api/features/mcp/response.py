"""Hands a request to the protocol's own server, which is loaded when the first one comes."""

from __future__ import annotations

import json
import logging
import threading
from typing import TYPE_CHECKING, Any

from fastapi import Response
from fastapi.concurrency import run_in_threadpool
from starlette.types import Message, Receive, Scope, Send

_INVALID_REQUEST = -32600
"""Of JSON-RPC 2.0, section 5.1."""
_NO_JSON = "Send one message of JSON-RPC 2.0 as JSON, with the header Content-Type: application/json."
_NO_MESSAGE = "This is not one message of JSON-RPC 2.0: send an object with jsonrpc, id, method and params, no list."

_LOADED = threading.Event()
"""Whether the protocol's server is loaded, which a thread does while other requests are served."""

if TYPE_CHECKING:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager


class ProtocolResponse(Response):
    """The answer of the protocol's server to the request it is returned for. No request leaves anything behind."""

    def __init__(self) -> None:
        super().__init__()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        manager = _manager() if _LOADED.is_set() else await run_in_threadpool(_manager)
        async with manager.run():
            await manager.handle_request(scope, receive, _plain(send))


def _plain(send: Send) -> Send:
    """A send that words the refusal of a bad message: the protocol's own text names its classes and repeats what was sent."""
    parts: list[Message] = []

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] == 400:
            parts.append(message)
            return
        if not parts:
            await send(message)
            return
        parts.append(message)
        if message.get("more_body"):
            return
        start, *rest = parts
        body = _worded(b"".join(each.get("body", b"") for each in rest))
        headers = [pair for pair in start["headers"] if pair[0].lower() not in (b"content-length", b"content-type")]
        own = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({**start, "headers": [*headers, *own]})
        await send({"type": "http.response.body", "body": body})

    return sent


def _worded(body: bytes) -> bytes:
    try:
        answer = json.loads(body)
        message = str(answer["error"]["message"])
    except (ValueError, KeyError, TypeError):  # the protocol's server answers in plain text where it reads no message
        error = {"code": _INVALID_REQUEST, "message": _NO_JSON}
        return json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
    if not message.startswith(("Validation error", "Parse error")):
        return body
    return json.dumps({**answer, "error": {"code": answer["error"].get("code"), "message": _NO_MESSAGE}}).encode()


def _manager() -> StreamableHTTPSessionManager:
    """Without sessions: each request is complete by itself, with its own token. Loading takes a second, once."""
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from api.features.mcp.server import server

    logging.getLogger("mcp").setLevel(logging.WARNING)
    protocol: Any = server()
    _LOADED.set()
    return StreamableHTTPSessionManager(protocol, stateless=True)
