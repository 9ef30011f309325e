"""A request that outlasts the server's patience at its end gets a clean 503."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import httpx
import uvicorn
from pytest_socket import enable_socket

from api.edge.shutdown import EndingServer


def test_a_request_at_work_when_the_server_ends_gets_a_clean_503() -> None:
    enable_socket()  # on the loopback address
    begun = threading.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            begun.set()
            await asyncio.sleep(60)

    config = uvicorn.Config(
        EndingServer(slow), port=0, log_level="critical", lifespan="off", timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 20
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]

    def end() -> None:
        if begun.wait(20):
            server.should_exit = True

    threading.Thread(target=end, daemon=True).start()
    answer = httpx.get(f"http://127.0.0.1:{port}/", timeout=20)
    assert answer.status_code == 503 and answer.headers["retry-after"]
    assert answer.json()["error"]["code"] == "unavailable"
    thread.join(20)
    assert not thread.is_alive()


def test_an_answer_that_has_begun_is_not_followed_by_another() -> None:
    messages: list[Any] = []

    async def streaming(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await asyncio.sleep(60)

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        messages.append(message)

    async def ended() -> bool:
        task = asyncio.ensure_future(EndingServer(streaming)({"type": "http"}, receive, send))
        await asyncio.sleep(0.01)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            return True
        return False

    assert asyncio.run(ended()) and len(messages) == 1
