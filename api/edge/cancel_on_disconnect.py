"""Work that is stopped when the one who asked goes away: on a thread of its own, while the connection is watched."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import TypeVar

import anyio
import structlog
from anyio import CapacityLimiter, to_thread
from fastapi import Request
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from api.edge.threads import threads
from catalog.errors import WeirError
from policies.plan.cancellation import Stop
from policies.plan.registry import GONE

log = structlog.get_logger("weir.api")

Answer = TypeVar("Answer")
_THREADS = 300
"""For queries alone, most of which wait for the engine; other routes keep the threads they share."""


def _limiter(request: Request) -> CapacityLimiter:
    return threads(request.app.state, "query", _THREADS)


async def attended(request: Request, stop: Stop, work: Callable[[], Answer]) -> Answer:
    """What `work` gives, or raises. Stops it when the client closes the connection meanwhile."""

    async def watch() -> None:
        while True:
            message = await request.receive()
            if message["type"] == "http.disconnect":
                stop.stop(GONE)
                return

    failure: BaseException | None = None
    answer: list[Answer] = []
    async with anyio.create_task_group() as group:
        group.start_soon(watch)
        try:
            answer.append(await to_thread.run_sync(work, limiter=_limiter(request)))
        except Exception as error:  # raised below, outside of the group, which would wrap it
            failure = error
        group.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return answer[0]


class _BrokenOffError(Exception):
    """The rest of an answer will not come."""


class SentResponse(StreamingResponse):
    """Chunks made on a thread, sent as they come. When they end, or the client leaves, or nothing could be sent at all,
    the query is stopped, the chunks are closed, and `done` is called."""

    def __init__(
        self,
        request: Request,
        stop: Stop,
        chunks: Iterator[bytes],
        done: Callable[[], None],
        *,
        media_type: str,
        headers: Mapping[str, str],
    ) -> None:
        self._limiter = _limiter(request)
        self._stop, self._chunks, self._done = stop, chunks, done
        super().__init__(self._sent(), media_type=media_type, headers=headers)

    async def _sent(self) -> AsyncIterator[bytes]:
        while True:
            try:
                chunk = await to_thread.run_sync(next, self._chunks, None, limiter=self._limiter)
            except WeirError as error:
                log.warning("broken_off", query=self._stop.query_id, code=error.code, message=error.message)
                raise _BrokenOffError from None
            if chunk is None:
                return
            if chunk:
                yield chunk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except* _BrokenOffError:
            pass  # the status is out already; a body that is not ended closes the connection, which tells the client
        finally:
            self._stop.stop(GONE)
            with anyio.CancelScope(shield=True):
                await to_thread.run_sync(self._finish, limiter=self._limiter)

    async def listen_for_disconnect(self, receive: Receive) -> None:
        """A thread that waits for the engine is not ended by ending this task: the query must be cancelled."""
        await super().listen_for_disconnect(receive)
        self._stop.stop(GONE)

    def _finish(self) -> None:
        close = getattr(self._chunks, "close", None)
        try:
            if close is not None:
                close()
        finally:
            self._done()
