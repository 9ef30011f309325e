"""How much of a request's body is read at all."""

from __future__ import annotations

import contextlib

import anyio
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.edge import errors

_LINGER_SECONDS = 5.0
"""How long the rest of a refused body is read and thrown away: a client that still sends would lose the answer."""


_MIB = 1024 * 1024
_OF_DOCUMENTS = 4 * _MIB
"""Largest body of a route that takes no events. It is read as one JSON value, while which no other request is served."""


class BodyLimit:
    """Refuses a body that is declared larger than the limit, and stops reading one that becomes larger: 413 both."""

    def __init__(self, app: ASGIApp, limit: int, events: frozenset[str] = frozenset()) -> None:
        """`limit`: bytes of a body sent to one of the paths `events`; other paths take at most 4 MiB."""
        self.app = app
        self.limit = limit
        self.events = events

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        limit = self.limit if scope["path"] in self.events else min(self.limit, _OF_DOCUMENTS)
        declared = dict(scope["headers"]).get(b"content-length", b"0")
        if declared.isdigit() and int(declared) > limit:
            await self._refuse(receive, send, limit)
            return
        read = 0
        over = answered = ended = False

        async def counted() -> Message:
            nonlocal read, over, ended
            message = await receive()
            ended = not message.get("more_body")
            read += len(message.get("body", b""))
            if read > limit:
                over = True
                raise errors.TooLargeError
            return message

        async def unless_over(message: Message) -> None:
            """The routes' own answer; what a route makes of the error of reading is replaced by the refusal."""
            nonlocal answered
            if not over or answered:
                answered = True
                await send(message)

        with contextlib.suppress(errors.TooLargeError, ClientDisconnect):  # nobody waits for an answer to the latter
            await self.app(scope, counted, unless_over)
        if over and not answered:
            await self._refuse(None if ended else receive, send, limit)

    async def _refuse(self, receive: Receive | None, send: Send, limit: int) -> None:
        """`receive`: where the rest of the body comes from; None when there is none."""
        other = ", or raise WEIR_API__MAX_BODY_MB" if limit == self.limit else ""
        text = f"The body is larger than {limit // _MIB} MiB; send less{other}."
        answer = JSONResponse(errors.body("too_large", text), 413, headers={"Connection": "close"})
        await send({"type": "http.response.start", "status": 413, "headers": answer.raw_headers})
        await send({"type": "http.response.body", "body": answer.body, "more_body": True})
        if receive is not None:
            await self._linger(receive)
        await send({"type": "http.response.body", "body": b""})

    async def _linger(self, receive: Receive) -> None:
        """Read on for a moment, up to the limit once more."""
        left = self.limit
        with anyio.move_on_after(_LINGER_SECONDS):
            while left > 0:
                message = await receive()
                left -= len(message.get("body", b""))
                if message["type"] == "http.disconnect" or not message.get("more_body"):
                    return
